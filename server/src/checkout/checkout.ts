import type { PaymentOption } from "../payments/payment-option.ts";
import {
  isMethodChangeRequested,
  isMethodUnchosen,
  type Payment,
  type PaymentStatus,
} from "../payments/payment.ts";
import { canChoose } from "../sessions/session.ts";
import { nextStep, type ProviderStep } from "../payments/decide-payment.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { Brand } from "../merchants/brand.ts";
import type { Language } from "./language.ts";

/** A payment as its buyer sees it. */
export interface Checkout {
  readonly payment: Payment;
  readonly merchantName: string;
  readonly environment: Environment;
  readonly now: Date;
  /** URL schemes of the merchant's apps. */
  readonly linkSchemes: readonly string[];
  /** The offered payment methods, while the buyer can choose. */
  readonly options?: readonly PaymentOption[];
  /** The buyer's probable country (ISO 3166). Payment methods of this country come first. */
  readonly region?: string | undefined;
  /** Refunds and reversals, completed or in progress, oldest first. */
  readonly returnedTransactions?: readonly Transaction[];
  readonly brand: PageBrand;
  readonly language: Language;
}

/** The merchant's brand on the page. */
export interface PageBrand extends Brand {
  /** The path of the logo. */
  readonly logoPath: string | undefined;
}

/**
 * States of the page. `changing`: the buyer wants another payment method, and the first provider has yet to close the
 * order. `closing`: the deadline has passed or the merchant cancels, and the provider has not confirmed yet that the
 * buyer did not pay at the last moment (a race). The provider decides that, not our clock.
 */
export type CheckoutState =
  | "choosing"
  | "preparing"
  | "waiting"
  | "changing"
  | "closing"
  | "pending"
  | "paid"
  | "failed"
  | "expired"
  | "cancelled";

export function stateOf({ payment, now }: Pick<Checkout, "payment" | "now">): CheckoutState {
  switch (payment.status) {
    case "PROCESSING":
      // No provider has the order yet, so a last-moment payment is impossible (no race).
      if (isMethodUnchosen(payment)) return canChoose(payment, now) ? "choosing" : "expired";
      if (isMethodChangeRequested(payment) && !payment.cancelRequestedAt) return "changing";
      return stateOfStep[nextStep(payment, now)];
    case "PENDING":
      return "pending";
    case "SUCCESS":
      return "paid";
    case "FAIL":
      return payment.resultCode === "ORDER_IS_CLOSED" ? "expired" : "failed";
    case "CANCELLED":
      return "cancelled";
  }
}

const stateOfStep = {
  submit: "preparing",
  inquire: "waiting",
  expire: "closing",
  close: "closing",
} as const satisfies Record<ProviderStep, CheckoutState>;

/** The status that the page polls every few seconds. If a field has changed, the page reloads its content. */
export interface CheckoutStatus {
  readonly status: PaymentStatus;
  readonly sequence: number;
  readonly state: CheckoutState;
  /** The version of the next action that the page shows; 0 if it shows none. */
  readonly action: number;
}

export function statusOf(checkout: Pick<Checkout, "payment" | "now">): CheckoutStatus {
  const { status, sequence, order: { actionSequence = 0 } = {} } = checkout.payment;
  const state = stateOf(checkout);
  return { status, sequence, state, action: state === "waiting" ? actionSequence : 0 };
}

/** The page that the checkout page shows in a frame, if any. */
export function frameUrlOf(checkout: Pick<Checkout, "payment" | "now">): string | undefined {
  const action = checkout.payment.order?.nextAction;
  return action?.type === "IN_PAGE" && stateOf(checkout) === "waiting" ? action.frameUrl : undefined;
}
