import { Type, type Static } from "typebox";
import { Amount, described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import { owedChange, type EffectName, type PostedTransfer } from "./transfer.ts";

export const effectsInWords: Meanings<EffectName> = {
  payment: "The buyer paid, or our fee on it.",
  capture: "Held money was taken, or our fee on it.",
  refund: "The buyer got money back.",
  cancel: "A payment was undone, our fee included.",
  "late success": "Money came after the payment had ended, and nobody's yet.",
  reversal: "Money that came too late went back.",
  "dispute freeze": "Disputed money is kept back.",
  "dispute release": "Disputed money is yours after all.",
  "dispute debit": "Disputed money went back to the buyer.",
  "reserve hold": "Part of a settlement is kept back for a time, as your contract says.",
  "reserve release": "What was kept back is yours.",
  exchange: "What a settlement comes to was changed into the currency that you are paid in.",
  payout: "A payout to your bank account began.",
  "payout paid": "Our bank has paid it.",
  "payout failed": "Our bank could not pay it; the money is yours as before.",
  "payout returned": "Your bank has sent it back; the money is yours as before.",
};

/** Double entry: one amount, one account that is debited with it, and one that is credited. */
export const Posting = Type.Object(
  {
    subjectId: described(Id, "The payment, capture, refund or other record that caused it."),
    effect: OneOf(effectsInWords, "What happened to the record."),
    debitAccount: Type.String({ maxLength: 128, description: "The account that is debited." }),
    creditAccount: Type.String({ maxLength: 128, description: "The account that is credited." }),
    amount: described(Amount, "How much moved from the one to the other."),
    owedChange: Type.String({
      pattern: "^-?[0-9]{1,38}$",
      "x-digits": true,
      description:
        "What it changes in what we owe you, in the currency's smallest unit; zero if it is nothing of yours.",
    }),
    time: described(Time, "When it was posted."),
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
