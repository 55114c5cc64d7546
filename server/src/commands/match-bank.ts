import {
  findToldUntil,
  listStatementGaps,
  listUnpaired,
  listWrongBankBalances,
  type BankDifference,
} from "../bank/bank-match.sql.ts";
import { pairWithBank, type Paired } from "../bank/bank-match.ts";
import type { Money } from "../core/money.ts";
import { clearing as clearingAccount } from "../ledger/bank-effects.ts";
import { findHasHouse } from "../ledger/house.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { bankBreaksOf } from "../reconciliation/bank-break.ts";
import { listWrittenOff } from "../reconciliation/break.sql.ts";
import { balanceBreakKinds, bankBreakKinds, type BankBreak, type Break } from "../reconciliation/break.ts";
import type { CutOff } from "../reconciliation/compare.sql.ts";
import { problemOf, sumEntries } from "../settlement/payout-evidence.ts";
import { listDoubtfulPayouts, listPayoutEvidence } from "../settlement/payout-evidence.sql.ts";

interface Scope {
  readonly connector: string | undefined;
  readonly until: Date | undefined;
  readonly cutOffs: readonly CutOff[];
  readonly isDay: boolean;
}

export interface BankComparison {
  readonly breaks: readonly Break[];
  /** The kinds that were looked for; those of others stay as they are. */
  readonly lookedFor: readonly BankBreak[];
  /** What clearing should have in it, and has, both before write-offs; empty if it was not compared. */
  readonly clearing: readonly ClearingSum[];
}

export interface ClearingSum {
  readonly currency: string;
  readonly openMinor: bigint;
  readonly balanceMinor: bigint;
}

const payoutKinds = ["payout discrepancy", "payout contradiction"] as const satisfies readonly BankBreak[];

/**
 * The fourth side: what wallets say that they paid, and what we paid out, against the banks' statements. Of every day, because money may be
 * on its way for days. A bank is no wallet's, so a run of one wallet leaves it out; balances are for a whole run, as all balances are.
 */
export async function compareWithBank(
  tx: Tx,
  { connector, until, cutOffs, isDay }: Scope,
): Promise<BankComparison> {
  if (connector !== undefined) return { breaks: [], lookedFor: [], clearing: [] };
  const payouts = await comparePayouts(tx);
  if (!(await findHasHouse(tx))) return { breaks: payouts, lookedFor: payoutKinds, clearing: [] };
  const { expected, lines, clearing } = await listUnpaired(tx);
  const paired = pairWithBank(expected, lines);
  const banks = until ?? (await findToldUntil(tx));
  const anybody = until ?? latestOf([banks, ...cutOffs.map((cutOff) => cutOff.until)]);
  const gaps = await listStatementGaps(tx);
  const balances = isDay ? [] : await listWrongBankBalances(tx);
  return {
    breaks: [
      ...payouts,
      ...bankBreaksOf(paired, { banks, anybody }),
      ...gaps.map((gap) => differenceBreak("statement gap", gap)),
      ...balances.map((balance) => differenceBreak("bank balance", balance)),
    ],
    lookedFor: bankBreakKinds.filter(
      (kind) => kind !== "clearing balance" && !(isDay && balanceBreakKinds.includes(kind)),
    ),
    clearing: isDay ? [] : clearingSums(paired, clearing),
  };
}

/** Payouts about which the bank says something that does not fit, in status reports or on our account. */
async function comparePayouts(tx: Tx): Promise<readonly Break[]> {
  const doubtful = await listDoubtfulPayouts(tx);
  const evidence = await listPayoutEvidence(tx, doubtful);
  return doubtful.flatMap((payout): readonly Break[] => {
    const { entries = [], reports = [] } = evidence.get(payout.payoutId) ?? {};
    const problem = problemOf(payout, sumEntries(payout.amount, entries), reports);
    if (!problem) return [];
    const { kind, expected, bank, other } = problem;
    return [
      {
        kind,
        connector: undefined,
        subject: "payout",
        reference: payout.endToEndId,
        paymentId: undefined,
        currency: payout.amount.currency,
        sums: { expected, bank, ...(other && { again: other }) },
        at: payout.at,
      },
    ];
  });
}

/** The balance of clearing beside the sum of all that is open in it: unpaired on either side, or paired with another amount. */
function clearingSums(
  { pairs, expected, lines }: Paired,
  balances: readonly Money[],
): readonly ClearingSum[] {
  const open = new Map<string, bigint>();
  const add = ({ currency, minor }: Money, sign: bigint): void => {
    open.set(currency, (open.get(currency) ?? 0n) + sign * minor);
  };
  for (const { amount } of expected) add(amount, 1n);
  for (const { amount } of lines) add(amount, -1n);
  for (const pair of pairs) {
    add(pair.expected.amount, 1n);
    add(pair.line.amount, -1n);
  }
  const balanceBy = new Map(balances.map(({ currency, minor }) => [currency, minor]));
  return [...new Set([...open.keys(), ...balanceBy.keys()])].sort().map((currency) => ({
    currency,
    openMinor: open.get(currency) ?? 0n,
    balanceMinor: balanceBy.get(currency) ?? 0n,
  }));
}

/**
 * Breaks of clearing: its balance, less what was written off, is the sum of what is open in it, less what was written off of breaks that are
 * not resolved. Any rest has no explanation. After the breaks of this run were stored.
 */
export async function compareClearing(
  tx: Tx,
  sums: readonly ClearingSum[],
  at: Date,
): Promise<readonly Break[]> {
  const writtenOff = sums.length === 0 ? [] : await listWrittenOff(tx, clearingAccount);
  return sums.flatMap(({ currency, openMinor, balanceMinor }): readonly Break[] => {
    const { postedMinor = 0n, explainedMinor = 0n } =
      writtenOff.find((each) => each.currency === currency) ?? {};
    const [written, expected] = [balanceMinor - postedMinor, openMinor - explainedMinor];
    if (written === expected) return [];
    const reference = clearingAccount;
    const difference = { bank: "", reference, currency, writtenMinor: written, expectedMinor: expected, at };
    return [{ ...differenceBreak("clearing balance", difference), subject: "ledger", at: undefined }];
  });
}

function latestOf(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.flatMap((time) => (time ? [time.getTime()] : []));
  return known.length > 0 ? new Date(Math.max(...known)) : undefined;
}

function differenceBreak(kind: BankBreak, difference: BankDifference): Break {
  const { bank, reference, currency, writtenMinor, expectedMinor, at } = difference;
  return {
    kind,
    connector: undefined,
    subject: `bank ${bank}`,
    reference,
    paymentId: undefined,
    currency,
    sums: {
      written: { currency, minor: writtenMinor },
      expected: { currency, minor: expectedMinor },
    },
    at,
  };
}
