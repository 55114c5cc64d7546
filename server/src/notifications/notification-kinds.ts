/** Facts of one kind of notification (webhook): what it reports, who writes it, and how readers find it. */
interface KindFacts {
  /** The English name in the portal. */
  readonly label: string;
  /** The event that the webhook reports, as the API's filters and the feed describe it. */
  readonly meaning: string;
  /** The request field that sets the webhook's URL. Without this field, the URL that is set for the kind is used. */
  readonly urlField?: string;
  /** Paths of the operations whose outcome the webhook reports. */
  readonly operations?: readonly string[];
  /** Search terms of merchants in the documentation. */
  readonly search: string;
  /**
   * The writer of the webhook. `finance` means staff commands: the policy `notifications_of_finance` must name the kind,
   * and no merchant can trigger it.
   */
  readonly writtenBy: "gateway" | "finance";
}

/**
 * The table of all kinds of webhook. The union, schemas, filters, portal, command line, documents and client libraries
 * are derived from it. `catalog/notifications.ts` adds each body, and the compiler rejects a kind without one.
 */
const kindTable = {
  notifyPayment: {
    label: "Payment",
    meaning: "The result of a payment, or that it is pending.",
    urlField: "paymentNotifyUrl",
    operations: ["payments/pay", "payments/createPaymentSession"],
    search: "payment succeeded failed webhook paid",
    writtenBy: "gateway",
  },
  notifyAuthorization: {
    label: "Authorization",
    meaning: "A buyer's consent, its token, and its end.",
    urlField: "authNotifyUrl",
    operations: ["authorizations/consult", "authorizations/applyToken"],
    search: "token created cancelled by buyer webhook",
    writtenBy: "gateway",
  },
  notifyRefund: {
    label: "Refund",
    meaning: "The result of a refund.",
    urlField: "refundNotifyUrl",
    operations: ["payments/refund"],
    search: "refund finished webhook",
    writtenBy: "gateway",
  },
  notifyCapture: {
    label: "Capture",
    meaning: "The result of a capture.",
    urlField: "paymentNotifyUrl",
    operations: ["payments/capture"],
    search: "capture finished webhook",
    writtenBy: "gateway",
  },
  notifyDispute: {
    label: "Dispute",
    meaning: "A change of a dispute.",
    operations: ["payments/acceptDispute", "payments/supplyDefenseDocument"],
    search: "chargeback opened webhook dispute new",
    writtenBy: "gateway",
  },
  notifyRegistrationStatus: {
    label: "Store registration",
    meaning: "A payment provider's decision about a store.",
    urlField: "registrationNotifyURL",
    operations: ["merchants/registration"],
    search: "store accepted webhook",
    writtenBy: "gateway",
  },
  notifyPayout: {
    label: "Payout",
    meaning: "A change of a payout.",
    search: "settlement paid out bank transfer returned webhook",
    writtenBy: "finance",
  },
  notifyBankAccount: {
    label: "Bank account",
    meaning: "A change of a bank account for your payouts.",
    search: "IBAN changed approved webhook",
    writtenBy: "finance",
  },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type NotificationKind = keyof typeof kindTable;

export const notificationKinds = Object.keys(kindTable) as NotificationKind[];

/** Each kind with its facts, in the order of the table. */
export const kindFacts = Object.entries(kindTable) as (readonly [NotificationKind, KindFacts])[];

/** Maps each kind of webhook to its meaning. */
export const kindMeanings = Object.fromEntries(
  kindFacts.map(([kind, { meaning }]) => [kind, meaning]),
) as Readonly<Record<NotificationKind, string>>;
