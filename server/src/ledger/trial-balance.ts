import { toNumberedAccount } from "./account-number.ts";
import { chartOfAccounts, type AccountName, type AccountType } from "./account.ts";

/** Debit and credit sums of an account, up to the end of a day. */
export interface AccountSums {
  readonly account: string;
  readonly currency: string;
  readonly debitMinor: bigint;
  readonly creditMinor: bigint;
}

/** Sums of all accounts with one name, in one currency. */
export interface AccountNameSums extends Omit<AccountSums, "account"> {
  readonly number: string;
  readonly name: AccountName;
  readonly type: AccountType;
}

/** Sums accounts by their names in the chart of accounts, ordered by account number. */
export function sumByAccountName(sums: readonly AccountSums[]): readonly AccountNameSums[] {
  const names = new Map<string, AccountNameSums>();
  for (const { account, currency, debitMinor, creditMinor } of sums) {
    const { name, number } = toNumberedAccount(account);
    const key = `${number} ${currency}`;
    const before = names.get(key);
    names.set(key, {
      number,
      name,
      type: chartOfAccounts[name].type,
      currency,
      debitMinor: (before?.debitMinor ?? 0n) + debitMinor,
      creditMinor: (before?.creditMinor ?? 0n) + creditMinor,
    });
  }
  return [...names.values()].toSorted((a, b) => compareText(sortKey(a), sortKey(b)));
}

function sortKey({ currency, number }: Pick<AccountNameSums, "currency" | "number">): string {
  return `${currency} ${number}`;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns debits minus credits of each currency. A value other than zero is an error in the ledger. */
export function sumByCurrency(
  sums: readonly Omit<AccountSums, "account">[],
): readonly { readonly currency: string; readonly debitMinor: bigint; readonly creditMinor: bigint }[] {
  const totals = new Map<string, { debitMinor: bigint; creditMinor: bigint }>();
  for (const { currency, debitMinor, creditMinor } of sums) {
    const total = totals.get(currency) ?? { debitMinor: 0n, creditMinor: 0n };
    total.debitMinor += debitMinor;
    total.creditMinor += creditMinor;
    totals.set(currency, total);
  }
  return [...totals]
    .map(([currency, total]) => ({ currency, ...total }))
    .toSorted((a, b) => compareText(a.currency, b.currency));
}

/** Sorts accounts by number, owner and currency. */
export function sortAccounts(sums: readonly AccountSums[]): readonly AccountSums[] {
  const accountSortKey = ({ account, currency }: AccountSums): string => {
    const { number, owner } = toNumberedAccount(account);
    return `${currency} ${number} ${owner}`;
  };
  return sums.toSorted((a, b) => compareText(accountSortKey(a), accountSortKey(b)));
}
