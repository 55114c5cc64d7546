import type { Payment } from "../payment.ts";

/** A payment of 12.50 EUR that was just asked for; tests of rules change what they are about. */
export function examplePayment(more: Partial<Payment> = {}): Payment {
  return {
    bucket: 1,
    clientId: "SANDBOX_A",
    paymentId: "20261115100000000000101000000000001",
    paymentRequestId: "order-1",
    productCode: "CASHIER_PAYMENT",
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    amount: { currency: "EUR", minor: 1250n },
    paidAmount: undefined,
    createdAt: new Date("2026-11-15T10:00:00Z"),
    paidAt: undefined,
    sequence: 1,
    fingerprint: undefined,
    paymentMethodType: "GCASH",
    orderDescription: "Two coffees",
    redirectUrl: undefined,
    notifyUrl: undefined,
    metadata: undefined,
    wallet: { connector: "w", reference: "r", acceptedAt: undefined, code: undefined, url: undefined },
    expiresAt: new Date("2026-11-15T10:14:00Z"),
    cancelRequestedAt: undefined,
    cancelledAt: undefined,
    captureMode: "AUTOMATIC",
    authExpiresAt: undefined,
    releasedAt: undefined,
    capturedMinor: 0n,
    refundedMinor: 0n,
    feeBasisPoints: 0,
    transactionCount: 0,
    scenario: undefined,
    sealedCode: undefined,
    ...more,
  };
}
