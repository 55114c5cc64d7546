import { daysOnTheWay, isOverdue, type BankLine, type Expected, type Paired } from "../bank/bank-match.ts";
import type { Break } from "./break.ts";

/** Up to when files reach. What is later may be told yet. */
export interface ToldUntil {
  /** Statements of banks; absent without one. */
  readonly banks: Date | undefined;
  /** Whatever reaches furthest, files of wallets included. */
  readonly anybody: Date | undefined;
}

/** Banks book their charges, and tell at once; wallets write their files when the money is already there. */
const daysOfDebits = 1;

/** The breaks between what is in clearing and what banks have booked. */
export function bankBreaksOf({ pairs, expected, lines }: Paired, until: ToldUntil): readonly Break[] {
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
    ...expected.filter(({ at }) => isOverdue(at, until.banks, daysOnTheWay)).map(expectedBreak),
    ...lines
      .filter(({ at, amount }) =>
        isOverdue(at, until.anybody, amount.minor < 0n ? daysOfDebits : daysOnTheWay),
      )
      .map(lineBreak),
  ];
}

function expectedBreak({ connector, reference, amount, at }: Expected): Break {
  return {
    kind: "not at the bank",
    connector,
    subject: "payout",
    reference,
    paymentId: undefined,
    currency: amount.currency,
    // A wallet has told of its own; ours are only in the ledger.
    sums: connector === undefined ? { ledger: amount } : { wallet: amount },
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
