import { isBookDay, nextBookDay, startOfBookDay } from "../core/book-day.ts";
import { toDecimal } from "../core/money.ts";
import { numberedAccount } from "../ledger/account-number.ts";
import { listAccountSums } from "../ledger/trial-balance.sql.ts";
import {
  byName,
  sortedAccounts,
  trialTotals,
  type AccountSums,
  type NameSums,
} from "../ledger/trial-balance.ts";
import { systemScope } from "../postgres/database.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { UsageError } from "./command.ts";
import { align } from "./table.ts";

/** Timeout for one read of the whole ledger. */
const statementTimeoutMs = 30 * 60 * 1000;

export interface TrialBalance {
  readonly day: string;
  readonly names: readonly NameSums[];
  readonly accounts: readonly AccountSums[];
  readonly totals: ReturnType<typeof trialTotals>;
  /** Whether debits are credits, in each currency. */
  readonly isZero: boolean;
}

/** What stood in each account at the end of a day of the books. */
export async function trialBalance({ url, environment }: Operator, day: string): Promise<TrialBalance> {
  if (!isBookDay(day)) throw new UsageError("--at has to be a day of the calendar, such as 2026-11-16.");
  const until = startOfBookDay(nextBookDay(day));
  const sums = await asOwner(url, environment, systemScope, (tx) => listAccountSums(tx, until), {
    statementTimeoutMs,
  });
  const totals = trialTotals(sums);
  return {
    day,
    names: byName(sums),
    accounts: sortedAccounts(sums),
    totals,
    isZero: totals.every(({ debitMinor, creditMinor }) => debitMinor === creditMinor),
  };
}

/** For people: by the names of the chart, or account by account. */
export function trialTable({ day, names, accounts, totals, isZero }: TrialBalance, isWhole: boolean): string {
  const rows = isWhole
    ? accounts.map((each) => [
        numberedAccount(each.account).number,
        each.account,
        each.currency,
        ...sides(each),
      ])
    : names.map((each) => [each.number, each.name, each.currency, ...sides(each)]);
  const sums = totals.map((each) => [
    "",
    "total",
    each.currency,
    toDecimal({ currency: each.currency, minor: each.debitMinor }),
    toDecimal({ currency: each.currency, minor: each.creditMinor }),
    "",
  ]);
  const head = ["number", "account", "currency", "debits", "credits", "balance"];
  const verdict = isZero
    ? `At the end of ${day} (UTC+8) debits are credits in each currency.`
    : `At the end of ${day} (UTC+8) debits are NOT credits: the books are wrong.`;
  return `${align([head, ...rows, ...sums])}\n\n${verdict}`;
}

/** The balance stands on its own side: `12.50 debit`. */
function sides({ currency, debitMinor, creditMinor }: Omit<AccountSums, "account">): readonly string[] {
  const minor = debitMinor - creditMinor;
  const side = minor < 0n ? "credit" : "debit";
  const balance = toDecimal({ currency, minor: minor < 0n ? -minor : minor });
  return [
    toDecimal({ currency, minor: debitMinor }),
    toDecimal({ currency, minor: creditMinor }),
    minor === 0n ? balance : `${balance} ${side}`,
  ];
}
