import { Type } from "typebox";
import type { AccountChangeType } from "../settlement/payouts/bank-account-notification.ts";
import type { PayoutChangeType } from "../settlement/payouts/payout-notification.ts";
import { Amount, withDescription, forms, Id, OneOf, Text, Time, type Meanings } from "../contract/schemas.ts";
import { sequence, type WebhookSchema } from "./webhook-kind.ts";
import type { NotificationKind } from "../notifications/notification-kinds.ts";

const payoutNotificationTypes: Meanings<PayoutChangeType> = {
  PAYOUT_SENT: "Our bank was instructed to pay it.",
  PAYOUT_PAID: "Our bank has paid it.",
  PAYOUT_FAILED: "Our bank could not pay it; it is paid again.",
  PAYOUT_RETURNED: "It was paid, and your bank returned it; it is paid again.",
};

const bankAccountNotificationTypes: Meanings<AccountChangeType> = {
  ACCOUNT_REQUESTED:
    "The operator has entered the bank account. It gets no payouts before another person has approved it.",
  ACCOUNT_APPROVED: "Another person has approved it. Payouts to it start at `usableTime`.",
  ACCOUNT_REFUSED: "It was withdrawn or rejected before its approval.",
  ACCOUNT_ENDED: "It no longer gets payouts.",
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

/** The bodies of webhooks about payouts and bank accounts. */
export const payoutNotifications = {
  notifyPayout: {
    summary: "A payout was instructed, was paid, failed, or was returned.",
    body: Type.Object({
      payoutNotificationType: OneOf(payoutNotificationTypes, "What happened."),
      payoutId: withDescription(
        Id,
        "The gateway's id of the payout, which your bank shows as the end-to-end id.",
      ),
      batchId: withDescription(Id, "The batch that it pays. `tollgate/inquirySettlements` lists its items."),
      payoutAmount: withDescription(Amount, "How much."),
      payoutReasonCode: Type.Optional(
        Text(35, "Why it was not paid, as the bank's reason code (ISO 20022)."),
      ),
      payoutTime: withDescription(Time, "When the gateway received the bank's report."),
      sequence,
    }),
    example: payoutExample,
    moreExamples: [
      {
        title: "Your bank returned it",
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
  notifyBankAccount: {
    summary:
      "A bank account for your payouts was entered, approved, rejected or ended. If none of your people requested it, call the operator.",
    body: Type.Object({
      bankAccountNotificationType: OneOf(bankAccountNotificationTypes, "What happened."),
      bankAccountId: withDescription(Id, "The gateway's id of the bank account."),
      currency: Type.String({ pattern: forms.currency, description: "For payouts in this currency." }),
      holder: Text(140, "Whose it is."),
      ibanInPart: Text(11, "The first and the last four characters of the IBAN."),
      usableTime: Type.Optional(withDescription(Time, "When payouts to it start.")),
      bankAccountTime: withDescription(Time, "When it happened."),
      sequence,
    }),
    example: accountExample,
    moreExamples: [
      {
        title: "Another person has approved it",
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
} satisfies Partial<Readonly<Record<NotificationKind, WebhookSchema>>>;
