import {
  countClearingPostings,
  findReportedUntil,
  listBankBalances,
  listStatementBalances,
  listUnpaired,
  type ClearingPosting,
} from "../bank/bank-pairing.sql.ts";
import { referencesIn, pairWithBank, type BankLine, type PairingResult } from "../bank/bank-pairing.ts";
import {
  chainStatements,
  findGaps,
  findWrongBalances,
  type BankDifference,
} from "../bank/statement-chain.ts";
import type { Money } from "../core/money.ts";
import { clearingAccount } from "../ledger/bank-effects.ts";
import { hasHouseAccount } from "../ledger/house-account.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { bankBreaksOf } from "./bank-break.ts";
import { listWriteOffSums } from "./break.sql.ts";
import { balanceBreakKinds, bankBreakKinds, type BankBreak, type Break } from "./break.ts";
import { findIsWholeFleet } from "./cell.sql.ts";
import type { CutOff } from "./compare.sql.ts";
import { findPayoutsOfOtherCells } from "../settlement/payouts/payouts-of-other-cells.sql.ts";
import { payoutProblemOf, sumEntries } from "../settlement/payouts/payout-evidence.ts";
import { listDoubtfulPayouts, listPayoutEvidence } from "../settlement/payouts/payout-evidence.sql.ts";

interface Scope {
  readonly connector: string | undefined;
  readonly until: Date | undefined;
  readonly cutOffs: readonly CutOff[];
  readonly isDay: boolean;
  /** Lists postings to the account `clearing` in the other cells; absent for a run of one cell. */
  readonly listClearing: (() => Promise<readonly ClearingPosting[]>) | undefined;
}

/** Parts that a run of one cell has not compared with the bank, because they belong to other cells. */
export interface NotCompared {
  /** Whether the house account and the bank statements are in this cell. */
  readonly hasHouse: boolean;
  /** Number of payouts of this cell, if another cell has the bank statements. */
  readonly ownPayoutCount: number;
  /** Number of bank entries of payouts of other cells. */
  readonly otherBankEntryCount: number;
}

export interface BankComparison {
  readonly breaks: readonly Break[];
  /** The kinds of breaks that the run looked for; breaks of other kinds stay unchanged. */
  readonly checkedKinds: readonly BankBreak[];
  /** Parts that were not compared; absent if all were compared, or if the run is about one connector. */
  readonly notCompared?: NotCompared | undefined;
  /** Expected and actual balance of the account `clearing`, both before write-offs; empty if it was not compared. */
  readonly clearing: readonly ClearingSum[];
}

/**
 * Kinds of breaks that a run of one cell in a fleet can find and not resolve, because the other side may be in another
 * cell.
 */
const fleetBreakKinds: readonly BankBreak[] = [
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
 * `compareWithBank` compares providers' payouts and our payouts with the bank statements. It covers all days, because
 * money is in transit for days. A run of one connector skips it, because a bank account is not specific to a connector.
 * Only a complete run compares balances.
 */
export async function compareWithBank(
  tx: Tx,
  { connector, until, cutOffs, isDay, listClearing }: Scope,
): Promise<BankComparison> {
  if (connector !== undefined) return { breaks: [], checkedKinds: [], clearing: [] };
  const isWholeFleet = listClearing !== undefined || (await findIsWholeFleet(tx));
  const payouts = await comparePayouts(tx);
  if (!(await hasHouseAccount(tx))) {
    const ownPayoutCount = isWholeFleet ? 0 : await countClearingPostings(tx);
    const notCompared = { hasHouse: false, ownPayoutCount, otherBankEntryCount: 0 };
    return {
      breaks: payouts,
      checkedKinds: payoutKinds,
      clearing: [],
      notCompared: isWholeFleet ? undefined : notCompared,
    };
  }
  const { expected, lines: allLines, clearing } = await listUnpaired(tx, (await listClearing?.()) ?? []);
  const lines = isWholeFleet ? allLines : await listOwnLines(tx, allLines);
  const otherBankEntryCount = allLines.length - lines.length;
  const paired = pairWithBank(expected, lines);
  const bankStatements = until ?? (await findReportedUntil(tx));
  const allFiles = until ?? latestOf([bankStatements, ...cutOffs.map((cutOff) => cutOff.until)]);
  const statementChains = chainStatements(await listStatementBalances(tx));
  const balances = isDay ? [] : findWrongBalances(statementChains, await listBankBalances(tx), new Date());
  return {
    breaks: [
      ...payouts,
      ...bankBreaksOf(paired, { bankStatements, allFiles }),
      ...findGaps(statementChains).map((gap) => differenceBreak("statement gap", gap)),
      ...balances.map((balance) => differenceBreak("bank balance", balance)),
    ],
    checkedKinds: bankBreakKinds
      .filter((kind) => kind !== "clearing balance" && !(isDay && balanceBreakKinds.includes(kind)))
      .filter((kind) => isWholeFleet || !fleetBreakKinds.includes(kind)),
    clearing: isDay || !isWholeFleet ? [] : clearingSums(paired, clearing),
    notCompared: isWholeFleet ? undefined : { hasHouse: true, ownPayoutCount: 0, otherBankEntryCount },
  };
}

/** Returns the bank entries that do not have the reference of another cell's payout. */
async function listOwnLines(tx: Tx, lines: readonly BankLine[]): Promise<readonly BankLine[]> {
  const { references } = await findPayoutsOfOtherCells(tx, lines.flatMap(referencesIn), []);
  return lines.filter((line) => !referencesIn(line).some((name) => references.has(name)));
}

export function notComparedText({ hasHouse, ownPayoutCount, otherBankEntryCount }: NotCompared): string {
  return hasHouse
    ? `${otherBankEntryCount} bank entries of other cells' payouts were not compared, and payouts of other ` +
        "cells were not checked. Run `reconcile --all-cells`."
    : `${ownPayoutCount} payouts of this cell were not compared with the bank, because another cell has the ` +
        "statements. Run `reconcile --all-cells`.";
}

/** Returns payouts whose status contradicts the bank's status reports or account entries. */
async function comparePayouts(tx: Tx): Promise<readonly Break[]> {
  const doubtful = await listDoubtfulPayouts(tx);
  const evidence = await listPayoutEvidence(tx, doubtful);
  return doubtful.flatMap((payout): readonly Break[] => {
    const { entries = [], reports = [] } = evidence.get(payout.payoutId) ?? {};
    const problem = payoutProblemOf(payout, sumEntries(payout.amount, entries), reports);
    if (!problem) return [];
    const { kind, expected, bank, other: otherSum } = problem;
    return [
      {
        kind,
        connector: undefined,
        subject: "payout",
        reference: payout.endToEndId,
        paymentId: undefined,
        currency: payout.amount.currency,
        sums: { expected, bank, ...(otherSum && { again: otherSum }) },
        at: payout.at,
      },
    ];
  });
}

/**
 * Returns the balance of the account `clearing` with the sum of its open items: unpaired on either side, or paired with
 * another amount.
 */
function clearingSums(
  { pairs, expected, lines }: PairingResult,
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
 * `compareClearing` returns breaks of the account `clearing`: its balance without write-offs must equal the sum of its
 * open items minus write-offs of unresolved breaks. A remainder has no explanation, so it is a break. The function must
 * run after the breaks of this run were stored.
 */
export async function compareClearing(
  tx: Tx,
  sums: readonly ClearingSum[],
  at: Date,
): Promise<readonly Break[]> {
  const writtenOff = sums.length === 0 ? [] : await listWriteOffSums(tx, clearingAccount);
  return sums.flatMap(({ currency, openMinor, balanceMinor }): readonly Break[] => {
    const { postedMinor = 0n, explainedMinor = 0n } =
      writtenOff.find((each) => each.currency === currency) ?? {};
    const [written, expected] = [balanceMinor - postedMinor, openMinor - explainedMinor];
    if (written === expected) return [];
    const reference = clearingAccount;
    const difference = { bank: "", reference, currency, actualMinor: written, expectedMinor: expected, at };
    return [{ ...differenceBreak("clearing balance", difference), subject: "ledger", at: undefined }];
  });
}

function latestOf(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.flatMap((time) => (time ? [time.getTime()] : []));
  return known.length > 0 ? new Date(Math.max(...known)) : undefined;
}

function differenceBreak(kind: BankBreak, difference: BankDifference): Break {
  const { bank, reference, currency, actualMinor, expectedMinor, at } = difference;
  return {
    kind,
    connector: undefined,
    subject: `bank ${bank}`,
    reference,
    paymentId: undefined,
    currency,
    sums: {
      written: { currency, minor: actualMinor },
      expected: { currency, minor: expectedMinor },
    },
    at,
  };
}
