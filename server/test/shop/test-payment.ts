import { randomInt } from "node:crypto";
import { bucketOf } from "../../src/core/bucket.ts";
import { newId } from "../../src/core/id.ts";
import { actionColumns } from "../../src/payments/next-actions/next-action-columns.ts";
import type { NextAction } from "../../src/providers/next-action.ts";
import type { PaymentStatus, ProductCode } from "../../src/payments/payment.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";

export interface TestPayment {
  readonly paymentId: string;
  readonly paymentRequestId: string;
}

export interface TestPaymentFields {
  readonly status?: PaymentStatus;
  readonly resultCode?: string;
  readonly productCode?: ProductCode;
  readonly paymentMethodType?: string;
  /** The order as shown to the buyer, as `serializeCheckoutOrder` writes it. */
  readonly orderShown?: string;
  readonly currency?: string | null;
  readonly amountMinor?: bigint | null;
  readonly paidMinor?: bigint | null;
  readonly createdAt?: Date;
  readonly paidAt?: Date | null;
  readonly orderDescription?: string;
  readonly redirectUrl?: string;
  readonly expiresAt?: Date;
  readonly cancelRequestedAt?: Date;
  /** Until when the buyer could choose; if absent, the payment did not begin as a session. */
  readonly sessionExpiresAt?: Date;
  readonly changeRequestedAt?: Date;
  /** The order at the provider; if absent, the payment was never sent to one. */
  readonly order?: {
    readonly acceptedAt?: Date;
    readonly nextAction?: NextAction;
  };
}

/** Inserts a payment into the database, as if it had been created and paid. */
export async function insertTestPayment(
  database: TestDatabase,
  clientId: string,
  given: TestPaymentFields = {},
): Promise<TestPayment> {
  const { status = "SUCCESS", createdAt = new Date("2026-03-01T12:34:50Z"), order } = given;
  const paid = status === "SUCCESS";
  const currency = given.currency === undefined ? "USD" : given.currency;
  const amountMinor = given.amountMinor === undefined ? 10_000n : given.amountMinor;
  const paidMinor = given.paidMinor === undefined && paid ? amountMinor : (given.paidMinor ?? null);
  const paidAt =
    given.paidAt === undefined && paid ? new Date("2026-03-01T12:34:56Z") : (given.paidAt ?? null);
  const bucket = bucketOf(clientId);
  const paymentId = newId("payment", bucket, createdAt, (below) => randomInt(below));
  const columns = actionColumns({ nextAction: order?.nextAction, actionSequence: 1 });
  const paymentRequestId = `order-${paymentId.slice(-12)}`;
  await asSuperuser(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
       currency, amount_minor, paid_currency, paid_minor, created_at, paid_at, order_description, redirect_url,
       expires_at, cancel_requested_at, connector, provider_reference, provider_accepted_at, provider_code, provider_url,
       next_action, payment_method_type, order_shown, session_expires_at, change_requested_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27)`,
    [
      bucket,
      paymentId,
      clientId,
      paymentRequestId,
      given.productCode ?? "CASHIER_PAYMENT",
      status,
      given.resultCode ?? (paid ? "SUCCESS" : "PAYMENT_IN_PROCESS"),
      currency,
      amountMinor,
      paidMinor === null ? null : currency,
      paidMinor,
      createdAt,
      paidAt,
      given.orderDescription,
      given.redirectUrl,
      given.expiresAt,
      given.cancelRequestedAt,
      order && "test-provider",
      order && `reference-${paymentId}`,
      order?.acceptedAt,
      columns.code,
      columns.url,
      columns.json,
      given.paymentMethodType,
      given.orderShown,
      given.sessionExpiresAt,
      given.changeRequestedAt,
    ],
    database.superuserUrl,
  );
  return { paymentId, paymentRequestId };
}
