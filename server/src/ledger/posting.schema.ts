import { Type, type Static } from "typebox";
import { Amount, withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import { owedChange, type EffectName, type PostedTransfer } from "./transfer.ts";

export const effectMeanings: Meanings<EffectName> = {
  payment: "Payment by the buyer, or our fee on it.",
  capture: "Capture of an authorized amount, or our fee on it.",
  refund: "Refund to the buyer.",
  "refund reversal": "Refund that failed after it succeeded; the money is in your balance again.",
  cancel: "Cancel of a payment, with our fee.",
  "late success": "Money that arrived after the payment had ended; its owner is not known yet.",
  reversal: "Return of money that arrived too late.",
  "dispute freeze": "Freeze of a disputed amount.",
  "dispute release": "Release of a disputed amount to you.",
  "dispute debit": "Return of a disputed amount to the buyer.",
  "reserve hold": "Part of a settlement that is held in reserve by your contract.",
  "reserve release": "Release of a reserve to you.",
  exchange: "Conversion of a settlement into your payout currency.",
  payout: "Start of a payout to your bank account.",
  "payout paid": "Payout executed by our bank.",
  "payout failed": "Payout rejected by our bank; the money is in your balance again.",
  "payout returned": "Payout returned by your bank; the money is in your balance again.",
};

/** A double-entry posting: one amount, a debit account and a credit account. */
export const Posting = Type.Object(
  {
    subjectId: withDescription(Id, "Id of the payment, capture, refund or other record that caused it."),
    effect: OneOf(effectMeanings, "Effect on the record."),
    debitAccount: Type.String({ maxLength: 128, description: "Debit account." }),
    creditAccount: Type.String({ maxLength: 128, description: "Credit account." }),
    amount: withDescription(Amount, "Amount of the posting."),
    owedChange: Type.String({
      pattern: "^-?[0-9]{1,38}$",
      "x-digits": true,
      description: "Change of your balance, in minor units; zero if it does not affect your balance.",
    }),
    time: withDescription(Time, "Time of the posting."),
  },
  { title: "Posting", description: "A row of the ledger." },
);

export function toPosting(transfer: PostedTransfer, clientId: string): Static<typeof Posting> {
  const { subjectId, effect, debit, credit, amount, at } = transfer;
  return {
    subjectId,
    effect,
    debitAccount: debit,
    creditAccount: credit,
    amount: toAmount(amount),
    owedChange: String(owedChange(transfer, clientId)),
    time: toTime(at),
  };
}
