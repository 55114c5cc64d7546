import { accountNameOf, chartOfAccounts, type AccountName } from "./account.ts";

/**
 * Numbers of the accounts, as bookkeepers expect them: 1 are assets, 2 what we owe, 4 income, 5 expenses. What stands under one number by
 * name (each merchant, each wallet) is a sub-account of it.
 */
export const accountNumbers = {
  bank: "1000",
  clearing: "1100",
  "wallet receivable": "1200",
  exchange: "1300",
  "merchant payable": "2000",
  "merchant frozen": "2010",
  "merchant reserve": "2020",
  "payout in transit": "2030",
  suspense: "2100",
  "tax payable": "2200",
  "fee revenue": "4000",
  "exchange gain and loss": "4100",
  "wallet fee": "5000",
  adjustment: "5100",
  rounding: "5200",
} as const satisfies Readonly<Record<AccountName, string>>;

/** An account as a general ledger has it. */
export interface NumberedAccount {
  readonly number: string;
  readonly name: AccountName;
  /** Whose it is: a merchant, a wallet, a bank, a pair of currencies; empty when it is nobody's. */
  readonly of: string;
}

/** Throws for an account that the chart does not have: nobody may post to one. */
export function numberedAccount(account: string): NumberedAccount {
  const name = accountNameOf(account);
  if (name === undefined) throw new Error(`The chart has no account ${account}.`);
  const of = chartOfAccounts[name].of === "nobody" ? "" : account.slice(name.length + 1);
  return { number: accountNumbers[name], name, of };
}
