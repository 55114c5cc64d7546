import { initialPaymentValues, type Payment } from "../../src/payments/payment.ts";
import { emptyTexts } from "../../src/payments/request-texts.ts";

/** A new payment of 12.50 EUR; tests override the fields that they are about. */
export function examplePayment(more: Partial<Payment> = {}): Payment {
  return {
    ...initialPaymentValues,
    ...emptyTexts,
    bucket: 1,
    clientId: "SANDBOX_A",
    paymentId: "20261115100000000000101000000000001",
    paymentRequestId: "order-1",
    productCode: "CASHIER_PAYMENT",
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    amount: { currency: "EUR", minor: 1250n },
    createdAt: new Date("2026-11-15T10:00:00Z"),
    fingerprint: undefined,
    paymentMethodType: "GCASH",
    orderDescription: "Two coffees",
    checkoutOrder: undefined,
    order: {
      connector: "w",
      reference: "r",
      account: undefined,
      registrationId: undefined,
      acceptedAt: undefined,
      nextAction: undefined,
      actionSequence: 0,
    },
    expiresAt: new Date("2026-11-15T10:14:00Z"),
    session: undefined,
    captureMode: "AUTOMATIC",
    feeBasisPoints: 0,
    feeTerms: undefined,
    scenario: undefined,
    sealedSecret: undefined,
    ...more,
  };
}
