/**
 * The chart of accounts: all accounts of the ledger by the beginning of their name. The rest of an account's name is
 * the owner. Assets and expenses grow with debits; liabilities and income with credits.
 */
export const chartOfAccounts = {
  "provider receivable": {
    type: "asset",
    ownerKind: "connector",
    description: "receivable from a payment provider",
  },
  clearing: {
    type: "asset",
    ownerKind: "house",
    description:
      "money in transit between a provider or a merchant and our bank; zero once the bank has booked it",
  },
  bank: { type: "asset", ownerKind: "bank", description: "our balance at a bank, by its statements" },
  "merchant payable": { type: "liability", ownerKind: "merchant", description: "payable to a merchant" },
  "merchant frozen": {
    type: "liability",
    ownerKind: "merchant",
    description: "payable to a merchant, frozen while it is disputed",
  },
  "merchant reserve": {
    type: "liability",
    ownerKind: "merchant",
    description: "payable to a merchant, held in reserve by its contract",
  },
  "payout in transit": {
    type: "liability",
    ownerKind: "merchant",
    description: "payouts to a merchant that are neither executed nor returned",
  },
  suspense: { type: "liability", ownerKind: "house", description: "money whose owner is not known yet" },
  "tax payable": {
    type: "liability",
    ownerKind: "house",
    description: "tax on our fees, payable to the tax office",
  },
  "fee revenue": { type: "income", ownerKind: "house", description: "our fees from merchants" },
  "provider fee": { type: "expense", ownerKind: "connector", description: "fees of a payment provider" },
  adjustment: {
    type: "expense",
    ownerKind: "house",
    description: "provider and bank adjustments without a payment, and write-offs",
  },
  rounding: { type: "expense", ownerKind: "house", description: "rounding differences below one minor unit" },
  exchange: {
    type: "asset",
    ownerKind: "pair",
    description: "converted amounts of a currency pair that are not traded yet, in both currencies",
  },
  "exchange gain and loss": {
    type: "income",
    ownerKind: "house",
    description: "differences between our FX rates and the bank's",
  },
} as const satisfies Readonly<Record<string, AccountKind>>;

interface AccountKind {
  readonly type: AccountType;
  /** The kind of owner whose name follows in the account's name. */
  readonly ownerKind: "connector" | "bank" | "merchant" | "pair" | "house";
  readonly description: string;
}

export type AccountType = "asset" | "liability" | "income" | "expense";

export type AccountName = keyof typeof chartOfAccounts;

/**
 * Returns the kind of an account, by the longest name in the chart of accounts with which the account's name begins;
 * undefined if there is none.
 */
export function findAccountName(account: string): AccountName | undefined {
  const names = Object.keys(chartOfAccounts) as AccountName[];
  return names
    .filter(
      (name) =>
        account === name || (chartOfAccounts[name].ownerKind !== "house" && account.startsWith(`${name} `)),
    )
    .toSorted((a, b) => b.length - a.length)[0];
}

/**
 * The owner of ledger rows without a merchant (house account): movements between providers, banks and the gateway's
 * operator.
 */
export const house = "HOUSE";
