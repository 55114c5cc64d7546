import type { ClientKey } from "../core/client-key.ts";
import { insertDueJob } from "../jobs/job.sql.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { findPaymentByRequest, insertPayments } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import type { ProviderReferences } from "../providers/provider-account.ts";
import type { Session } from "./session.ts";

/**
 * `insertSession` inserts a session, its payment and the job that expires it. It returns false if the request id
 * exists.
 */
export async function insertSession(tx: Tx, session: Session, aheadMs: number): Promise<boolean> {
  const { payment, types, regions, userRegion, paymentExpiresAt, order, customizedInfo } = session;
  const { bucket, clientId, paymentId } = payment;
  if ((await insertPayments(tx, [payment], undefined)).size === 0) return false;
  // The session is inserted by a separate statement, because `insertPayments` is the hot path of `pay`.
  tx.write(sql`
    update payments set session_expires_at = ${payment.session.expiresAt}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    insert into payment_sessions (bucket, payment_id, client_id, payment_method_types, regions, user_region,
      payment_expires_at, order_info, customized_info, created_at)
    values (${bucket}, ${paymentId}, ${clientId}, ${types}::text[], ${regions}::text[], ${userRegion},
      ${paymentExpiresAt}, ${JSON.stringify(order)}::jsonb,
      ${customizedInfo && JSON.stringify(customizedInfo)}::jsonb, ${payment.createdAt})
  `);
  const key = { bucket, clientId, subjectId: paymentId, job: "close-session" } as const;
  insertDueJob(tx, key, payment.session.expiresAt, aheadMs);
  return true;
}

export async function findSessionByRequest(
  tx: Tx,
  owner: ClientKey,
  requestId: string,
): Promise<Session | undefined> {
  return sessionOf(tx, owner, await findPaymentByRequest(tx, owner, requestId));
}

/** `sessionOf` returns the session of a payment; undefined for a payment of `pay`. */
export async function sessionOf(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  payment: Payment | undefined,
): Promise<Session | undefined> {
  if (!payment?.session) return undefined;
  const [row] = await tx.query<SessionRow>(sql`
    select payment_method_types, regions, user_region, payment_expires_at, order_info, customized_info
    from payment_sessions
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${payment.paymentId}
  `);
  if (!row) return undefined;
  return {
    payment: { ...payment, session: payment.session },
    types: row.payment_method_types ?? undefined,
    regions: row.regions ?? undefined,
    userRegion: row.user_region ?? undefined,
    paymentExpiresAt: row.payment_expires_at ?? undefined,
    order: row.order_info,
    customizedInfo: row.customized_info ?? undefined,
  };
}

/**
 * `updateMethodChosen` stores the buyer's choice of a payment method. From then on the payment is like one that `pay`
 * has just inserted.
 */
export function updateMethodChosen(
  tx: Tx,
  { bucket, clientId, paymentId }: Payment,
  chosen: ProviderReferences & {
    readonly paymentMethodType: string;
    readonly connector: string;
    readonly reference: string;
    readonly expiresAt: Date;
    readonly feeTerms: string | undefined;
  },
  now: Date,
): void {
  tx.write(sql`
    update payments
    set payment_method_type = ${chosen.paymentMethodType}, fee_terms = ${chosen.feeTerms}, connector = ${chosen.connector},
      provider_reference = ${chosen.reference}, provider_account = ${chosen.account},
      provider_registration_id = ${chosen.registrationId}, expires_at = ${chosen.expiresAt}, chosen_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
}

/**
 * `updateChangeRequested` records that the buyer wants another payment method. It is an intent, like a cancel: the
 * provider may still report a payment.
 */
export function updateChangeRequested(tx: Tx, { bucket, clientId, paymentId }: Payment, now: Date): void {
  tx.write(sql`
    update payments set change_requested_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
}

interface SessionRow {
  readonly payment_method_types: string[] | null;
  readonly regions: string[] | null;
  readonly user_region: string | null;
  readonly payment_expires_at: Date | null;
  readonly order_info: object;
  readonly customized_info: object | null;
}
