import {
  countClearing,
  findToldUntil,
  listBankBalances,
  listStatementBalances,
  listUnpaired,
  type ClearingPosting,
} from "../bank/bank-match.sql.ts";
import { namesIn, pairWithBank, type BankLine, type Paired } from "../bank/bank-match.ts";
import { chainStatements, gapsIn, wrongBalances, type BankDifference } from "../bank/statement-chain.ts";
import type { Money } from "../core/money.ts";
import { clearing as clearingAccount } from "../ledger/bank-effects.ts";
import { findHasHouse } from "../ledger/house.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { bankBreaksOf } from "../reconciliation/bank-break.ts";
import { listWrittenOff } from "../reconciliation/break.sql.ts";
import { balanceBreakKinds, bankBreakKinds, type BankBreak, type Break } from "../reconciliation/break.ts";
import { findIsWholeFleet } from "../reconciliation/cell.sql.ts";
import type { CutOff } from "../reconciliation/compare.sql.ts";
import { findPayoutsElsewhere } from "../settlement/payout-cell.sql.ts";
import { problemOf, sumEntries } from "../settlement/payout-evidence.ts";
import { listDoubtfulPayouts, listPayoutEvidence } from "../settlement/payout-evidence.sql.ts";

interface Scope {
  readonly connector: string | undefined;
  readonly until: Date | undefined;
  readonly cutOffs: readonly CutOff[];
  readonly isDay: boolean;
  /** Postings to clearing in the other cells; absent when the run is of one cell. */
  readonly listClearing: (() => Promise<readonly ClearingPosting[]>) | undefined;
}

/** What a run of one cell has not compared with the bank, because it is another cell's. */
export interface NotCompared {
  /** Whether the house account, and the bank's statements with it, are in this cell. */
  readonly hasHouse: boolean;
  /** Payouts of this cell, if another cell has the bank's statements. */
  readonly ownPayoutCount: number;
  /** Bank entries of payouts of other cells. */
  readonly otherBankEntryCount: number;
}

export interface BankComparison {
  readonly breaks: readonly Break[];
  /** The kinds that were looked for; those of others stay as they are. */
  readonly lookedFor: readonly BankBreak[];
  /** Absent when all was compared, or the run is of one wallet. */
  readonly notCompared?: NotCompared | undefined;
  /** What clearing should have in it, and has, both before write-offs; empty if it was not compared. */
  readonly clearing: readonly ClearingSum[];
}

/** Kinds that a run of one cell of a fleet can find, and cannot resolve: the other side may be in another cell. */
const kindsOfTheFleet: readonly BankBreak[] = [
  "not at the bank",
  "only at the bank",
  "other amount at the bank",
];

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
  { connector, until, cutOffs, isDay, listClearing }: Scope,
): Promise<BankComparison> {
  if (connector !== undefined) return { breaks: [], lookedFor: [], clearing: [] };
  const isWhole = listClearing !== undefined || (await findIsWholeFleet(tx));
  const payouts = await comparePayouts(tx);
  if (!(await findHasHouse(tx))) {
    const ownPayoutCount = isWhole ? 0 : await countClearing(tx);
    const notCompared = { hasHouse: false, ownPayoutCount, otherBankEntryCount: 0 };
    return {
      breaks: payouts,
      lookedFor: payoutKinds,
      clearing: [],
      notCompared: isWhole ? undefined : notCompared,
    };
  }
  const { expected, lines: allLines, clearing } = await listUnpaired(tx, (await listClearing?.()) ?? []);
  const lines = isWhole ? allLines : await listOwnLines(tx, allLines);
  const otherBankEntryCount = allLines.length - lines.length;
  const paired = pairWithBank(expected, lines);
  const banks = until ?? (await findToldUntil(tx));
  const anybody = until ?? latestOf([banks, ...cutOffs.map((cutOff) => cutOff.until)]);
  const chained = chainStatements(await listStatementBalances(tx));
  const balances = isDay ? [] : wrongBalances(chained, await listBankBalances(tx), new Date());
  return {
    breaks: [
      ...payouts,
      ...bankBreaksOf(paired, { banks, anybody }),
      ...gapsIn(chained).map((gap) => differenceBreak("statement gap", gap)),
      ...balances.map((balance) => differenceBreak("bank balance", balance)),
    ],
    lookedFor: bankBreakKinds
      .filter((kind) => kind !== "clearing balance" && !(isDay && balanceBreakKinds.includes(kind)))
      .filter((kind) => isWhole || !kindsOfTheFleet.includes(kind)),
    clearing: isDay || !isWhole ? [] : clearingSums(paired, clearing),
    notCompared: isWhole ? undefined : { hasHouse: true, ownPayoutCount: 0, otherBankEntryCount },
  };
}

/** Bank entries without those that carry the reference of a payout of another cell. */
async function listOwnLines(tx: Tx, lines: readonly BankLine[]): Promise<readonly BankLine[]> {
  const { references } = await findPayoutsElsewhere(tx, lines.flatMap(namesIn), []);
  return lines.filter((line) => !namesIn(line).some((name) => references.has(name)));
}

export function notComparedText({ hasHouse, ownPayoutCount, otherBankEntryCount }: NotCompared): string {
  return hasHouse
    ? `${otherBankEntryCount} bank entries of other cells' payouts were not compared, and payouts of other cells were not checked. Run \`match --all-cells\`.`
    : `${ownPayoutCount} payouts of this cell were not compared with the bank: another cell has the statements. Run \`match --all-cells\`.`;
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
