import { insertAudit as insertRow } from "../../../server/src/audit/audit.sql.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Act, AuditEntry, ReadEntry } from "./audit.ts";

/** In the transaction of the act: either both happen, or neither does. Here it is about an organisation. */
export async function insertAudit(tx: Tx, { organisationId, ...entry }: AuditEntry): Promise<void> {
  await insertRow(tx, { ...entry, clientId: organisationId });
}

/** The newest first, from before a number on. */
export async function listAudit(
  tx: Tx,
  { organisationId, before }: { readonly organisationId: string; readonly before: number },
): Promise<readonly ReadEntry[]> {
  const rows = await tx.query<AuditRow>(sql`
    select seq, at, actor_kind, actor, role, act, subject, reason, before, after
    from audit where about_client = ${organisationId} and seq < ${before}
    order by seq desc limit 100
  `);
  return rows.map((row) => ({
    seq: Number(row.seq),
    at: row.at,
    actor: { kind: row.actor_kind, name: row.actor, role: row.role },
    act: row.act,
    subject: row.subject,
    organisationId,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.before !== null && { before: row.before }),
    ...(row.after !== null && { after: row.after }),
  }));
}

interface AuditRow {
  readonly seq: string;
  readonly at: Date;
  readonly actor_kind: "person" | "command";
  readonly actor: string;
  readonly role: string;
  readonly act: Act;
  readonly subject: string;
  readonly reason: string | null;
  readonly before: object | null;
  readonly after: object | null;
}
