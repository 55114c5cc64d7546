import { allBankAdversities, type BankAdversity } from "../../server/test/bank/bank-adversity.ts";

/** What happens to the operator while payouts are made. One of them comes on each day with payouts. */
export const operatorAdversities = {
  "killed-run": "a payout run is killed, its file is carried to the bank, and it is run again",
  "two-runs": "two payout runs at once",
  "ended-account": "a merchant's bank account is ended while a payout run is interrupted",
  "suspended-merchant": "a merchant is suspended during a payout run, and active again afterwards",
} as const;

/** Switched on by name only: each depends on a part of the gateway that has an interface of its own. */
export const optionalAdversities = {
  restore: "the database is restored to the moment before a payout run whose file the bank has",
  "moved-merchant": "a merchant moves to another cell between a file and the bank's answer",
} as const;

export type OperatorAdversity = keyof typeof operatorAdversities | keyof typeof optionalAdversities;
export type Adversity = BankAdversity | OperatorAdversity;

const usual: readonly Adversity[] = [
  ...allBankAdversities,
  ...(Object.keys(operatorAdversities) as OperatorAdversity[]),
];
const known: readonly Adversity[] = [...usual, ...(Object.keys(optionalAdversities) as OperatorAdversity[])];

/** `readAdversities` gives the adversities that are named, `none`, or `all` and what is named besides; without a name all of them. */
export function readAdversities(words: readonly string[]): ReadonlySet<Adversity> {
  const named = words.filter((word) => word !== "none" && word !== "all");
  for (const word of named)
    if (!known.some((name) => name === word))
      throw new Error(`There is no adversity ${word}. There are: none, all, ${known.join(", ")}.`);
  const isAll = words.length === 0 || words.includes("all");
  return new Set([...(isAll ? usual : []), ...(named as Adversity[])]);
}
