import type { BeforeSend } from "../core/before-send.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { AcceptReason, DisputeType, JudgedResult } from "./dispute-words.ts";

/** What a wallet says of an order that we asked it to collect. */
export type OrderReport = OrderState & Counted & ReportedOrder;

/** Optional fields of every order report. A report that names another payment or amount decides nothing. */
interface ReportedOrder {
  readonly paymentId?: string;
  readonly amount?: Money;
}

/** The version of a state, so that the newer of two reports can be told. */
interface Counted {
  readonly sequence?: number;
}

type OrderState =
  /** Accepted: the buyer can pay it. */
  | { readonly state: "OPEN"; readonly code: string | undefined; readonly url: string | undefined }
  /** The buyer has approved; the wallet has yet to decide. */
  | { readonly state: "PENDING" }
  | { readonly state: "PAID"; readonly amount: Money; readonly paidAmount: Money; readonly paidAt: Date }
  /** The wallet holds the money for the merchant, until it is captured or the order is cancelled. */
  | {
      readonly state: "AUTHORIZED";
      readonly amount: Money;
      readonly paidAmount: Money;
      readonly paidAt: Date;
    }
  | { readonly state: "DECLINED"; readonly resultCode: ResultCode }
  /** Only on submit: the wallet did not take the order, and knows no more of it than before. */
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Final: not paid, and it cannot be paid any more. */
  | { readonly state: "CLOSED" }
  /** The wallet has never seen the reference. */
  | { readonly state: "NOT_FOUND" }
  /** The wallet has done something else under the reference. */
  | { readonly state: "INCONSISTENT" };

export interface NewOrder {
  readonly reference: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly merchantName: string;
  readonly description: string;
  readonly amount: Money;
  readonly paymentMethodType: string;
  /** Deadline: the wallet refuses an order that arrives later, so that a delayed message cannot act. */
  readonly notAfter: Date;
  /** Until when the buyer may pay. */
  readonly expiresAt: Date;
  readonly redirectUrl: string | undefined;
  /** Manual: what the buyer approves is held, and taken only by captures. */
  readonly captureMode: "AUTOMATIC" | "MANUAL";
  /** The code from the buyer's app that the till has scanned: the order is paid at once. */
  readonly paymentCode: string | undefined;
  /** The token of the buyer's agreement: the order is paid at once, too. */
  readonly agreementToken?: string;
}

/** Closes an order, or releases its hold. */
export interface CancelOrder {
  readonly reference: string;
  /** As of a new order. */
  readonly notAfter: Date;
}

/** Takes all or part of what is held for an order. */
export interface CaptureOrder extends CancelOrder {
  readonly captureReference: string;
  readonly amount: Money;
  /** Nothing more will be captured: the wallet may release the rest at once. */
  readonly isLast: boolean;
}

/** The content of a capture request that every report of it has to repeat. */
export type RequestedCapture = Pick<CaptureOrder, "reference" | "captureReference" | "amount">;

/**
 * The report differs from the request: in the amount or its currency, the order's reference, or the capture's
 * or refund's own reference (`moneyReference`).
 */
export interface MoneyMismatch {
  readonly state: "MISMATCH";
  readonly field: "amount" | "reference" | "moneyReference";
}

export type CaptureReport =
  | { readonly state: "DONE" }
  | MoneyMismatch
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only on inquiry: the wallet has made no capture under this reference. */
  | { readonly state: "NOT_FOUND" };

export interface RefundOrder extends CancelOrder {
  readonly refundReference: string;
  readonly amount: Money;
}

/** The content of a refund request that every report of it has to repeat. */
export type RequestedRefund = Pick<RefundOrder, "reference" | "refundReference" | "amount">;

export type RefundReport =
  | { readonly state: "DONE" }
  | MoneyMismatch
  /** The wallet has taken it on, and the money is still to go back. */
  | { readonly state: "PROCESSING" }
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only on inquiry: the wallet has taken on no refund under this reference. */
  | { readonly state: "NOT_FOUND" };

/** A merchant, or a store of one, that wants to take payments of the wallet. */
export interface NewRegistration {
  readonly reference: string;
  /** The merchant's own name for the request. */
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
  /** The wallet has no registration: its buyers can pay every merchant. */
  | { readonly state: "NOT_NEEDED" }
  /** Only on inquiry. */
  | { readonly state: "NOT_FOUND" };

/** What a merchant asks a buyer to consent to. */
export interface NewAuthorization {
  readonly reference: string;
  readonly clientId: string;
  readonly authorizationId: string;
  readonly merchantName: string;
  readonly scopes: readonly string[];
  readonly authState: string;
  readonly redirectUrl: string;
  /** Until when the buyer may agree. */
  readonly expiresAt: Date;
}

export type AuthorizationReport = AuthorizationState & Counted;

type AuthorizationState =
  /** The consent page is ready, and the buyer has not decided. */
  | { readonly state: "OPEN"; readonly url: string | undefined }
  /** The buyer has agreed, and the code waits. */
  | { readonly state: "AGREED"; readonly url: string | undefined; readonly authCode: string }
  /** The code was exchanged. */
  | { readonly state: "ACTIVE" }
  | { readonly state: "DECLINED" }
  /** The buyer has taken it back. */
  | { readonly state: "CANCELED"; readonly reason: string | undefined }
  | { readonly state: "REVOKED" }
  /** The wallet makes no agreements. */
  | { readonly state: "NOT_SUPPORTED" }
  | { readonly state: "NOT_FOUND" };

/** The wallet's answer to the exchange of a code. */
export type ExchangeReport =
  | {
      readonly state: "DONE";
      /** The reference of the consent that the code comes from. */
      readonly reference: string;
      readonly agreementToken: string;
      readonly userLoginId: string | undefined;
    }
  | { readonly state: "REFUSED"; readonly resultCode: "INVALID_AUTHCODE" | "AUTH_CODE_EXPIRED" };

export const disputeStates = ["OPEN", "DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED", "RESOLVED"] as const;

/** A dispute as the wallet knows it. RESOLVED: the scheme has decided before anybody was asked. */
export interface DisputeReport {
  readonly walletDisputeId: string;
  /** The reference of the disputed order. */
  readonly reference: string;
  /** The payment of that order, if the provider names it. */
  readonly paymentId?: string;
  readonly type: DisputeType;
  readonly state: (typeof disputeStates)[number];
  /** Version of its state: a lower one than we know is stale. */
  readonly sequence: number;
  readonly amount: Money;
  readonly reasonCode: string;
  readonly reasonMessage: string;
  readonly source: string;
  readonly defendable: boolean;
  readonly createdAt: Date;
  /** When it came into this state. */
  readonly changedAt: Date;
  readonly dueAt: Date | undefined;
  /** What the buyer got back. */
  readonly takenAmount: Money | undefined;
  readonly acceptReason: AcceptReason | undefined;
  readonly judgedResult: JudgedResult | undefined;
  /** Whether the wallet did not take the answer that it was sent. */
  readonly refused: boolean;
}

/** A merchant's answer to a dispute. The reference is its idempotency key, the same on every retry. */
export interface DisputeAnswer {
  readonly walletDisputeId: string;
  readonly answerReference: string;
  readonly reason: string;
}

export interface DisputeDefense extends DisputeAnswer {
  /** A document, in Base64; none when all was refunded, for then nothing has to be shown. */
  readonly evidence?: string;
  readonly evidenceFormat?: string;
}

/**
 * A wallet's client. Every call may throw WalletUnreachable or WalletUnclear, which say nothing about what
 * happened there. An inquiry can always be retried. A call that acts can be retried only if the wallet is
 * idempotent, so it takes `beforeSend`.
 */
export interface Wallet {
  readonly connector: string;
  submit(order: NewOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<OrderReport>;
  inquire(reference: string, signal: AbortSignal): Promise<OrderReport>;
  /**
   * Closes the order if it is open, or held with nothing captured; a reference never seen is closed for
   * good as well.
   */
  cancel(order: CancelOrder, signal: AbortSignal): Promise<OrderReport>;
  capture(capture: CaptureOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<CaptureReport>;
  inquireCapture(capture: RequestedCapture, signal: AbortSignal): Promise<CaptureReport>;
  refund(refund: RefundOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<RefundReport>;
  inquireRefund(refund: RequestedRefund, signal: AbortSignal): Promise<RefundReport>;
  register(registration: NewRegistration, signal: AbortSignal): Promise<RegistrationReport>;
  inquireRegistration(reference: string, signal: AbortSignal): Promise<RegistrationReport>;
  /** Idempotent at every wallet, so it needs no `beforeSend`. */
  acceptDispute(answer: DisputeAnswer, signal: AbortSignal): Promise<DisputeReport>;
  defendDispute(defense: DisputeDefense, signal: AbortSignal, beforeSend: BeforeSend): Promise<DisputeReport>;
  inquireDispute(walletDisputeId: string, signal: AbortSignal): Promise<DisputeReport | "NOT_FOUND">;
  authorize(authorization: NewAuthorization, signal: AbortSignal): Promise<AuthorizationReport>;
  inquireAuthorization(reference: string, signal: AbortSignal): Promise<AuthorizationReport>;
  /** Only for the merchant who asked for the consent. Idempotent: the same code, the same agreement. */
  exchangeCode(authCode: string, clientId: string, signal: AbortSignal): Promise<ExchangeReport>;
  revoke(reference: string, signal: AbortSignal): Promise<AuthorizationReport>;
}

/**
 * The wallet gave no answer that can be trusted (timeout, reset, bad signature), so the outcome is unknown.
 * Thrown, never returned: the job leaves the record as it is and retries. A refusal is a report, not an
 * error.
 */
export class WalletUnreachable extends Error {
  override readonly name = "WalletUnreachable";
  readonly connector: string;

  constructor(connector: string, cause: unknown) {
    super(`No answer from wallet ${connector}.`, { cause });
    this.connector = connector;
  }
}

/**
 * The wallet gave a signed answer that decides nothing. Thrown, and retried as well; but the circuit breaker
 * does not count it, or one merchant's odd requests would close the wallet for all.
 */
export class WalletUnclear extends Error {
  override readonly name = "WalletUnclear";
  readonly connector: string;

  constructor(connector: string, cause: unknown) {
    super(`An answer of no use from wallet ${connector}.`, { cause });
    this.connector = connector;
  }
}
