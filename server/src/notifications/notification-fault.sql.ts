import { sql, type Tx } from "../postgres/sql.ts";
import type { FaultKind, NotificationFault } from "./notification-fault.ts";
import type { Notification } from "./notification.ts";

export interface ConfiguredFault extends NotificationFault {
  readonly bucket: number;
  readonly clientId: string;
  readonly faultRequestId: string;
  /** Only webhooks about this record. */
  readonly subjectId: string | undefined;
  /** Only webhooks to this origin. */
  readonly origin: string | undefined;
  readonly count: number;
}

/** `insertFault` inserts a fault, or replaces an earlier one with the same id (upsert). */
export function insertFault(tx: Tx, fault: ConfiguredFault): void {
  tx.write(sql`
    insert into notification_faults
      (bucket, client_id, fault_request_id, kind, subject_id, origin, remaining, delay_seconds)
    values (${fault.bucket}, ${fault.clientId}, ${fault.faultRequestId}, ${fault.kind}, ${fault.subjectId},
      ${fault.origin}, ${fault.count}, ${fault.delaySeconds})
    on conflict (bucket, client_id, fault_request_id) do update
      set kind = excluded.kind, subject_id = excluded.subject_id, origin = excluded.origin,
        remaining = excluded.remaining, delay_seconds = excluded.delay_seconds
  `);
}

/** `takeFault` returns the oldest matching fault, and decrements its counter under a row lock. */
export async function takeFault(
  tx: Tx,
  { bucket, clientId, subjectId }: Notification,
  origin: string,
): Promise<NotificationFault | undefined> {
  const [row] = await tx.query<{ kind: FaultKind; delay_seconds: number }>(sql`
    update notification_faults set remaining = remaining - 1
    where bucket = ${bucket} and client_id = ${clientId} and fault_request_id = (
      select fault_request_id from notification_faults
      where bucket = ${bucket} and client_id = ${clientId} and remaining > 0
        and coalesce(subject_id, ${subjectId}) = ${subjectId} and coalesce(origin, ${origin}) = ${origin}
      order by created_at limit 1
      for update)
    returning kind, delay_seconds
  `);
  return row && { kind: row.kind, delaySeconds: row.delay_seconds };
}
