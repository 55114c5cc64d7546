import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import type { OrderData, OrderOwner } from "../providers/provider.ts";
import type { ProviderReferences } from "../providers/provider-account.ts";
import type { BuyerAction } from "./next-actions/next-action-columns.ts";
import type { RequestTexts } from "./request-texts.ts";

export type PaymentStatus = "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";

/**
 * Allowed transitions of a payment. A success changes only by a cancel inside its window; a failure or a cancel never
 * changes.
 */
export const paymentLifecycle = {
  PROCESSING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  PENDING: ["SUCCESS", "FAIL"],
  SUCCESS: ["CANCELLED"],
  FAIL: [],
  CANCELLED: [],
} as const satisfies Lifecycle<PaymentStatus>;

export type ProductCode = "CASHIER_PAYMENT" | "AGREEMENT_PAYMENT" | "IN_STORE_PAYMENT";

/** Whether the money is collected when the buyer agrees, or authorized until the merchant captures it. */
export type CaptureMode = "AUTOMATIC" | "MANUAL";

/**
 * `captureModeOf` returns the capture mode of a request; undefined for a contradiction: captureMode MANUAL without
 * isAuthorization.
 */
export function captureModeOf(
  factor: { readonly captureMode?: string; readonly isAuthorization?: boolean } = {},
): CaptureMode | undefined {
  if (factor.captureMode !== "MANUAL") return "AUTOMATIC";
  return factor.isAuthorization ? "MANUAL" : undefined;
}

/** Message for a contradictory captureMode. */
export const captureModeDetail = "Only what is authorized can be captured later.";

/**
 * In-store scenarios: the buyer's payment code, an order code that the gateway issues, or a printed code that opens a
 * page.
 */
export const inStoreScenarios = ["PaymentCode", "OrderCode", "EntryCode"] as const;
export type InStoreScenario = (typeof inStoreScenarios)[number];

export interface Payment extends RequestTexts {
  readonly bucket: number;
  readonly clientId: string;
  readonly paymentId: string;
  readonly paymentRequestId: string;
  readonly productCode: ProductCode;
  /** The scenario of an in-store payment; undefined for other payments. */
  readonly scenario: InStoreScenario | undefined;
  /** The buyer's payment code or the provider's agreement token, encrypted; deleted when the payment is final. */
  readonly sealedSecret: Uint8Array | undefined;
  readonly status: PaymentStatus;
  /** The reason for the payment's final status; PAYMENT_IN_PROCESS until the status is final. */
  readonly resultCode: ResultCode;
  /** The requested amount; undefined for a tombstone: a cancel that arrived before its `pay`. */
  readonly amount: Money | undefined;
  /** The amount that the buyer paid; it differs from `amount` only with a quote or a coupon. */
  readonly paidAmount: Money | undefined;
  readonly createdAt: Date;
  /** When the buyer paid; the cancel and refund windows start at this time. */
  readonly paidAt: Date | undefined;
  /** Version of this payment, so that a receiver of two messages can see which one is newer. */
  readonly sequence: number;
  /** Idempotency: a hash of the fields that must be equal in a repeated request; undefined for a tombstone. */
  readonly fingerprint: Uint8Array | undefined;
  readonly paymentMethodType: string | undefined;
  /**
   * Order details for the checkout page, as JSON that only the page reads; undefined for in-store and token payments.
   */
  readonly checkoutOrder: string | undefined;
  readonly order: ProviderOrder | undefined;
  /**
   * Data of the order for the provider, only in a payment that is inserted or submitted. It has a table of its own, because
   * most connectors want none.
   */
  readonly orderData?: OrderData | undefined;
  readonly expiresAt: Date | undefined;
  /** The times of the session; undefined unless the payment was created as a session. */
  readonly session: SessionTimes | undefined;
  /** When a cancel was requested. It is an intent until the provider confirms that the order can no longer be paid. */
  readonly cancelRequestedAt: Date | undefined;
  readonly cancelledAt: Date | undefined;
  readonly captureMode: CaptureMode;
  /** Until when authorized money can be captured. */
  readonly authExpiresAt: Date | undefined;
  /** When the rest of the authorization hold was released. */
  readonly releasedAt: Date | undefined;
  /**
   * The captured amount in minor units, including captures in progress; the whole paid amount if the capture mode is
   * AUTOMATIC.
   */
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
  /** Amount that open disputes freeze or that lost disputes debited, in minor units. */
  readonly disputedMinor: bigint;
  /** The merchant's own fee rate when the payment was created; it is the whole fee if no fee rule applies. */
  readonly feeBasisPoints: number;
  /**
   * The terms of the fee rule that applies, as `formatFeeTerms` writes them. For a session, they are set when the buyer
   * chooses a payment method.
   */
  readonly feeTerms: string | undefined;
  /** Number of captures, refunds and reversals, including failed ones. */
  readonly transactionCount: number;
  /** The provider's details of the order that settled the payment, as JSON of `OrderDetails`. */
  readonly providerDetails: string | undefined;
}

/** Initial values of a payment: nothing is paid, captured, refunded or cancelled. */
export const initialPaymentValues = {
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
  providerDetails: undefined,
} as const satisfies Partial<Payment>;

/** The values of a session whose buyer has not chosen a payment method. */
export const withoutChoice = {
  paymentMethodType: undefined,
  feeTerms: undefined,
  order: undefined,
  expiresAt: undefined,
} as const satisfies Partial<Payment>;

/** Times of a session. Before its buyer chooses a payment method, the payment has no order at a provider. */
export interface SessionTimes {
  /** Until when the buyer of a session can choose a payment method. */
  readonly expiresAt: Date;
  readonly chosenAt: Date | undefined;
  /**
   * When the buyer requested another payment method. The request is valid until the payment's status changes or the
   * order is closed.
   */
  readonly changeRequestedAt: Date | undefined;
  /** Orders that the buyer left for another payment method, each as `orderKeyOf` writes it. */
  readonly abandonedOrders: readonly string[];
}

/** `newSessionTimes` returns the times of a new session. */
export function newSessionTimes(expiresAt: Date): SessionTimes {
  return { expiresAt, chosenAt: undefined, changeRequestedAt: undefined, abandonedOrders: [] };
}

type OrderName = Pick<ProviderOrder, "connector" | "reference">;

/**
 * `orderKeyOf` joins the connector, the reference and the account of an order in one string, because a reference alone
 * is not unique across connectors. The parts contain no spaces.
 */
export function orderKeyOf({ connector, reference, account }: OrderName & Partial<ProviderOrder>): string {
  return [connector, reference, ...(account === undefined ? [] : [account])].join(" ");
}

/** The order at the payment provider, with the merchant's account and registration at its submit. */
export interface ProviderOrder extends ProviderReferences, BuyerAction {
  /** The name of the connector. */
  readonly connector: string;
  /** Idempotency key at the provider: derived from the request, so that each retry sends the same reference. */
  readonly reference: string;
  readonly acceptedAt: Date | undefined;
}

/** `orderOf` returns the order of a payment that was paid, or is about to be submitted. */
export function orderOf({ paymentId, order }: Payment): ProviderOrder {
  if (!order) throw new Error(`Payment ${paymentId} has no order at a payment provider.`);
  return order;
}

/** `ownerOf` returns for whom the provider collects the order of a payment. */
export function ownerOf(payment: Payment): OrderOwner {
  const { account, registrationId } = orderOf(payment);
  return { merchantId: payment.clientId, account, registrationId };
}

/** `accountOfOrder` returns the account of the payment's order, or of an order that its buyer left. */
export function accountOfOrder({ order, session }: Payment, name: OrderName): string | undefined {
  if (order?.connector === name.connector && order.reference === name.reference) return order.account;
  const abandonedKey = session?.abandonedOrders.find((key) => key.startsWith(`${orderKeyOf(name)} `));
  return abandonedKey?.split(" ")[2];
}

/** `isSettled` returns whether the payment's status is final. After a success, only a cancel can follow. */
export function isSettled({ status }: Pick<Payment, "status">): boolean {
  return status !== "PROCESSING" && status !== "PENDING";
}

/**
 * `isAgreementPayment` returns whether the payment uses a consent that the buyer gave earlier, so that the buyer need not confirm
 * it.
 */
export function isAgreementPayment({ productCode }: Pick<Payment, "productCode">): boolean {
  return productCode === "AGREEMENT_PAYMENT";
}

export function isInStore({ productCode }: Pick<Payment, "productCode">): boolean {
  return productCode === "IN_STORE_PAYMENT";
}

/** `hasAbandonedOrder` returns whether the buyer left this order for another payment method. */
export function hasAbandonedOrder({ session }: Payment, { connector, reference }: OrderName): boolean {
  const name = orderKeyOf({ connector, reference });
  return session?.abandonedOrders.some((key) => key === name || key.startsWith(`${name} `)) ?? false;
}

/**
 * `isMethodChangeRequested` returns whether the buyer of a session wants another payment method and the provider has not closed the
 * order yet.
 */
export function isMethodChangeRequested({ status, session }: Payment): boolean {
  return status === "PROCESSING" && session?.changeRequestedAt !== undefined;
}

/**
 * `isMethodUnchosen` returns whether the buyer of a session has not chosen a payment method, so that no provider has an
 * order.
 */
export function isMethodUnchosen({ status, session, order }: Payment): boolean {
  return status === "PROCESSING" && session !== undefined && !order;
}
