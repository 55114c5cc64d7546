import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";

export type PaymentStatus = "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";

/** A success is undone only by a cancel inside its window; a failure or a cancel never changes. */
export const paymentLifecycle = {
  PROCESSING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  PENDING: ["SUCCESS", "FAIL"],
  SUCCESS: ["CANCELLED"],
  FAIL: [],
  CANCELLED: [],
} as const satisfies Lifecycle<PaymentStatus>;

export type ProductCode = "CASHIER_PAYMENT" | "AGREEMENT_PAYMENT" | "IN_STORE_PAYMENT";

/** Whether the money is taken when the buyer agrees, or held until the merchant captures it. */
export type CaptureMode = "AUTOMATIC" | "MANUAL";

/** Undefined for what contradicts itself: money that is taken at once cannot be captured later. */
export function captureModeOf(
  asked: { readonly captureMode?: string; readonly isAuthorization?: boolean } = {},
): CaptureMode | undefined {
  if (asked.captureMode !== "MANUAL") return "AUTOMATIC";
  return asked.isAuthorization ? "MANUAL" : undefined;
}

/** Message for a contradictory captureMode. */
export const captureRule = "Only what is authorized can be captured later.";

/** In-store scenarios: the buyer's code, a code that we issue, or a page that a printed code leads to. */
export const inStoreScenarios = ["PaymentCode", "OrderCode", "EntryCode"] as const;
export type InStoreScenario = (typeof inStoreScenarios)[number];

export interface Payment {
  readonly bucket: number;
  readonly clientId: string;
  readonly paymentId: string;
  readonly paymentRequestId: string;
  readonly productCode: ProductCode;
  /** In-store payments only. */
  readonly scenario: InStoreScenario | undefined;
  /** The buyer's payment code or the wallet's agreement token, encrypted; gone when the payment is final. */
  readonly sealedSecret: Uint8Array | undefined;
  readonly status: PaymentStatus;
  /** Why it ended as it did; PAYMENT_IN_PROCESS until then. */
  readonly resultCode: ResultCode;
  /** Undefined for a tombstone: a cancel that came before its `pay`. */
  readonly amount: Money | undefined;
  /** What the buyer really paid; differs from the amount only with a quote or a coupon. */
  readonly paidAmount: Money | undefined;
  readonly createdAt: Date;
  /** When the money was taken; starts the cancel and refund windows. */
  readonly paidAt: Date | undefined;
  /** Version of this payment, so that a receiver can tell the newer of two messages. */
  readonly sequence: number;
  /** Idempotency: a hash of the fields that a repeat must have equal; undefined for a tombstone. */
  readonly fingerprint: Uint8Array | undefined;
  readonly paymentMethodType: string | undefined;
  readonly orderDescription: string | undefined;
  /** The merchant's own order number; undefined for a tombstone. */
  readonly referenceOrderId: string | undefined;
  /** What a page shows of the order, in JSON that only the page reads; undefined for payments in stores and with tokens. */
  readonly orderShown: string | undefined;
  readonly redirectUrl: string | undefined;
  readonly notifyUrl: string | undefined;
  readonly metadata: string | undefined;
  readonly order: WalletOrder | undefined;
  readonly expiresAt: Date | undefined;
  /** Payments that began as a session only. */
  readonly session: SessionTimes | undefined;
  /** Cancelling is an intent until the wallet confirms that nobody can pay any more. */
  readonly cancelRequestedAt: Date | undefined;
  readonly cancelledAt: Date | undefined;
  readonly captureMode: CaptureMode;
  /** Until when held money can be captured. */
  readonly authExpiresAt: Date | undefined;
  /** When the rest of the hold was released. */
  readonly releasedAt: Date | undefined;
  /** In minor units, captures under way included; with automatic capture the whole amount, once paid. */
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
  /** Frozen by open disputes, or lost to them. */
  readonly disputedMinor: bigint;
  /** The merchant's plain rate when it was created: the whole fee, unless a rule of fees fitted. */
  readonly feeBasisPoints: number;
  /** The terms of the rule that fitted, as `writeFeeTerms` writes them; a session has them from its buyer's choice on. */
  readonly feeTerms: string | undefined;
  /** Captures, refunds and reversals, failed ones included. */
  readonly transactionCount: number;
}

/** What every payment begins with: nothing has been paid, taken, given back or called off. */
export const untouched = {
  paidAmount: undefined,
  paidAt: undefined,
  sequence: 1,
  cancelRequestedAt: undefined,
  cancelledAt: undefined,
  authExpiresAt: undefined,
  releasedAt: undefined,
  capturedMinor: 0n,
  refundedMinor: 0n,
  disputedMinor: 0n,
  transactionCount: 0,
} as const satisfies Partial<Payment>;

/** A payment whose buyer chooses how to pay has no wallet until then. */
export interface SessionTimes {
  /** Until when the buyer can choose. */
  readonly expiresAt: Date;
  readonly chosenAt: Date | undefined;
  /** When the buyer asked for another wallet. It counts until the payment moves or the order is closed. */
  readonly changeRequestedAt: Date | undefined;
  /** Orders that the buyer left for another wallet, each as `nameOfOrder` writes it. */
  readonly leftOrders: readonly string[];
}

/** Those of a session whose buyer has not come yet. */
export function sessionUntil(expiresAt: Date): SessionTimes {
  return { expiresAt, chosenAt: undefined, changeRequestedAt: undefined, leftOrders: [] };
}

/** An order in one word, because a reference alone does not say whose it is. */
export function nameOfOrder({ connector, reference }: Pick<WalletOrder, "connector" | "reference">): string {
  return `${connector} ${reference}`;
}

/** The payment as its wallet knows it. */
export interface WalletOrder {
  /** The connector's name. */
  readonly connector: string;
  /** Idempotency key at the wallet: derived from the request, so that every retry sends the same. */
  readonly reference: string;
  readonly acceptedAt: Date | undefined;
  /** The text of the QR code that the buyer scans. */
  readonly code: string | undefined;
  /** The page or app that the buyer is sent to. */
  readonly url: string | undefined;
}

/** The order of a payment that was paid, or is about to be submitted. */
export function orderOf({ paymentId, order }: Payment): WalletOrder {
  if (!order) throw new Error(`Payment ${paymentId} has no order at a wallet.`);
  return order;
}

/** Final: the merchant has been told, or is told next. Only a cancel can follow a success. */
export function isSettled({ status }: Pick<Payment, "status">): boolean {
  return status !== "PROCESSING" && status !== "PENDING";
}

/** Whether the buyer agreed to it beforehand, and is not asked. */
export function isAgreed({ productCode }: Payment): boolean {
  return productCode === "AGREEMENT_PAYMENT";
}

export function isInStore({ productCode }: Pick<Payment, "productCode">): boolean {
  return productCode === "IN_STORE_PAYMENT";
}

/** Whether the buyer left this order for another wallet. */
export function hasLeft({ session }: Payment, order: Pick<WalletOrder, "connector" | "reference">): boolean {
  return session?.leftOrders.includes(nameOfOrder(order)) ?? false;
}

/** The buyer wants another wallet, and the first has yet to close the order. */
export function isChanging({ status, session }: Payment): boolean {
  return status === "PROCESSING" && session?.changeRequestedAt !== undefined;
}

/** The buyer has not chosen a method yet, or not again, so no wallet knows of the payment. */
export function isUnchosen({ status, session, order }: Payment): boolean {
  return status === "PROCESSING" && session !== undefined && !order;
}
