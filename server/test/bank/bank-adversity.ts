import type { Random } from "./seeded-random.ts";

/** Adversities of a single payout at the bank. */
export const payoutAdversities = {
  rejected: "the bank rejects a single transaction (AC01, AC04, AG01)",
  returned: "the payee's bank returns the full amount with a return reason",
  "returned-without-code": "the full amount is returned without a return reason",
  "partly-returned": "the amount comes back less charges, with a return reason",
  "partly-returned-without-code": "the amount is returned minus charges, without a return reason",
  charge: "the bank books its charge under the payout's reference",
  "charge-given-back": "the bank books a charge, and gives it back two days later",
  reversed: "the bank books a debit, reverses it (RvslInd) and books it again on the same day",
  "reversed-later": "the same, one entry a day",
} as const;

/** How the bank responds to a payment file (pain.002). */
export const statusReportAdversities = {
  "late-answer": "the status report comes one to three days later",
  "repeated-answer": "the status report comes again on the next day",
  "split-answer": "the status report comes in several files",
  "two-step-answer": "the bank reports ACSP first, and ACSC on the next day",
} as const;

/** How the bank delivers the daily statement (camt.053). */
export const statementAdversities = {
  "late-statement": "the statement comes one or two days later",
  "repeated-statement": "the same file is sent again on the next day",
  "reissued-statement": "the same statement is sent again in another file",
  "split-statement": "the statement comes in two parts with chained balances",
  "corrected-statement":
    "a statement lacks an entry; the next day the same id comes with it, and the next statement has it too",
} as const;

/** Adversities of all bookings and messages of the bank. */
const bookingAdversities = {
  "batch-booking": "all payouts of a file are one entry with several transactions",
  "reused-reference": "an entry has the AcctSvcrRef of an entry of the day before",
  notification: "a camt.054 announces the entries of the day",
  "shuffled-messages": "messages of a day come in any order",
  "late-month-end": "the statement of a month's last day comes in the next month",
} as const;

const bankAdversities = {
  ...payoutAdversities,
  ...statusReportAdversities,
  ...statementAdversities,
  ...bookingAdversities,
};
export type BankAdversity = keyof typeof bankAdversities;

export const allBankAdversities = Object.keys(bankAdversities) as readonly BankAdversity[];

/**
 * `newAdversityChooser` draws one of the enabled kinds. Kinds that have not occurred yet come first, so that a short run has
 * each.
 */
export function newAdversityChooser<Kind extends string>(
  kinds: Readonly<Record<Kind, string>>,
  enabled: ReadonlySet<string>,
  probability: number,
): (random: Random) => Kind | undefined {
  const usable = (Object.keys(kinds) as Kind[]).filter((kind) => enabled.has(kind));
  const pending = [...usable];
  return (random) => {
    if (usable.length === 0) return undefined;
    if (pending.length > 0 && random.chance(0.5)) return pending.shift();
    return random.chance(probability) ? random.pick(usable) : undefined;
  };
}
