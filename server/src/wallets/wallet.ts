import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";

/** What a wallet says of an order that we asked it to collect. */
export type OrderReport =
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
  /** Nobody can pay it any more, and nobody has. */
  | { readonly state: "CLOSED" }
  /** The wallet has never seen the reference. */
  | { readonly state: "NOT_FOUND" };

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
}

/** Takes all or part of what is held for an order. */
export interface CaptureOrder {
  readonly reference: string;
  readonly captureReference: string;
  readonly amount: Money;
}

export type CaptureReport =
  | { readonly state: "DONE" }
  | { readonly state: "REFUSED"; readonly resultCode: ResultCode }
  /** Only on inquiry: the wallet has made no capture under this reference. */
  | { readonly state: "NOT_FOUND" };

export interface RefundOrder {
  readonly reference: string;
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

/**
 * How a wallet is reached. Every call may throw WalletUnreachable, which says nothing about what
 * happened there; asking again under the same reference is always safe.
 */
export interface Wallet {
  readonly connector: string;
  submit(order: NewOrder, signal: AbortSignal): Promise<OrderReport>;
  inquire(reference: string, signal: AbortSignal): Promise<OrderReport>;
  /**
   * Closes the order if it is open, or held with nothing captured; a reference never seen is closed for
   * good as well.
   */
  cancel(reference: string, signal: AbortSignal): Promise<OrderReport>;
  capture(capture: CaptureOrder, signal: AbortSignal): Promise<CaptureReport>;
  inquireCapture(captureReference: string, signal: AbortSignal): Promise<CaptureReport>;
  refund(refund: RefundOrder, signal: AbortSignal): Promise<RefundReport>;
  inquireRefund(refundReference: string, signal: AbortSignal): Promise<RefundReport>;
  register(registration: NewRegistration, signal: AbortSignal): Promise<RegistrationReport>;
  inquireRegistration(reference: string, signal: AbortSignal): Promise<RegistrationReport>;
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
