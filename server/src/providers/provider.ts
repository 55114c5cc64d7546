import type { BeforeSend } from "../core/before-send.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { AcceptReason, DisputeType, JudgedResult } from "./dispute-values.ts";

/** A provider's report on an order. */
export type OrderReport = OrderState & Versioned & ReportedOrder;

/** Optional fields of every order report. A report with another payment or amount decides nothing. */
interface ReportedOrder {
  readonly paymentId?: string;
  readonly amount?: Money;
}

/** The version of a state, by which the newer of two reports is recognised. */
interface Versioned {
  readonly sequence?: number;
}

type OrderState =
  /** The provider has accepted the order, and the buyer can pay it. */
  | { readonly state: "OPEN"; readonly code: string | undefined; readonly url: string | undefined }
  /** The buyer has approved; the provider has not decided yet. */
  | { readonly state: "PENDING" }
  | { readonly state: "PAID"; readonly amount: Money; readonly paidAmount: Money; readonly paidAt: Date }
  /** The provider holds the money for the merchant, until it is captured or the order is cancelled. */
  | {
      readonly state: "AUTHORIZED";
      readonly amount: Money;
      readonly paidAmount: Money;
      readonly paidAt: Date;
    }
  | { readonly state: "DECLINED"; readonly resultCode: ResultCode }
  /** Only in a response to a submit: the provider refused the order, and the order's state is unchanged. */
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** A final state: the order is not paid, and cannot be paid any more. */
  | { readonly state: "CLOSED" }
  /** The provider does not know the reference. */
  | { readonly state: "NOT_FOUND" }
  /** The provider has done something else under the reference. */
  | { readonly state: "INCONSISTENT" };

export interface NewOrder {
  readonly reference: string;
  readonly clientId: string;
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
}

/** Closes an order, or releases its authorization hold. */
export interface CancelOrder {
  readonly reference: string;
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

export type CaptureReport =
  | { readonly state: "DONE" }
  | MoneyMismatch
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only in a response to an inquiry: the provider made no capture with this reference. */
  | { readonly state: "NOT_FOUND" };

export interface RefundOrder extends CancelOrder {
  readonly refundReference: string;
  readonly amount: Money;
}

/** The content of a refund request that every report of it must repeat. */
export type RequestedRefund = Pick<RefundOrder, "reference" | "refundReference" | "amount">;

export type RefundReport =
  | { readonly state: "DONE" }
  | MoneyMismatch
  /** The provider has accepted the refund, and has not returned the money yet. */
  | { readonly state: "PROCESSING" }
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only in a response to an inquiry: the provider accepted no refund with this reference. */
  | { readonly state: "NOT_FOUND" };

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
  | { readonly state: "APPROVED" }
  | { readonly state: "REJECTED"; readonly rejectReasons: readonly string[] }
  /** The provider needs no registration: its buyers can pay every merchant. */
  | { readonly state: "NOT_NEEDED" }
  /** Only in a response to an inquiry: the provider does not know the registration. */
  | { readonly state: "NOT_FOUND" };

/** The consent that a merchant requests from a buyer. */
export interface NewAuthorization {
  readonly reference: string;
  readonly clientId: string;
  readonly authorizationId: string;
  readonly merchantName: string;
  readonly scopes: readonly string[];
  readonly authState: string;
  readonly redirectUrl: string;
  /** Time until which the buyer may agree. */
  readonly expiresAt: Date;
}

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

/** A provider's report on a dispute. In the state RESOLVED the scheme has decided without an answer of the merchant. */
export interface DisputeReport {
  readonly walletDisputeId: string;
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

/** A merchant's answer to a dispute. The reference is its idempotency key, the same in every retry. */
export interface DisputeAnswer {
  readonly walletDisputeId: string;
  readonly answerReference: string;
  readonly reason: string;
}

export interface DisputeDefense extends DisputeAnswer {
  /** A document, in Base64; undefined if the payment was fully refunded, because then no document is needed. */
  readonly evidence?: string;
  readonly evidenceFormat?: string;
}

/**
 * The client of one payment provider. Every method may throw ProviderUnreachable or ProviderUnclear, which mean that
 * the outcome is unknown. An inquiry can always be retried. A request that acts can be retried only if the provider is
 * idempotent, so it takes `beforeSend`.
 */
export interface Provider {
  readonly connector: string;
  submit(order: NewOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<OrderReport>;
  inquire(reference: string, signal: AbortSignal): Promise<OrderReport>;
  /**
   * Closes an order that is open, or authorized without captures. An unknown reference is closed permanently as well.
   */
  cancel(order: CancelOrder, signal: AbortSignal): Promise<OrderReport>;
  capture(capture: CaptureOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<CaptureReport>;
  inquireCapture(capture: RequestedCapture, signal: AbortSignal): Promise<CaptureReport>;
  refund(refund: RefundOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<RefundReport>;
  inquireRefund(refund: RequestedRefund, signal: AbortSignal): Promise<RefundReport>;
  register(registration: NewRegistration, signal: AbortSignal): Promise<RegistrationReport>;
  inquireRegistration(reference: string, signal: AbortSignal): Promise<RegistrationReport>;
  /** Accepts a dispute. It is idempotent at every provider, so it needs no `beforeSend`. */
  acceptDispute(answer: DisputeAnswer, signal: AbortSignal): Promise<DisputeReport>;
  defendDispute(defense: DisputeDefense, signal: AbortSignal, beforeSend: BeforeSend): Promise<DisputeReport>;
  inquireDispute(walletDisputeId: string, signal: AbortSignal): Promise<DisputeReport | "NOT_FOUND">;
  authorize(authorization: NewAuthorization, signal: AbortSignal): Promise<AuthorizationReport>;
  inquireAuthorization(reference: string, signal: AbortSignal): Promise<AuthorizationReport>;
  /**
   * Exchanges a code for an agreement, only for the merchant that requested the consent. It is idempotent: the same
   * code returns the same agreement.
   */
  exchangeCode(authCode: string, clientId: string, signal: AbortSignal): Promise<ExchangeReport>;
  revoke(reference: string, signal: AbortSignal): Promise<AuthorizationReport>;
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
