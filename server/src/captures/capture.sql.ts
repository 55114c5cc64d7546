import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import type { ResultCode } from "../core/result.ts";
import { changedColumns, insertEvent } from "../payments/payment.sql.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Capture, CaptureStatus } from "./capture.ts";

export async function findCapture(tx: Tx, owner: ClientKey, captureId: string): Promise<Capture | undefined> {
  const [row] = await tx.query<CaptureRow>(sql`
    select ${columns} from captures
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and capture_id = ${captureId}
  `);
  return row && toCapture(row);
}

export async function findCaptureByRequest(
  tx: Tx,
  owner: ClientKey,
  requestId: string,
): Promise<Capture | undefined> {
  const [row] = await tx.query<CaptureRow>(sql`
    select ${columns} from captures
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and capture_request_id = ${requestId}
  `);
  return row && toCapture(row);
}

/** `findCaptureByReference` returns a capture by its payment and its reference at the provider. */
export async function findCaptureByReference(
  tx: Tx,
  owner: ClientKey,
  { paymentId, reference }: { readonly paymentId: string; readonly reference: string },
): Promise<Capture | undefined> {
  const [row] = await tx.query<CaptureRow>(sql`
    select ${columns} from captures
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
      and reference = ${reference}
  `);
  return row && toCapture(row);
}

export async function listCaptures(tx: Tx, owner: ClientKey, paymentId: string): Promise<readonly Capture[]> {
  const rows = await tx.query<CaptureRow>(sql`
    select ${columns} from captures
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
  `);
  return rows.map(toCapture);
}

/**
 * `sumCaptured` returns the sum of successful captures, which is the refundable amount of an authorized payment. A
 * capture in progress may still fail, so it does not count.
 */
export async function sumCaptured(tx: Tx, owner: ClientKey, paymentId: string): Promise<bigint> {
  const [row] = await tx.query<{ captured: string }>(sql`
    select coalesce(sum(amount_minor), 0) as captured from captures
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and payment_id = ${paymentId}
      and status = 'SUCCESS'
  `);
  return BigInt(row?.captured ?? 0);
}

/**
 * `listNewestCaptures` lists captures of all payments of a merchant, the newest first. It returns one row more than the
 * limit, to show whether there is a next page. It scans the primary key and skips rows with another status.
 */
export async function listNewestCaptures(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status }: { readonly status: string | undefined },
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly Capture[]> {
  const rows = await tx.query<CaptureRow>(sql`
    select ${columns} from captures
    where bucket = ${bucket} and client_id = ${clientId} and capture_id >= ${idFrom} and capture_id < ${idBefore}
      and (${status}::text is null or status = ${status})
    order by capture_id desc limit ${limit}::int + 1
  `);
  return rows.map(toCapture);
}

/**
 * `insertCapture` inserts a new capture and adds it to its payment's captured sum. Idempotency: it returns false and
 * writes nothing if the request id exists. The unique key decides a race.
 */
export async function insertCapture(tx: Tx, capture: Capture): Promise<boolean> {
  const { bucket, clientId, paymentId, amount } = capture;
  const rows = await tx.query(sql`
    with inserted as (
      insert into captures (bucket, capture_id, client_id, capture_request_id, payment_id, status, result_code,
        currency, amount_minor, is_last, fingerprint, connector, reference, created_at)
      values (${bucket}, ${capture.captureId}, ${clientId}, ${capture.captureRequestId}, ${paymentId},
        ${capture.status}, ${capture.resultCode}, ${amount.currency}, ${amount.minor}, ${capture.isLast},
        ${capture.fingerprint}, ${capture.connector}, ${capture.reference}, ${capture.createdAt})
      on conflict (bucket, client_id, capture_request_id) do nothing
      returning bucket, client_id, payment_id, amount_minor
    )
    update payments set captured_minor = payments.captured_minor + inserted.amount_minor,
      transaction_count = transaction_count + 1
    from inserted
    where payments.bucket = inserted.bucket and payments.client_id = inserted.client_id
      and payments.payment_id = inserted.payment_id
    returning payments.payment_id
  `);
  return rows.length === 1;
}

export function updateCaptureAccepted(tx: Tx, { bucket, clientId, captureId }: Capture, now: Date): void {
  tx.write(sql`
    update captures set accepted_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and capture_id = ${captureId}
  `);
}

/**
 * `updateCaptureFinished` records a capture's result, and subtracts a failed capture from its payment's captured sum.
 * The transaction has locked the payment.
 */
export function updateCaptureFinished(
  tx: Tx,
  { bucket, clientId, captureId }: Capture,
  { status, resultCode }: { readonly status: CaptureStatus; readonly resultCode: ResultCode },
  now: Date,
): void {
  tx.write(sql`
    with finished as (
      update captures set status = ${status}, result_code = ${resultCode}, finished_at = ${now}
      where bucket = ${bucket} and client_id = ${clientId} and capture_id = ${captureId}
      returning bucket, client_id, payment_id, status, amount_minor
    ), changed as (
      update payments set sequence = sequence + 1,
        captured_minor = captured_minor - case when finished.status = 'FAIL' then finished.amount_minor else 0 end
      from finished
      where payments.bucket = finished.bucket and payments.client_id = finished.client_id
        and payments.payment_id = finished.payment_id
      returning ${changedColumns}, ${now}::timestamptz as at
    )
    ${insertEvent}
  `);
}

const columns = fragment`bucket, client_id, capture_id, capture_request_id, payment_id, status, result_code,
  currency, amount_minor, is_last, fingerprint, connector, reference, created_at, accepted_at, finished_at`;

interface CaptureRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly capture_id: string;
  readonly capture_request_id: string;
  readonly payment_id: string;
  readonly status: CaptureStatus;
  readonly result_code: ResultCode;
  readonly currency: string;
  readonly amount_minor: string;
  readonly is_last: boolean;
  readonly fingerprint: Buffer;
  readonly connector: string;
  readonly reference: string;
  readonly created_at: Date;
  readonly accepted_at: Date | null;
  readonly finished_at: Date | null;
}

function toCapture(row: CaptureRow): Capture {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    captureId: row.capture_id,
    captureRequestId: row.capture_request_id,
    paymentId: row.payment_id,
    status: row.status,
    resultCode: row.result_code,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    isLast: row.is_last,
    fingerprint: row.fingerprint,
    connector: row.connector,
    reference: row.reference,
    createdAt: row.created_at,
    acceptedAt: row.accepted_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
  };
}
