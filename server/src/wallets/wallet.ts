import type { BeforeSend } from "../core/before-send.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { AcceptReason, DisputeType, JudgedResult } from "../disputes/dispute.ts";

/** What a wallet says of an order that we asked it to collect. */
export type OrderReport = OrderState & Counted;

/** Wallets count the states of a thing, so that the newer of two reports can be told. */
interface Counted {
  readonly sequence?: number;
}

type OrderState =
  /** It stands, and the buyer can pay it. */
  | { readonly state: "OPEN"; readonly code: string | undefined; readonly url: string | undefined }
  /** The buyer has done the own part; the wallet's word is still to come. */
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
  /** Nobody can pay it any more, and nobody has. */
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
  /** The wallet refuses the order if it arrives later: a message that was stuck must not surprise anybody. */
  readonly notAfter: Date;
  /** Until when the buyer may pay. */
  readonly expiresAt: Date;
  readonly redirectUrl: string | undefined;
  /** Manual: what the buyer approves is held, and taken only by captures. */
  readonly captureMode: "AUTOMATIC" | "MANUAL";
  /** What the buyer's wallet showed and the till has scanned: it is paid at once. */
  readonly paymentCode: string | undefined;
  /** Of the agreement that the buyer consented to: it is paid at once, too. */
  readonly agreementToken?: string;
}

/** Closes an order, or lets go what is held for it. */
export interface CancelOrder {
  readonly reference: string;
  /** As of a new order. */
  readonly notAfter: Date;
}

/** Takes all or part of what is held for an order. */
export interface CaptureOrder extends CancelOrder {
  readonly captureReference: string;
  readonly amount: Money;
}

export type CaptureReport =
  | { readonly state: "DONE" }
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only on inquiry: the wallet has made no capture under this reference. */
  | { readonly state: "NOT_FOUND" };

export interface RefundOrder extends CancelOrder {
  readonly refundReference: string;
  readonly amount: Money;
}

export type RefundReport =
  | { readonly state: "DONE" }
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
  /** The wallet registers nobody: whoever pays with it can pay everybody. */
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
  /** The page stands, and the buyer has not decided. */
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

/** What the wallet makes of a code. */
export type ExchangeReport =
  | {
      readonly state: "DONE";
      /** Of the consent that the code comes from. */
      readonly reference: string;
      readonly agreementToken: string;
      readonly userLoginId: string | undefined;
    }
  | { readonly state: "REFUSED"; readonly resultCode: "INVALID_AUTHCODE" | "AUTH_CODE_EXPIRED" };

export const disputeStates = ["OPEN", "DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED", "RESOLVED"] as const;

/** A dispute as the wallet knows it. RESOLVED: the scheme has decided before anybody was asked. */
export interface DisputeReport {
  readonly walletDisputeId: string;
  /** Of the order that it is about. */
  readonly reference: string;
  readonly type: DisputeType;
  readonly state: (typeof disputeStates)[number];
  /** Counts its states: what is older than what we know is stale. */
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

/** What a merchant says to a dispute, under a reference that is the same on every try. */
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
 * How a wallet is reached. Every call may throw WalletUnreachable or WalletUnclear, which say nothing about
 * what happened there; asking again under the same reference is always safe. To send again what acts is safe only
 * with a wallet that is idempotent, so it takes `beforeSend`.
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
  inquireCapture(captureReference: string, signal: AbortSignal): Promise<CaptureReport>;
  refund(refund: RefundOrder, signal: AbortSignal, beforeSend: BeforeSend): Promise<RefundReport>;
  inquireRefund(refundReference: string, signal: AbortSignal): Promise<RefundReport>;
  register(registration: NewRegistration, signal: AbortSignal): Promise<RegistrationReport>;
  inquireRegistration(reference: string, signal: AbortSignal): Promise<RegistrationReport>;
  /** To accept twice is to accept once. */
  acceptDispute(answer: DisputeAnswer, signal: AbortSignal): Promise<DisputeReport>;
  defendDispute(defense: DisputeDefense, signal: AbortSignal, beforeSend: BeforeSend): Promise<DisputeReport>;
  inquireDispute(walletDisputeId: string, signal: AbortSignal): Promise<DisputeReport | "NOT_FOUND">;
  authorize(authorization: NewAuthorization, signal: AbortSignal): Promise<AuthorizationReport>;
  inquireAuthorization(reference: string, signal: AbortSignal): Promise<AuthorizationReport>;
  /** In the name of the merchant who asked for consent, and of nobody else. The same code again is the same agreement. */
  exchangeCode(authCode: string, clientId: string, signal: AbortSignal): Promise<ExchangeReport>;
  revoke(reference: string, signal: AbortSignal): Promise<AuthorizationReport>;
}

/**
 * The wallet gave no answer that can be trusted, so nobody knows whether it acted. Thrown, never
 * returned: the job leaves the record as it is and asks again later. A wallet that says no is a report.
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
 * The wallet answered, under its signature, and what it said decides nothing. Thrown as well, and asked again later;
 * but it is no silence: a breaker that counted it would let one merchant's odd requests close the wallet for all.
 */
export class WalletUnclear extends Error {
  override readonly name = "WalletUnclear";
  readonly connector: string;

  constructor(connector: string, cause: unknown) {
    super(`An answer of no use from wallet ${connector}.`, { cause });
    this.connector = connector;
  }
}
