/**
 * The chart of accounts: every account of the ledger, by the first words of its name. What follows them says whose it is. An asset or an
 * expense grows by debits; what we owe, and what we earn, by credits.
 */
export const chartOfAccounts = {
  "wallet receivable": { type: "asset", of: "connector", holds: "what a wallet owes us" },
  clearing: {
    type: "asset",
    of: "nobody",
    holds: "money on its way between a wallet or a merchant and our bank: nothing, once the bank has told",
  },
  bank: { type: "asset", of: "bank", holds: "what a bank has of ours, by its statements" },
  "merchant payable": { type: "liability", of: "merchant", holds: "what we owe a merchant" },
  "merchant frozen": {
    type: "liability",
    of: "merchant",
    holds: "what we owe a merchant, kept back for as long as it is disputed",
  },
  "merchant reserve": {
    type: "liability",
    of: "merchant",
    holds: "what we owe a merchant, kept back for a time by its contract",
  },
  "payout in transit": {
    type: "liability",
    of: "merchant",
    holds: "what is being paid out to a merchant, until its bank has it or it comes back",
  },
  suspense: { type: "liability", of: "nobody", holds: "money whose owner is not decided yet" },
  "tax payable": {
    type: "liability",
    of: "nobody",
    holds: "tax that merchants paid with our fees, for the office that it is due to",
  },
  "fee revenue": { type: "income", of: "nobody", holds: "what merchants pay us for our work" },
  "wallet fee": { type: "expense", of: "connector", holds: "what a wallet keeps for its work" },
  adjustment: {
    type: "expense",
    of: "nobody",
    holds: "what wallets and banks added or took without a payment, and what was written off",
  },
  rounding: { type: "expense", of: "nobody", holds: "parts of a smallest unit that two sums differ by" },
  exchange: {
    type: "asset",
    of: "pair",
    holds: "what merchants changed of one currency for another, in each of them, until we have sold it",
  },
  "exchange gain and loss": {
    type: "income",
    of: "nobody",
    holds: "what a rate of ours and the bank's differ by",
  },
} as const satisfies Readonly<Record<string, AccountKind>>;

interface AccountKind {
  readonly type: AccountType;
  /** Whose name follows. */
  readonly of: "connector" | "bank" | "merchant" | "pair" | "nobody";
  readonly holds: string;
}

export type AccountType = "asset" | "liability" | "income" | "expense";

export type AccountName = keyof typeof chartOfAccounts;

/** The kind of an account, by the longest words of the chart that its name begins with; undefined when the chart has none. */
export function accountNameOf(account: string): AccountName | undefined {
  const names = Object.keys(chartOfAccounts) as AccountName[];
  return names
    .filter(
      (name) => account === name || (chartOfAccounts[name].of !== "nobody" && account.startsWith(`${name} `)),
    )
    .toSorted((a, b) => b.length - a.length)[0];
}

/** Whose rows of the ledger are nobody's: what moves between wallets, banks and us, and no merchant has a part in. */
export const house = "HOUSE";
