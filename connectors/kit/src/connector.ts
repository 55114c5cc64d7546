/**
 * The interface that an author of a connector implements: a mapping to one payment provider's API. The kit does the
 * rest: signatures, storage, repeats, webhooks, callbacks and polls.
 */
export interface Connector {
  /** The name and the version of the connector, as its facts state them. */
  readonly name: string;
  readonly softwareVersion: string;
  readonly facts: FactsSheet;
  /** Whether each account of a merchant has secrets of its own (default), or all use those of the operator's account. */
  readonly usesOwnSecretsForAccounts?: boolean;
  /** Whether `create` accepts a payment code of a buyer's app; without it, such an order is declined. */
  readonly acceptsPaymentCodes?: boolean;
  /** Whether `create` accepts the token of a consent; without it, such an order is declined. */
  readonly acceptsAgreementTokens?: boolean;

  /** Creates the order at the provider, with the idempotency key of the context. */
  create(order: NewOrder, context: Context): Promise<Sent<OrderReport>>;
  /** Finds the order at the provider, also after a lost answer without `providerOrderId`. */
  findOrder?(order: KnownOrder, context: Context): Promise<Found<OrderReport>>;
  /** Closes an order that is not paid, or releases a hold of which nothing was captured. */
  cancel(order: KnownOrder, context: Context): Promise<Sent<OrderReport>>;
  capture?(operation: MoneyOperation, context: Context): Promise<Sent<MoneyReport>>;
  findCapture?(operation: MoneyOperation, context: Context): Promise<Found<MoneyReport>>;
  refund?(operation: MoneyOperation, context: Context): Promise<Sent<MoneyReport>>;
  findRefund?(operation: MoneyOperation, context: Context): Promise<Found<MoneyReport>>;
  /** Absent if the provider has no disputes, or does not report them. */
  readonly disputes?: DisputeMapping;
  /** Verifies a webhook of the provider with the secrets of the account, and returns its events. */
  readWebhook(webhook: Webhook): WebhookReading;
}

/** The functions for disputes of orders. The state of a dispute makes a repeated answer harmless. */
export interface DisputeMapping {
  /** The types of evidence that the provider distinguishes. */
  readonly evidenceTypes: readonly string[];
  find(
    providerDisputeId: string,
    context: Context,
    account: string | undefined,
  ): Promise<Found<DisputeReport>>;
  accept(dispute: KnownDispute, context: Context): Promise<Sent<DisputeReport>>;
  defend(
    dispute: KnownDispute,
    evidence: readonly EvidenceDocument[],
    context: Context,
  ): Promise<Sent<DisputeReport>>;
}

export interface KnownDispute {
  readonly providerDisputeId: string;
  readonly order: KnownOrder;
}

export interface EvidenceDocument {
  readonly type: string;
  readonly format: string;
  readonly bytes: Buffer;
}

/** The state of a dispute at the provider, with the fields and values of the provider protocol. */
export interface DisputeReport {
  readonly providerDisputeId: string;
  readonly providerOrderId: string;
  readonly disputeType: "CHARGEBACK" | "RETRIEVAL_REQUEST" | "COMPLIANCE_REQUEST" | "RDR" | "FRAUD_WARNING";
  readonly state: "OPEN" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "RESOLVED";
  readonly amount: Amount;
  readonly defendable: boolean;
  readonly createdTime: string;
  readonly dueTime?: string;
  readonly reasonCode?: string;
  readonly reasonMessage?: string;
  readonly source?: string;
  readonly wantedEvidence?: readonly string[];
  /** The amount that was returned to the buyer. */
  readonly takenAmount?: Amount;
  readonly acceptReason?: string;
  readonly judgedResult?: string;
}

/** The limits of a provider. The kit adds the fields that follow from the connector's functions. */
export interface FactsSheet {
  /**
   * How long the provider recognises a repeated message by its idempotency key. Within this time the kit repeats a
   * message without an answer; afterwards it only looks it up.
   */
  readonly idempotencyWindowSeconds: number;
  /** How long after it was sent a message may still take effect at the provider. */
  readonly quietSeconds: number;
  /** How long after a message the provider's look-ups may not find its effect yet. */
  readonly lookupDelaySeconds: number;
  readonly holdSeconds?: number;
  readonly refundWindowSeconds?: number;
  readonly refunds: "NONE" | "FULL" | "ONCE" | "MANY";
  readonly captures: "NONE" | "ONE" | "MANY";
  readonly cancelPaid: "NEVER" | "DAY" | "WEEK";
  /** An empty list means all currencies. `minorUnits` states the decimals of the provider's own amounts. */
  readonly currencies: readonly { readonly currency: string; readonly minorUnits?: number }[];
  /** The payment methods of the gateway; an empty list means any. */
  readonly paymentMethodTypes: readonly string[];
  readonly wants: readonly DataGroup[];
}

export type DataGroup =
  | "buyer"
  | "device"
  | "browser"
  | "address"
  | "goods"
  | "locale"
  | "descriptor"
  | "metadata";

/** An amount as in the provider protocol: the value in the minor unit of ISO 4217, as text. */
export interface Amount {
  readonly currency: string;
  readonly value: string;
}

/** The fields of an order that never change. */
interface OrderTerms {
  /** The gateway's reference: unique forever, so it serves as the merchant's reference at the provider. */
  readonly reference: string;
  readonly paymentId: string;
  readonly merchantId: string;
  readonly account?: string;
  readonly amount: Amount;
  readonly paymentMethodType: string;
  readonly capture: "AUTOMATIC" | "MANUAL";
}

/** An order to create. The kit stores neither texts nor data nor codes of the buyer. */
export interface NewOrder extends OrderTerms {
  readonly registrationId?: string;
  readonly merchantName: string;
  readonly description: string;
  readonly expiryTime: string;
  readonly redirectUrl?: string;
  readonly paymentCode?: string;
  readonly agreementToken?: string;
  readonly data?: Readonly<Partial<Record<DataGroup, unknown>>>;
}

/** An order that was sent to the provider, as far as the kit knows it. */
export interface KnownOrder extends OrderTerms {
  /** Absent if the answer to its message was lost. */
  readonly providerOrderId?: string;
  readonly state?: OrderState;
  readonly createdAt: Date;
}

/** A capture or a refund. */
export interface MoneyOperation {
  readonly kind: "capture" | "refund";
  /** The reference of the capture or the refund, unique forever. */
  readonly reference: string;
  readonly order: KnownOrder & { readonly providerOrderId: string };
  readonly amount: Amount;
  readonly isLast: boolean;
  /** Absent if the answer to its message was lost. */
  readonly providerId?: string;
}

/** The input of every function that sends a message to the provider. */
export interface Context {
  /** The provider recognises a repeated message by this key. It is constant for one reference. */
  readonly idempotencyKey: string;
  /** The secrets of the account, by file name. */
  readonly secrets: AccountSecrets;
  readonly callProvider: CallProvider;
  readonly nowMs: number;
}

/** Each secret has one value, or two during a rotation: the first is for sending, all are valid for receiving. */
export type AccountSecrets = (name: string) => readonly [string, ...string[]];

export interface ProviderRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One HTTP exchange with the provider. `unknown` means no answer: the message may or may not have arrived. */
export type CallProvider = (request: ProviderRequest) => Promise<ProviderResponse | UnknownOutcome>;

export interface ProviderResponse {
  readonly outcome: "answered";
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

/** The outcome of a message that moves money or creates an order. */
export type Sent<Report> =
  | { readonly outcome: "reported"; readonly report: Report }
  /** The provider did not act and will not act. The code is one of the gateway's result codes with the status F. */
  | { readonly outcome: "rejected"; readonly resultCode: string }
  | UnknownOutcome;

export interface UnknownOutcome {
  readonly outcome: "unknown";
  /** A constant text for the log: it must not contain data of the response. */
  readonly reason: string;
  /** True if the provider stores this error, and returns it again for the same idempotency key. */
  readonly isStored?: boolean;
}

export type Found<Report> =
  | { readonly outcome: "found"; readonly report: Report }
  | { readonly outcome: "not found" }
  | UnknownOutcome;

export type OrderState = "OPEN" | "PENDING" | "PAID" | "AUTHORIZED" | "DECLINED" | "CLOSED" | "LAPSED";

/** The state of an order at the provider. Times have the form of `toWireTime`. */
export interface OrderReport {
  readonly providerOrderId: string;
  readonly state: OrderState;
  readonly nextAction?: object;
  readonly paidAmount?: Amount;
  readonly paidTime?: string;
  readonly holdExpiryTime?: string;
  /** Why the order was declined. */
  readonly resultCode?: string;
  readonly details?: object;
  /** After a cancel that the provider decides later. */
  readonly cancel?: { readonly state: "PROCESSING" | "FAILED"; readonly resultCode?: string };
}

/** The state of a capture or a refund at the provider. */
export interface MoneyReport {
  readonly providerId: string;
  readonly state: "PROCESSING" | "DONE" | "FAILED";
  /** The time at which the money moved; required for DONE. */
  readonly time?: string;
  readonly resultCode?: string;
}

/** A webhook as received. The signature covers the raw bytes. */
export interface Webhook {
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
  readonly secrets: AccountSecrets;
  readonly nowMs: number;
}

export type WebhookReading =
  | { readonly outcome: "forged" }
  | { readonly outcome: "verified"; readonly events: readonly WebhookEvent[] };

/**
 * One event of a webhook. The kit asks the provider about its subject. If the connector cannot look the subject up, the
 * report of the event counts.
 */
export interface WebhookEvent {
  /** The provider's id of the event, by which the kit recognises a repeat. */
  readonly eventId: string;
  readonly subject: "order" | "capture" | "refund" | "dispute";
  /** The gateway's reference of the subject, or the provider's id of it; one of the two is required. */
  readonly reference?: string;
  readonly providerId?: string;
  /** The merchant's account that the event is about, if the webhooks of all accounts have one address. */
  readonly account?: string;
  readonly report?: OrderReport | MoneyReport | DisputeReport;
}
