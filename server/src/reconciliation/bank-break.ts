import {
  transitDaysMax,
  isOverdue,
  type BankLine,
  type ExpectedEntry,
  type PairingResult,
} from "../bank/bank-pairing.ts";
import type { Break } from "./break.ts";

/** Times up to which imported files are complete. Later movements may still be reported. */
export interface ReportedUntil {
  /** Bank statements; absent without one. */
  readonly bankStatements: Date | undefined;
  /** The latest end of all files, including the providers' files. */
  readonly allFiles: Date | undefined;
}

/**
 * Days after which a debit at the bank must be explained. Banks report their own charges at once; providers write their
 * files when the money has already arrived.
 */
const daysOfDebits = 1;

/** Returns the breaks between the account `clearing` and the bank entries. */
export function bankBreaksOf(
  { pairs, expected, lines }: PairingResult,
  until: ReportedUntil,
): readonly Break[] {
  return [
    ...pairs.flatMap(({ expected: each, line }): Break[] =>
      each.amount.minor === line.amount.minor
        ? []
        : [
            {
              ...expectedBreak(each),
              kind: "other amount at the bank",
              sums: { ...expectedBreak(each).sums, bank: line.amount },
            },
          ],
    ),
    ...expected.filter(({ at }) => isOverdue(at, until.bankStatements, transitDaysMax)).map(expectedBreak),
    ...lines
      .filter(({ at, amount }) =>
        isOverdue(at, until.allFiles, amount.minor < 0n ? daysOfDebits : transitDaysMax),
      )
      .map(lineBreak),
  ];
}

function expectedBreak({ connector, reference, amount, at }: ExpectedEntry): Break {
  return {
    kind: "not at the bank",
    connector,
    subject: "payout",
    reference,
    paymentId: undefined,
    currency: amount.currency,
    // The amount is from the provider's file for a provider's payout, and from the ledger for our own payouts.
    sums: connector === undefined ? { ledger: amount } : { provider: amount },
    at,
  };
}

function lineBreak({ bank, entryReference, amount, at }: BankLine): Break {
  return {
    kind: "only at the bank",
    connector: undefined,
    subject: `bank ${bank}`,
    reference: entryReference,
    paymentId: undefined,
    currency: amount.currency,
    sums: { bank: amount },
    at,
  };
}
