/**
 * The chart of accounts: all accounts of the ledger by the beginning of their name. The rest of an account's name is
 * the owner. Assets and expenses grow with debits; liabilities and income with credits.
 */
export const chartOfAccounts = {
  "provider receivable": { type: "asset", of: "connector", holds: "receivable from a payment provider" },
  clearing: {
    type: "asset",
    of: "house",
    holds: "money in transit between a provider or a merchant and our bank; zero once the bank has booked it",
  },
  bank: { type: "asset", of: "bank", holds: "our balance at a bank, by its statements" },
  "merchant payable": { type: "liability", of: "merchant", holds: "payable to a merchant" },
  "merchant frozen": {
    type: "liability",
    of: "merchant",
    holds: "payable to a merchant, frozen while it is disputed",
  },
  "merchant reserve": {
    type: "liability",
    of: "merchant",
    holds: "payable to a merchant, held in reserve by its contract",
  },
  "payout in transit": {
    type: "liability",
    of: "merchant",
    holds: "payouts to a merchant that are neither executed nor returned",
  },
  suspense: { type: "liability", of: "house", holds: "money whose owner is not known yet" },
  "tax payable": {
    type: "liability",
    of: "house",
    holds: "tax on our fees, payable to the tax office",
  },
  "fee revenue": { type: "income", of: "house", holds: "our fees from merchants" },
  "provider fee": { type: "expense", of: "connector", holds: "fees of a payment provider" },
  adjustment: {
    type: "expense",
    of: "house",
    holds: "provider and bank adjustments without a payment, and write-offs",
  },
  rounding: { type: "expense", of: "house", holds: "rounding differences below one minor unit" },
  exchange: {
    type: "asset",
    of: "pair",
    holds: "converted amounts of a currency pair that are not traded yet, in both currencies",
  },
  "exchange gain and loss": {
    type: "income",
    of: "house",
    holds: "differences between our FX rates and the bank's",
  },
} as const satisfies Readonly<Record<string, AccountKind>>;

interface AccountKind {
  readonly type: AccountType;
  /** The kind of owner whose name follows in the account's name. */
  readonly of: "connector" | "bank" | "merchant" | "pair" | "house";
  readonly holds: string;
}

export type AccountType = "asset" | "liability" | "income" | "expense";

export type AccountName = keyof typeof chartOfAccounts;

/**
 * Returns the kind of an account, by the longest name in the chart of accounts with which the account's name begins;
 * undefined if there is none.
 */
export function accountNameOf(account: string): AccountName | undefined {
  const names = Object.keys(chartOfAccounts) as AccountName[];
  return names
    .filter(
      (name) => account === name || (chartOfAccounts[name].of !== "house" && account.startsWith(`${name} `)),
    )
    .toSorted((a, b) => b.length - a.length)[0];
}

/**
 * The owner of ledger rows without a merchant (house account): movements between providers, banks and the gateway's
 * operator.
 */
export const house = "HOUSE";
