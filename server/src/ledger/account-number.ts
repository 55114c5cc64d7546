import { findAccountName, chartOfAccounts, type AccountName } from "./account.ts";

/**
 * Account numbers in a common scheme of bookkeeping: 1 assets, 2 liabilities, 4 income, 5 expenses. Accounts with an
 * owner (each merchant, each provider) are sub-accounts of one number.
 */
export const accountNumbers = {
  bank: "1000",
  clearing: "1100",
  "provider receivable": "1200",
  exchange: "1300",
  "merchant payable": "2000",
  "merchant frozen": "2010",
  "merchant reserve": "2020",
  "payout in transit": "2030",
  suspense: "2100",
  "tax payable": "2200",
  "fee revenue": "4000",
  "exchange gain and loss": "4100",
  "provider fee": "5000",
  adjustment: "5100",
  rounding: "5200",
} as const satisfies Readonly<Record<AccountName, string>>;

/** An account for a general ledger. */
export interface NumberedAccount {
  readonly number: string;
  readonly name: AccountName;
  /**
   * The owner of the account: a merchant, a connector, a bank or a currency pair; empty for accounts without an owner.
   */
  readonly owner: string;
}

/**
 * Returns the number of an account. Throws if the chart of accounts does not have the account, because no row may be
 * posted to it.
 */
export function toNumberedAccount(account: string): NumberedAccount {
  const name = findAccountName(account);
  if (name === undefined) throw new Error(`The chart has no account ${account}.`);
  const owner = chartOfAccounts[name].ownerKind === "house" ? "" : account.slice(name.length + 1);
  return { number: accountNumbers[name], name, owner };
}
