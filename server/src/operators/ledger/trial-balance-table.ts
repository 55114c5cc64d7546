import { isAccountingDay, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { toDecimal } from "../../core/money.ts";
import { toNumberedAccount } from "../../ledger/account-number.ts";
import { listAccountSums } from "../../ledger/trial-balance.sql.ts";
import {
  sumByAccountName,
  sortAccounts,
  sumByCurrency,
  type AccountSums,
  type AccountNameSums,
} from "../../ledger/trial-balance.ts";
import { systemScope } from "../../postgres/database.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { UsageError } from "../../core/command-errors.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** Timeout for one read of the whole ledger. */
const statementTimeoutMs = 30 * 60 * 1000;

export interface TrialBalance {
  readonly day: string;
  readonly names: readonly AccountNameSums[];
  readonly accounts: readonly AccountSums[];
  readonly totals: ReturnType<typeof sumByCurrency>;
  /** Whether debits equal credits in each currency. */
  readonly isZero: boolean;
}

/** `computeTrialBalance` returns the balance of each account at the end of an accounting day. */
export async function computeTrialBalance(
  { url, environment }: Operator,
  day: string,
): Promise<TrialBalance> {
  if (!isAccountingDay(day)) throw new UsageError("--at must be a calendar day, such as 2026-11-16.");
  const until = startOfAccountingDay(nextAccountingDay(day));
  const sums = await queryAsOwner(url, environment, systemScope, (tx) => listAccountSums(tx, until), {
    statementTimeoutMs,
  });
  const totals = sumByCurrency(sums);
  return {
    day,
    names: sumByAccountName(sums),
    accounts: sortAccounts(sums),
    totals,
    isZero: totals.every(({ debitMinor, creditMinor }) => debitMinor === creditMinor),
  };
}

/** Formats the balances by name in the chart of accounts, or by account. */
export function trialBalanceTable(
  { day, names, accounts, totals, isZero }: TrialBalance,
  isWhole: boolean,
): string {
  const rows = isWhole
    ? accounts.map((each) => [
        toNumberedAccount(each.account).number,
        each.account,
        each.currency,
        ...formatSides(each),
      ])
    : names.map((each) => [each.number, each.name, each.currency, ...formatSides(each)]);
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
    ? `At the end of ${day} (UTC+8), debits equal credits in each currency.`
    : `At the end of ${day} (UTC+8), debits do NOT equal credits. The ledger is inconsistent.`;
  return `${formatTextTable([head, ...rows, ...sums])}\n\n${verdict}`;
}

/** Formats a balance with its side: `12.50 debit`. */
function formatSides({ currency, debitMinor, creditMinor }: Omit<AccountSums, "account">): readonly string[] {
  const minor = debitMinor - creditMinor;
  const side = minor < 0n ? "credit" : "debit";
  const balance = toDecimal({ currency, minor: minor < 0n ? -minor : minor });
  return [
    toDecimal({ currency, minor: debitMinor }),
    toDecimal({ currency, minor: creditMinor }),
    minor === 0n ? balance : `${balance} ${side}`,
  ];
}
