import { allBankAdversities, type BankAdversity } from "../../server/test/bank/bank-adversity.ts";

/** Faults on the operator's side during payouts. On each payout day, one of these faults occurs. */
export const operatorAdversities = {
  "killed-run": "a payout run is killed, its file is sent to the bank, and the run is repeated",
  "two-runs": "two payout runs at once",
  "ended-account": "a merchant's bank account is closed while a payout run is interrupted",
  "suspended-merchant": "a merchant is suspended during a payout run, and active again afterwards",
  restore: "the database is restored to the moment before a payout run whose files the bank has",
} as const;

export type OperatorAdversity = keyof typeof operatorAdversities;
export type Adversity = BankAdversity | OperatorAdversity;

const known: readonly Adversity[] = [
  ...allBankAdversities,
  ...(Object.keys(operatorAdversities) as OperatorAdversity[]),
];

/** `readAdversities` returns the named adversities; all of them for `all` and without a name. */
export function readAdversities(words: readonly string[]): ReadonlySet<Adversity> {
  const named = words.filter((word) => word !== "none" && word !== "all");
  for (const word of named)
    if (!known.some((name) => name === word))
      throw new Error(`There is no adversity ${word}. Known: none, all, ${known.join(", ")}.`);
  const isAll = words.length === 0 || words.includes("all");
  return new Set([...(isAll ? known : []), ...(named as Adversity[])]);
}
