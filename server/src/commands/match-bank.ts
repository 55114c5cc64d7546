import {
  countClearing,
  findToldUntil,
  listStatementGaps,
  listUnpaired,
  listWrongBankBalances,
  type BankDifference,
  type ClearingPosting,
} from "../bank/bank-match.sql.ts";
import { namesIn, pairWithBank, type BankLine } from "../bank/bank-match.ts";
import { findHasHouse } from "../ledger/house.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { bankBreaksOf } from "../reconciliation/bank-break.ts";
import { bankBreakKinds, type BankBreak, type Break } from "../reconciliation/break.ts";
import { findIsWholeFleet } from "../reconciliation/cell.sql.ts";
import type { CutOff } from "../reconciliation/compare.sql.ts";
import { findPayoutsElsewhere } from "../settlement/payout-cell.sql.ts";

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
}

/** Kinds that a run of one cell of a fleet can find, and cannot resolve: the other side may be in another cell. */
const kindsOfTheFleet: readonly BankBreak[] = [
  "not at the bank",
  "only at the bank",
  "other amount at the bank",
];

/**
 * The fourth side: what wallets say that they paid, and what we paid out, against the banks' statements. Of every day, because money may be
 * on its way for days. A bank is no wallet's, so a run of one wallet leaves it out; balances are for a whole run, as all balances are.
 */
export async function compareWithBank(
  tx: Tx,
  { connector, until, cutOffs, isDay, listClearing }: Scope,
): Promise<BankComparison> {
  if (connector !== undefined) return { breaks: [], lookedFor: [] };
  const isWhole = listClearing !== undefined || (await findIsWholeFleet(tx));
  if (!(await findHasHouse(tx))) {
    const ownPayoutCount = isWhole ? 0 : await countClearing(tx);
    const notCompared = { hasHouse: false, ownPayoutCount, otherBankEntryCount: 0 };
    return { breaks: [], lookedFor: [], notCompared: isWhole ? undefined : notCompared };
  }
  const unpaired = await listUnpaired(tx, (await listClearing?.()) ?? []);
  const { expected } = unpaired;
  const lines = isWhole ? unpaired.lines : await listOwnLines(tx, unpaired.lines);
  const otherBankEntryCount = unpaired.lines.length - lines.length;
  const banks = until ?? (await findToldUntil(tx));
  const anybody = until ?? latestOf([banks, ...cutOffs.map((cutOff) => cutOff.until)]);
  const gaps = await listStatementGaps(tx);
  const balances = isDay ? [] : await listWrongBankBalances(tx);
  return {
    breaks: [
      ...bankBreaksOf(pairWithBank(expected, lines), { banks, anybody }),
      ...gaps.map((gap) => differenceBreak("statement gap", gap)),
      ...balances.map((balance) => differenceBreak("bank balance", balance)),
    ],
    lookedFor: bankBreakKinds
      .filter((kind) => !isDay || kind !== "bank balance")
      .filter((kind) => isWhole || !kindsOfTheFleet.includes(kind)),
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
