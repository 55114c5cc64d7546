import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Dispute, DisputeEvent, DisputeStatus, PendingAnswer } from "./dispute.ts";
import type { AcceptReason, DisputeType, EvidenceType, JudgedResult } from "../providers/dispute-values.ts";

export async function findDispute(tx: Tx, owner: ClientKey, disputeId: string): Promise<Dispute | undefined> {
  const [row] = await tx.query<DisputeRow>(sql`
    select ${columns} from disputes
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and dispute_id = ${disputeId}
  `);
  return row && toDispute(row);
}

/** `findDisputeByProviderId` finds a dispute by the provider's own id. */
export async function findDisputeByProviderId(
  tx: Tx,
  owner: ClientKey,
  { connector, providerDisputeId }: Pick<Dispute, "connector" | "providerDisputeId">,
): Promise<Dispute | undefined> {
  const [row] = await tx.query<DisputeRow>(sql`
    select ${columns} from disputes
    where bucket = ${owner.bucket} and client_id = ${owner.clientId} and connector = ${connector}
      and provider_dispute_id = ${providerDisputeId}
  `);
  return row && toDispute(row);
}

/**
 * `listDisputes` lists the merchant's disputes, the newest first. It returns one row more than the limit, to show
 * whether there is a next page. It scans the primary key and skips rows with another status.
 */
export async function listDisputes(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status }: { readonly status: string | undefined },
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly Dispute[]> {
  const rows = await tx.query<DisputeRow>(sql`
    select ${columns} from disputes
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id >= ${idFrom} and dispute_id < ${idBefore}
      and (${status}::text is null or status = ${status})
    order by dispute_id desc limit ${limit}::int + 1
  `);
  return rows.map(toDispute);
}

/** `listDisputesOfPayment` lists all disputes of a payment, the newest first. */
export async function listDisputesOfPayment(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
): Promise<readonly Dispute[]> {
  const rows = await tx.query<DisputeRow>(sql`
    select ${columns} from disputes
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    order by dispute_id desc
  `);
  return rows.map(toDispute);
}

/** A position in the list by deadline; disputes without a deadline come last. */
export type DeadlineCursor = Pick<Dispute, "dueAt" | "disputeId">;

/**
 * `listUnansweredDisputes` lists disputes that wait for the merchant's answer, the nearest deadline first. It returns
 * one row more than the limit, to show whether there is a next page. It scans the index `disputes_unanswered`.
 */
export async function listUnansweredDisputes(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { after, limit }: { readonly after: DeadlineCursor | undefined; readonly limit: number },
): Promise<readonly Dispute[]> {
  const dueAfter = after ? (after.dueAt ?? "infinity") : "-infinity";
  const rows = await tx.query<DisputeRow>(sql`
    select ${columns} from disputes
    where bucket = ${bucket} and client_id = ${clientId} and status = 'CREATED' and answer is null
      and (coalesce(due_at, 'infinity'::timestamptz), dispute_id)
        > (${dueAfter}::timestamptz, ${after?.disputeId ?? ""}::text)
    order by coalesce(due_at, 'infinity'::timestamptz), dispute_id limit ${limit}::int + 1
  `);
  return rows.map(toDispute);
}

/**
 * `insertDispute` inserts a dispute. The transaction must hold the row lock of the payment, which covers the payment's
 * disputes, too.
 */
export async function insertDispute(tx: Tx, dispute: Dispute): Promise<void> {
  const { bucket, clientId, amount, answer } = dispute;
  await tx.query(sql`
    insert into disputes (bucket, dispute_id, client_id, payment_id, connector, provider_dispute_id, provider_sequence, type,
      status, currency, amount_minor, frozen_minor, debited_minor, reason_code, reason_message, source, defendable,
      wanted_evidence, auto_defend_reason, created_at, due_at, answer, answer_requested_at, defenses, resolved_at, sequence)
    values (${bucket}, ${dispute.disputeId}, ${clientId}, ${dispute.paymentId}, ${dispute.connector},
      ${dispute.providerDisputeId}, ${dispute.providerSequence}, ${dispute.type}, ${dispute.status}, ${amount.currency},
      ${amount.minor}, ${dispute.frozenMinor}, ${dispute.debitedMinor}, ${dispute.reasonCode},
      ${dispute.reasonMessage}, ${dispute.source}, ${dispute.defendable}, ${dispute.wantedEvidence}::text[],
      ${dispute.autoDefendReason},
      ${dispute.createdAt}, ${dispute.dueAt}, ${answer?.kind}, ${answer?.requestedAt}, ${dispute.defenses},
      ${dispute.resolvedAt}, ${dispute.sequence})
  `);
}

/** `updateDispute` writes all fields of a dispute that can change. */
export function updateDispute(tx: Tx, dispute: Dispute): void {
  const { bucket, clientId, disputeId, answer } = dispute;
  tx.write(sql`
    update disputes set provider_sequence = ${dispute.providerSequence}, status = ${dispute.status},
      frozen_minor = ${dispute.frozenMinor}, debited_minor = ${dispute.debitedMinor},
      wanted_evidence = ${dispute.wantedEvidence}::text[], alerted_at = ${dispute.alertedAt}, answer = ${answer?.kind}, answer_requested_at = ${answer?.requestedAt},
      defenses = ${dispute.defenses}, answered_at = ${dispute.answeredAt}, accept_reason = ${dispute.acceptReason},
      judged_result = ${dispute.judgedResult}, judged_minor = ${dispute.judgedMinor}, judged_at = ${dispute.judgedAt},
      resolved_at = ${dispute.resolvedAt}, sequence = ${dispute.sequence}
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
  `);
}

/**
 * `insertDisputeEvent` records a change of a dispute's state under its sequence number, with the type of webhook that
 * it caused.
 */
export function insertDisputeEvent(
  tx: Tx,
  { bucket, clientId, disputeId, sequence, status }: Dispute,
  notificationType: string | undefined,
  now: Date,
): void {
  tx.write(sql`
    insert into dispute_events (bucket, dispute_id, sequence, client_id, at, status, told)
    values (${bucket}, ${disputeId}, ${sequence}, ${clientId}, ${now}, ${status}, ${notificationType})
  `);
}

export async function listDisputeEvents(
  tx: Tx,
  { bucket, clientId, disputeId }: Pick<Dispute, "bucket" | "clientId" | "disputeId">,
): Promise<readonly DisputeEvent[]> {
  const rows = await tx.query<{ at: Date; status: DisputeStatus; told: string | null }>(sql`
    select at, status, told from dispute_events
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
    order by sequence
  `);
  return rows.map(({ at, status, told }) => ({ at, status, notificationType: told ?? undefined }));
}

/** `sumRefunded` returns the sum of the payment's successful refunds. */
export async function sumRefunded(
  tx: Tx,
  { bucket, clientId, paymentId }: Pick<Dispute, "bucket" | "clientId" | "paymentId">,
): Promise<bigint> {
  const [row] = await tx.query<{ refunded: string }>(sql`
    select coalesce(sum(amount_minor), 0) as refunded from refunds
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId} and status = 'SUCCESS'
  `);
  return BigInt(row?.refunded ?? 0);
}

/**
 * `addDisputedAmount` changes the amount of a payment that disputes freeze or have debited. The transaction has
 * locked the payment.
 */
export function addDisputedAmount(
  tx: Tx,
  { bucket, clientId, paymentId }: Dispute,
  changeMinor: bigint,
): void {
  tx.write(sql`
    update payments set disputed_minor = disputed_minor + ${changeMinor}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
}

const columns = fragment`bucket, client_id, dispute_id, payment_id, connector, provider_dispute_id, provider_sequence, type,
  status, currency, amount_minor, frozen_minor, debited_minor, reason_code, reason_message, source, defendable, wanted_evidence,
  auto_defend_reason, created_at, due_at, alerted_at, answer, answer_requested_at, defenses, answered_at,
  accept_reason, judged_result, judged_minor, judged_at, resolved_at, sequence`;

interface DisputeRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly dispute_id: string;
  readonly payment_id: string;
  readonly connector: string;
  readonly provider_dispute_id: string;
  readonly provider_sequence: number;
  readonly type: DisputeType;
  readonly status: DisputeStatus;
  readonly currency: string;
  readonly amount_minor: string;
  readonly frozen_minor: string;
  readonly debited_minor: string;
  readonly reason_code: string;
  readonly reason_message: string;
  readonly source: string;
  readonly defendable: boolean;
  readonly wanted_evidence: readonly EvidenceType[];
  readonly auto_defend_reason: string | null;
  readonly created_at: Date;
  readonly due_at: Date | null;
  readonly alerted_at: Date | null;
  readonly answer: PendingAnswer["kind"] | null;
  readonly answer_requested_at: Date | null;
  readonly defenses: number;
  readonly answered_at: Date | null;
  readonly accept_reason: AcceptReason | null;
  readonly judged_result: JudgedResult | null;
  readonly judged_minor: string | null;
  readonly judged_at: Date | null;
  readonly resolved_at: Date | null;
  readonly sequence: number;
}

function toDispute(row: DisputeRow): Dispute {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    disputeId: row.dispute_id,
    paymentId: row.payment_id,
    connector: row.connector,
    providerDisputeId: row.provider_dispute_id,
    providerSequence: row.provider_sequence,
    type: row.type,
    status: row.status,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    frozenMinor: BigInt(row.frozen_minor),
    debitedMinor: BigInt(row.debited_minor),
    reasonCode: row.reason_code,
    reasonMessage: row.reason_message,
    source: row.source,
    defendable: row.defendable,
    wantedEvidence: row.wanted_evidence,
    autoDefendReason: row.auto_defend_reason ?? undefined,
    createdAt: row.created_at,
    dueAt: row.due_at ?? undefined,
    alertedAt: row.alerted_at ?? undefined,
    answer:
      row.answer && row.answer_requested_at
        ? { kind: row.answer, requestedAt: row.answer_requested_at }
        : undefined,
    defenses: row.defenses,
    answeredAt: row.answered_at ?? undefined,
    acceptReason: row.accept_reason ?? undefined,
    judgedResult: row.judged_result ?? undefined,
    judgedMinor: row.judged_minor === null ? undefined : BigInt(row.judged_minor),
    judgedAt: row.judged_at ?? undefined,
    resolvedAt: row.resolved_at ?? undefined,
    sequence: row.sequence,
  };
}
