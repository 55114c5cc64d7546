import { noBrand } from "../../src/merchants/brand.ts";
import { methodOf } from "../../src/payments/payment-method.ts";
import type { PaymentOption } from "../../src/payments/payment-option.ts";
import { newSessionTimes, type Payment } from "../../src/payments/payment.ts";
import { examplePayment } from "./example-payment.ts";
import type { Checkout, CheckoutState } from "../../src/checkout/checkout.ts";
import { english } from "../../src/checkout/language.ts";

export const now = new Date("2026-11-15T10:00:00Z");

const preparing = examplePayment({ redirectUrl: "https://shop.example/thanks?order=1&ok=1" });

const waiting: Payment = {
  ...preparing,
  order: {
    connector: "w",
    reference: "r",
    account: undefined,
    registrationId: undefined,
    acceptedAt: now,
    nextAction: {
      type: "QR_CODE",
      code: "https://wallet.example/scan/8KQ2",
      url: "https://wallet.example/open/8KQ2",
    },
    actionSequence: 1,
  },
};

const choosingEnds = new Date("2026-11-15T10:14:00Z");

const choosing: Payment = {
  ...preparing,
  order: undefined,
  paymentMethodType: undefined,
  session: newSessionTimes(choosingEnds),
};

/** Three payment options: a usable one, one whose provider does not respond, and one without a connector. */
export const exampleOptions: readonly PaymentOption[] = [
  { ...methodOf("GCASH"), connector: "w", currencies: [], disableReason: undefined },
  { ...methodOf("MAYA"), connector: "v", currencies: [], disableReason: "SERVICE_DEGRADE" },
  { ...methodOf("OVO"), connector: undefined, currencies: [], disableReason: "CURRENT_CHANNEL_NOT_EXIST" },
];

/** A payment for each state of the checkout page. */
export const examplePayments: Readonly<Record<CheckoutState, Payment>> = {
  choosing,
  preparing,
  waiting,
  changing: {
    ...waiting,
    session: { ...newSessionTimes(choosingEnds), chosenAt: now, changeRequestedAt: now },
  },
  closing: { ...waiting, expiresAt: now },
  pending: { ...waiting, status: "PENDING", sequence: 2 },
  paid: {
    ...waiting,
    status: "SUCCESS",
    resultCode: "SUCCESS",
    sequence: 2,
    paidAmount: { currency: "EUR", minor: 1250n },
    paidAt: new Date("2026-11-15T09:59:00Z"),
  },
  failed: { ...waiting, status: "FAIL", resultCode: "USER_BALANCE_NOT_ENOUGH", sequence: 2 },
  expired: { ...waiting, status: "FAIL", resultCode: "ORDER_IS_CLOSED", sequence: 2 },
  cancelled: { ...waiting, status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", sequence: 2 },
};

export function exampleCheckout(state: CheckoutState, changes: Partial<Payment> = {}): Checkout {
  return {
    payment: { ...examplePayments[state], ...changes },
    merchantName: "Coffee Lab",
    environment: "live",
    linkSchemes: ["coffeelab"],
    now,
    options: exampleOptions,
    brand: { ...noBrand, logoPath: undefined },
    language: english,
  };
}
