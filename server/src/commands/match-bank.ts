import {
  findToldUntil,
  listStatementGaps,
  listUnpaired,
  listWrongBankBalances,
  type BankDifference,
} from "../bank/bank-match.sql.ts";
import { pairWithBank } from "../bank/bank-match.ts";
import { findHasHouse } from "../ledger/house.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { bankBreaksOf } from "../reconciliation/bank-break.ts";
import { bankBreakKinds, type BankBreak, type Break } from "../reconciliation/break.ts";
import type { CutOff } from "../reconciliation/compare.sql.ts";

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
}

/**
 * The fourth side: what wallets say that they paid, and what we paid out, against the banks' statements. Of every day, because money may be
 * on its way for days. A bank is no wallet's, so a run of one wallet leaves it out; balances are for a whole run, as all balances are.
 */
export async function compareWithBank(
  tx: Tx,
  { connector, until, cutOffs, isDay }: Scope,
): Promise<BankComparison> {
  if (connector !== undefined || !(await findHasHouse(tx))) return { breaks: [], lookedFor: [] };
  const { expected, lines } = await listUnpaired(tx);
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
    lookedFor: bankBreakKinds.filter((kind) => !isDay || kind !== "bank balance"),
  };
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
