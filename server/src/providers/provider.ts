import type { BeforeSend } from "../core/before-send.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { AcceptReason, DisputeType, EvidenceType, JudgedResult } from "./dispute-values.ts";
import type { DataGroup } from "./provider-facts.ts";
import type { NextAction } from "./next-action.ts";
import type { OrderDetails } from "./order-details.ts";

/** A provider's report on an order. */
export type OrderReport = OrderState & Versioned & ReportedOrder;

/** Optional fields of every order report. A report with another payment or amount decides nothing. */
interface ReportedOrder {
  readonly paymentId?: string;
  readonly amount?: Money;
  /** The state of the newest cancel of the order; undefined if the order was never cancelled. */
  readonly cancel?: CancelReport;
  /** The usable details of the order. Only the report that settles the payment stores them. */
  readonly details?: OrderDetails;
  /** Set if the details contained a possible card number, which was dropped. */
  readonly hasCardNumber?: true;
}

/**
 * The state of a cancel. PROCESSING: the provider accepted the cancel and has not closed the order yet. FAILED: the
 * order is not closed, and the next cancel is a new attempt.
 */
export type CancelReport =
  | { readonly state: "PROCESSING" | "DONE" }
  | { readonly state: "FAILED"; readonly resultCode: ResultCode };

/** The version of a state, by which the newer of two reports is recognised. */
interface Versioned {
  readonly sequence?: number;
}

type OrderState =
  /** The provider has accepted the order, and the buyer can pay it. */
  | { readonly state: "OPEN"; readonly nextAction: NextAction | undefined }
  /** The buyer has approved; the provider has not decided yet. */
  | { readonly state: "PENDING" }
  | { readonly state: "PAID"; readonly amount: Money; readonly paidAmount: Money; readonly paidAt: Date }
  /** The provider holds the money for the merchant, until it is captured or the order is cancelled. */
  | {
      readonly state: "AUTHORIZED";
      readonly amount: Money;
      readonly paidAmount: Money;
      readonly paidAt: Date;
      /** When the provider releases the money, if it says so. */
      readonly holdExpiresAt?: Date;
    }
  | { readonly state: "DECLINED"; readonly resultCode: ResultCode }
  /** Only in a response to a submit: the provider refused the order, and the order's state is unchanged. */
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** A final state: the order is not paid, and cannot be paid any more. */
  | { readonly state: "CLOSED" }
  /** A final state: the authorization hold expired at the provider, and what was not captured belongs to the buyer. */
  | { readonly state: "LAPSED" }
  /** The provider does not know the reference. */
  | { readonly state: "NOT_FOUND" }
  /** Nothing was asked: the provider does not answer this inquiry. */
  | { readonly state: "NO_QUERY" }
  /** The provider has done something else under the reference. */
  | { readonly state: "INCONSISTENT" };

/** A merchant and its account at the provider, by which a provider with separate accounts finds an order. */
export interface MerchantAccount {
  /** The merchant's client id. */
  readonly merchantId: string;
  /** The provider's reference of the account; undefined if the merchant has none at this connector. */
  readonly account: string | undefined;
}

/** For whom the provider collects an order. It stays as submitted, even if the merchant's account changes later. */
export interface OrderOwner extends MerchantAccount {
  /** The provider's own id of the approved registration of the merchant or the store. */
  readonly registrationId: string | undefined;
}

export interface NewOrder {
  readonly reference: string;
  readonly owner: OrderOwner;
  readonly paymentId: string;
  readonly merchantName: string;
  readonly description: string;
  readonly amount: Money;
  readonly paymentMethodType: string;
  /** Deadline: the provider refuses an order that arrives later, so that a delayed message cannot take effect. */
  readonly notAfter: Date;
  /** Time until which the buyer may pay the order. */
  readonly expiresAt: Date;
  readonly redirectUrl: string | undefined;
  /** How the money is collected. MANUAL: it is authorized, and collected only by captures. */
  readonly captureMode: "AUTOMATIC" | "MANUAL";
  /** The code from the buyer's app that the point of sale scanned. With this code the order is paid immediately. */
  readonly paymentCode: string | undefined;
  /** The token of the buyer's agreement. With this token the order is paid immediately, too. */
  readonly agreementToken?: string;
  /** The groups of data that the connector wants, as far as they are known. */
  readonly data?: OrderData;
}

/** Optional data of an order by group, with the field names of the merchants' interface. */
export type OrderData = { readonly [Group in DataGroup]?: object };

/** Finds an order at the provider. */
export interface OrderKey {
  readonly reference: string;
  /** Undefined for a probe of the connection, which is about no order. */
  readonly owner: OrderOwner | MerchantAccount | undefined;
}

/** Closes an order, or releases its authorization hold. */
export interface CancelOrder extends OrderKey {
  readonly owner: OrderOwner;
  /** Deadline, as for a new order. */
  readonly notAfter: Date;
}

/** Captures all or part of an order's authorized amount. */
export interface CaptureOrder extends CancelOrder {
  readonly captureReference: string;
  readonly amount: Money;
  /** Whether this is the last capture: the provider may release the rest of the hold immediately. */
  readonly isLast: boolean;
}

/** The content of a capture request that every report of it must repeat. */
export type RequestedCapture = Pick<CaptureOrder, "reference" | "captureReference" | "amount">;

/**
 * How a report differs from the request: in the amount or its currency, the order's reference, or the capture's or
 * refund's own reference (`moneyReference`).
 */
export interface MoneyMismatch {
  readonly state: "MISMATCH";
  readonly field: "amount" | "reference" | "moneyReference";
}

/** A provider's report on a capture or a refund. */
export type MoneyReport =
  | { readonly state: "DONE" }
  | MoneyMismatch
  /** The provider has accepted the request, and has not moved the money yet. */
  | { readonly state: "PROCESSING" }
  /**
   * The provider could not carry out the request that it had accepted. A refund can become FAILED after DONE, when the
   * buyer's bank returns the money.
   */
  | { readonly state: "FAILED"; readonly resultCode: ResultCode }
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only in a response to an inquiry: the provider accepted nothing with this reference. */
  | { readonly state: "NOT_FOUND" }
  /** Nothing was asked: the provider does not answer this inquiry. */
  | { readonly state: "NO_QUERY" };

export interface RefundOrder extends CancelOrder {
  readonly refundReference: string;
  readonly amount: Money;
}

/** The content of a refund request that every report of it must repeat. */
export type RequestedRefund = Pick<RefundOrder, "reference" | "refundReference" | "amount">;

/** A merchant or store that registers with the provider. */
export interface NewRegistration {
  readonly reference: string;
  /** The merchant's own id of the registration. */
  readonly registrationRequestId: string;
  readonly productCodes: readonly string[];
  readonly merchant: object;
  readonly store: object | undefined;
  readonly passThroughInfo: string | undefined;
}

export type RegistrationReport =
  | { readonly state: "PROCESSING" }
  | { readonly state: "APPROVED"; readonly providerRegistrationId: string | undefined }
  | { readonly state: "REJECTED"; readonly rejectReasons: readonly string[] }
  /** The provider needs no registration: its buyers can pay every merchant. */
  | { readonly state: "NOT_NEEDED" }
  /** Only in a response to an inquiry: the provider does not know the registration. */
  | { readonly state: "NOT_FOUND" }
  /** Nothing was asked: the provider does not answer this inquiry. */
  | { readonly state: "NO_QUERY" };

/** The consent that a merchant requests from a buyer. */
export interface NewAuthorization {
  readonly reference: string;
  readonly owner: MerchantAccount;
  readonly authorizationId: string;
  readonly merchantName: string;
  readonly scopes: readonly string[];
  readonly authState: string;
  readonly redirectUrl: string;
  /** Time until which the buyer may agree. */
  readonly expiresAt: Date;
}

/** Finds a consent at the provider. */
export type ConsentKey = Pick<NewAuthorization, "reference" | "owner">;

export type AuthorizationReport = AuthorizationState & Versioned;

type AuthorizationState =
  /** The consent page is ready, and the buyer has not decided. */
  | { readonly state: "OPEN"; readonly url: string | undefined }
  /** The buyer has agreed, and the code is not exchanged yet. */
  | { readonly state: "AGREED"; readonly url: string | undefined; readonly authCode: string }
  /** The code was exchanged. */
  | { readonly state: "ACTIVE" }
  | { readonly state: "DECLINED" }
  /** The buyer has cancelled the consent. */
  | { readonly state: "CANCELED"; readonly reason: string | undefined }
  | { readonly state: "REVOKED" }
  /** The provider does not support agreements. */
  | { readonly state: "NOT_SUPPORTED" }
  | { readonly state: "NOT_FOUND" };

/** The provider's response to the exchange of a code. */
export type ExchangeReport =
  | {
      readonly state: "DONE";
      /** The reference of the consent that the code belongs to. */
      readonly reference: string;
      readonly agreementToken: string;
      readonly userLoginId: string | undefined;
    }
  | { readonly state: "REFUSED"; readonly resultCode: "INVALID_AUTHCODE" | "AUTH_CODE_EXPIRED" };

export const disputeStates = ["OPEN", "DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED", "RESOLVED"] as const;

/** A provider's report on a dispute. A dispute that takes no answer of the merchant is RESOLVED in its first report. */
export interface DisputeReport {
  readonly providerDisputeId: string;
  /** The reference of the disputed order. */
  readonly reference: string;
  /** The payment of that order, if the provider sends it. */
  readonly paymentId?: string;
  readonly type: DisputeType;
  readonly state: (typeof disputeStates)[number];
  /** Version of the dispute's state: a lower version than the stored one is stale. */
  readonly sequence: number;
  readonly amount: Money;
  readonly reasonCode: string;
  readonly reasonMessage: string;
  readonly source: string;
  readonly defendable: boolean;
  /** The types of evidence that the provider wants for a defense; empty if it does not say. */
  readonly wantedEvidence: readonly EvidenceType[];
  readonly createdAt: Date;
  /** When the dispute entered this state. */
  readonly changedAt: Date;
  readonly dueAt: Date | undefined;
  /** The amount that the dispute has returned to the buyer. */
  readonly takenAmount: Money | undefined;
  readonly acceptReason: AcceptReason | undefined;
  readonly judgedResult: JudgedResult | undefined;
  /** Whether the provider refused the merchant's answer. */
  readonly refused: boolean;
}

/** Finds a dispute at the provider. */
export interface DisputeKey {
  readonly providerDisputeId: string;
  /** The owner of the disputed order. */
  readonly owner: MerchantAccount;
}

/** A merchant's answer to a dispute. The reference is its idempotency key, the same in every retry. */
export interface DisputeAnswer extends DisputeKey {
  readonly answerReference: string;
  readonly reason: string;
}

export interface DisputeDefense extends DisputeAnswer {
  /** The documents; empty if the payment was fully refunded, because then no document is needed. */
  readonly evidence: readonly EvidenceDocument[];
}

/** A document for the defense of a dispute, as the provider receives it. */
export interface EvidenceDocument {
  readonly type: EvidenceType;
  readonly format: "PDF" | "WORD" | "ZIP" | "JPG";
  /** The document in Base64. */
  readonly content: string;
  /** The SHA-256 of the document's bytes in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * The client of one payment provider. Every method may throw ProviderUnreachable or ProviderUnclear, which mean that
 * the outcome is unknown. An inquiry can always be retried. A request that acts can be retried only if the provider is
 * idempotent, so it takes `beforeSend`.
 */
export interface Provider {
  readonly connector: string;
  submit(order: NewOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<OrderReport>;
  inquire(order: OrderKey, signal: AbortSignal): Promise<OrderReport>;
  /**
   * Closes an order that is open, or authorized without captures. An unknown reference is closed permanently as well.
   */
  cancel(order: CancelOrder, signal: AbortSignal): Promise<OrderReport>;
  capture(capture: CaptureOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<MoneyReport>;
  inquireCapture(capture: RequestedCapture & OrderKey, signal: AbortSignal): Promise<MoneyReport>;
  refund(refund: RefundOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<MoneyReport>;
  inquireRefund(refund: RequestedRefund & OrderKey, signal: AbortSignal): Promise<MoneyReport>;
  register(registration: NewRegistration, signal: AbortSignal): Promise<RegistrationReport>;
  inquireRegistration(reference: string, signal: AbortSignal): Promise<RegistrationReport>;
  /** Accepts a dispute. It is idempotent at every provider, so it needs no `beforeSend`. */
  acceptDispute(answer: DisputeAnswer, signal: AbortSignal): Promise<DisputeReport>;
  defendDispute(defense: DisputeDefense, signal: AbortSignal, beforeSend: BeforeSend): Promise<DisputeReport>;
  inquireDispute(dispute: DisputeKey, signal: AbortSignal): Promise<DisputeReport | "NOT_FOUND" | "NO_QUERY">;
  authorize(authorization: NewAuthorization, signal: AbortSignal): Promise<AuthorizationReport>;
  inquireAuthorization(consent: ConsentKey, signal: AbortSignal): Promise<AuthorizationReport>;
  /**
   * Exchanges a code for an agreement, only for the merchant that requested the consent. It is idempotent: the same
   * code returns the same agreement.
   */
  exchangeCode(authCode: string, owner: MerchantAccount, signal: AbortSignal): Promise<ExchangeReport>;
  revoke(consent: ConsentKey, signal: AbortSignal): Promise<AuthorizationReport>;
  /** Returns what the provider states about itself. The value is not validated. */
  facts(signal: AbortSignal): Promise<unknown>;
}

/**
 * The provider gave no response that can be trusted (timeout, reset, invalid signature), so the outcome is unknown. The
 * error is thrown, never returned: the job leaves the record unchanged and retries. A refusal is a report, not an
 * error.
 */
export class ProviderUnreachable extends Error {
  override readonly name = "ProviderUnreachable";
  readonly connector: string;

  constructor(connector: string, cause: unknown) {
    super(`No trustworthy response from connector ${connector}.`, { cause });
    this.connector = connector;
  }
}

/**
 * The provider gave a signed response that decides nothing. The error is thrown, and the job retries. The circuit
 * breaker does not count it, because otherwise one merchant's unusual requests would block the provider for all
 * merchants.
 */
export class ProviderUnclear extends Error {
  override readonly name = "ProviderUnclear";
  readonly connector: string;

  constructor(connector: string, cause: unknown) {
    super(`Unusable response from connector ${connector}.`, { cause });
    this.connector = connector;
  }
}
