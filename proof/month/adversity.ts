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

const allAdversities: readonly Adversity[] = [
  ...allBankAdversities,
  ...(Object.keys(operatorAdversities) as OperatorAdversity[]),
];

/** `readAdversities` returns the named adversities; all of them for `all` and without a name. */
export function readAdversities(args: readonly string[]): ReadonlySet<Adversity> {
  const selected = args.filter((arg) => arg !== "none" && arg !== "all");
  for (const arg of selected)
    if (!allAdversities.some((name) => name === arg))
      throw new Error(`There is no adversity ${arg}. Known: none, all, ${allAdversities.join(", ")}.`);
  const isAll = args.length === 0 || args.includes("all");
  return new Set([...(isAll ? allAdversities : []), ...(selected as Adversity[])]);
}
