import { Type } from "typebox";
import type { AccountNews } from "../settlement/bank-account-notification.ts";
import type { PayoutNews } from "../settlement/payout-notification.ts";
import { Amount, described, forms, Id, OneOf, Text, Time, type Meanings } from "./schemas.ts";
import { sequence, type ToldNews } from "./told-news.ts";

const payoutNews: Meanings<PayoutNews> = {
  PAYOUT_SENT: "Our bank was told to pay it.",
  PAYOUT_PAID: "Our bank has paid it.",
  PAYOUT_FAILED: "Our bank could not pay it; it is paid again.",
  PAYOUT_RETURNED: "It was paid, and your bank sent it back; it is paid again.",
};

const accountNews: Meanings<AccountNews> = {
  ACCOUNT_REQUESTED:
    "Somebody at your provider has entered it. Nothing is paid to it before a second person has approved it.",
  ACCOUNT_APPROVED: "A second person has approved it: from `usableTime` on you are paid there.",
  ACCOUNT_REFUSED: "It was taken back before anybody approved it.",
  ACCOUNT_ENDED: "You are not paid there any more.",
};

const payoutExample = {
  payoutNotificationType: "PAYOUT_PAID",
  payoutId: "20261117010000000047612904415082637",
  batchId: "20261116160500000047611530017744120",
  payoutAmount: { currency: "EUR", value: "120300" },
  payoutTime: "2026-11-17T09:12:44+00:00",
  sequence: 2,
};

const accountExample = {
  bankAccountNotificationType: "ACCOUNT_REQUESTED",
  bankAccountId: "20261117080000000047614904415082637",
  currency: "EUR",
  holder: "Coffee GmbH",
  ibanInPart: "DE89 … 3000",
  bankAccountTime: "2026-11-17T08:00:00+00:00",
  sequence: 1,
};

/** What becomes of the money that is paid out, and of where it goes. */
export const payoutNotifications: readonly ToldNews[] = [
  {
    kind: "notifyPayout",
    summary: "A payout was given to the bank, was paid, could not be paid, or came back.",
    body: Type.Object({
      payoutNotificationType: OneOf(payoutNews, "What happened."),
      payoutId: described(Id, "Our name for it, which your bank shows as the end-to-end id."),
      batchId: described(Id, "The batch that it pays: `tollgate/inquirySettlements` has what it is made of."),
      payoutAmount: described(Amount, "How much."),
      payoutReasonCode: Type.Optional(Text(35, "Why it was not paid, in the bank's word (ISO 20022).")),
      payoutTime: described(Time, "When we learned of it."),
      sequence,
    }),
    example: payoutExample,
    scenes: [
      {
        title: "Your bank sent it back",
        body: {
          ...payoutExample,
          payoutNotificationType: "PAYOUT_RETURNED",
          payoutReasonCode: "AC04",
          payoutTime: "2026-11-19T10:40:02+00:00",
          sequence: 3,
        },
      },
    ],
  },
  {
    kind: "notifyBankAccount",
    summary:
      "A bank account to pay you was entered, approved, refused or ended. Did nobody of yours ask for it? Call us.",
    body: Type.Object({
      bankAccountNotificationType: OneOf(accountNews, "What happened."),
      bankAccountId: described(Id, "Our name for it."),
      currency: Type.String({ pattern: forms.currency, description: "For payouts in this currency." }),
      holder: Text(140, "Whose it is."),
      ibanInPart: Text(11, "The first and the last four characters of the IBAN."),
      usableTime: Type.Optional(described(Time, "From when on you are paid there.")),
      bankAccountTime: described(Time, "When it happened."),
      sequence,
    }),
    example: accountExample,
    scenes: [
      {
        title: "A second person has approved it",
        body: {
          ...accountExample,
          bankAccountNotificationType: "ACCOUNT_APPROVED",
          usableTime: "2026-11-20T09:00:00+00:00",
          bankAccountTime: "2026-11-17T09:00:00+00:00",
          sequence: 2,
        },
      },
    ],
  },
];
