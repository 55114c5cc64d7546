import type { PaymentOption } from "../payments/payment-option.ts";
import { isChanging, isUnchosen, type Payment, type PaymentStatus } from "../payments/payment.ts";
import { canChoose } from "../sessions/session.ts";
import { nextStep, type Step } from "../payments/decide-payment.ts";
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
  /** Schemes of the merchant's apps. */
  readonly linkSchemes: readonly string[];
  /** The payment methods on offer, as long as there is a choice. */
  readonly options?: readonly PaymentOption[];
  /** Where the buyer may be: ISO 3166. Methods from there come first. */
  readonly region?: string | undefined;
  /** What went back to the buyer, or is on its way, oldest first. */
  readonly givenBack?: readonly Transaction[];
  readonly brand: ShownBrand;
  readonly language: Language;
}

/** How the merchant wants its page to look. */
export interface ShownBrand extends Brand {
  /** Where the page gets the logo from. */
  readonly logoPath: string | undefined;
}

/**
 * `changing`: the buyer wants another wallet, and the first has yet to close the order. `closing`: the time is over, or
 * the merchant cancels, and the wallet has not confirmed yet that the buyer did not pay at the last moment (a race). No
 * clock of ours decides that.
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
      // No wallet has the order yet, so there is no race with a last-moment payment.
      if (isUnchosen(payment)) return canChoose(payment, now) ? "choosing" : "expired";
      if (isChanging(payment) && !payment.cancelRequestedAt) return "changing";
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
} as const satisfies Record<Step, CheckoutState>;

/** What the page polls every few seconds: when one of these has changed, it shows something else. */
export interface CheckoutStatus {
  readonly status: PaymentStatus;
  readonly sequence: number;
  readonly state: CheckoutState;
}

export function statusOf(seen: Pick<Checkout, "payment" | "now">): CheckoutStatus {
  const { status, sequence } = seen.payment;
  return { status, sequence, state: stateOf(seen) };
}
