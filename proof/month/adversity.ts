import { allBankAdversities, type BankAdversity } from "../../server/test/bank/bank-adversity.ts";

/** What happens to the operator while payouts are made. One of them comes on each day with payouts. */
export const operatorAdversities = {
  "killed-run": "a payout run is killed, its file is carried to the bank, and it is run again",
  "two-runs": "two payout runs at once",
  "ended-account": "a merchant's bank account is ended while a payout run is interrupted",
  "suspended-merchant": "a merchant is suspended during a payout run, and active again afterwards",
  restore: "the database is restored to the moment before a payout run whose files the bank has",
} as const;

export type OperatorAdversity = keyof typeof operatorAdversities;
export type Adversity = BankAdversity | OperatorAdversity;

const known: readonly Adversity[] = [
  ...allBankAdversities,
  ...(Object.keys(operatorAdversities) as OperatorAdversity[]),
];

/** `readAdversities` returns the adversities that are named; all of them for `all` and without a name. */
export function readAdversities(words: readonly string[]): ReadonlySet<Adversity> {
  const named = words.filter((word) => word !== "none" && word !== "all");
  for (const word of named)
    if (!known.some((name) => name === word))
      throw new Error(`There is no adversity ${word}. There are: none, all, ${known.join(", ")}.`);
  const isAll = words.length === 0 || words.includes("all");
  return new Set([...(isAll ? known : []), ...(named as Adversity[])]);
}
