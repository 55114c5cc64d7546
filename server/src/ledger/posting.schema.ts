import { Type, type Static } from "typebox";
import { Amount, described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { EffectName, PostedTransfer } from "./transfer.ts";

const effectsInWords: Meanings<EffectName> = {
  payment: "The buyer paid, or our fee on it.",
  capture: "Held money was taken, or our fee on it.",
  refund: "The buyer got money back.",
  cancel: "A payment was undone, our fee included.",
  "late success": "Money came after the payment had ended, and nobody's yet.",
  reversal: "Money that came too late went back.",
  "dispute freeze": "Disputed money is kept back.",
  "dispute release": "Disputed money is yours after all.",
  "dispute debit": "Disputed money went back to the buyer.",
};

/** Double entry: one amount, one account that is debited with it, and one that is credited. */
export const Posting = Type.Object(
  {
    subjectId: described(Id, "The payment, capture, refund or other record that caused it."),
    effect: OneOf(effectsInWords, "What happened to the record."),
    debitAccount: Type.String({ maxLength: 128, description: "The account that is debited." }),
    creditAccount: Type.String({ maxLength: 128, description: "The account that is credited." }),
    amount: described(Amount, "How much moved from the one to the other."),
    time: described(Time, "When it was posted."),
  },
  { title: "Posting", description: "A row of the ledger." },
);

export function toPosting({
  subjectId,
  effect,
  debit,
  credit,
  amount,
  at,
}: PostedTransfer): Static<typeof Posting> {
  return {
    subjectId,
    effect,
    debitAccount: debit,
    creditAccount: credit,
    amount: toAmount(amount),
    time: toTime(at),
  };
}
