import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Act, AuditEntry, ReadEntry } from "./audit.ts";

/** In the transaction of the act: either both happen, or neither does. */
export async function insertAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { actor, act, subject, organisationId, reason, before, after } = entry;
  await tx.query(sql`
    insert into audit (actor_kind, actor, role, act, subject, about_client, reason, before, after)
    values (${actor.kind}, ${actor.name}, ${actor.role}, ${act}, ${subject}, ${organisationId}, ${reason},
      ${before && JSON.stringify(before)}::json, ${after && JSON.stringify(after)}::json)
  `);
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

export interface AuditVerdict {
  readonly entries: number;
  /** The first row that does not fit what is before it. */
  readonly broken: number | undefined;
}

/** Recomputes the hash chain. What was cut off at its end is seen only by comparing with an earlier count. */
export async function verifyAudit(tx: Tx): Promise<AuditVerdict> {
  const [row] = await tx.query<{ entries: string; broken: string | null }>(sql`
    select count(*) as entries, min(seq) filter (where hash is distinct from own_hash
      or previous_hash <> coalesce(hash_before, decode('', 'hex')) or seq <> place) as broken
    from (
      select seq, hash, previous_hash, audit_hash(entry) as own_hash,
        lag(hash) over (order by seq) as hash_before, row_number() over (order by seq) as place
      from audit as entry
    ) as chain
  `);
  const { entries = "0", broken } = row ?? {};
  return { entries: Number(entries), broken: broken ? Number(broken) : undefined };
}
