import { sql, type Tx } from "../postgres/sql.ts";
import type { AuditLink } from "./audit-chain.ts";
import { parseAuditedChanges } from "./row-change.ts";
import { auditJson, type AuditEntry, type AuditFilter, type NewAudit } from "./audit.ts";

/**
 * Inserts the audit row of an act, in the act's transaction. The database numbers and chains it under a lock that is
 * held until the commit. So `insertAudit` must be the last statement of the transaction, to keep the lock short.
 */
export async function insertAudit(
  tx: Tx,
  { actor, act, subject, clientId, reason, before, after }: NewAudit,
): Promise<void> {
  await tx.query(sql`
    insert into audit (actor_kind, actor, role, act, subject, about_client, reason, before, after)
    values (${actor.kind}, ${actor.name}, ${actor.role}, ${act}, ${subject}, ${clientId}, ${reason},
      ${before && auditJson(before)}::json, ${after && auditJson(after)}::json)
  `);
}

/** Returns the widest staff role of the login; `owner` for a login without restrictions. */
export async function findStaffRole(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ role: string }>(sql`
    select roles.name as role from pg_class as owned,
      unnest(array['owner', 'admin', 'operator', 'finance', 'support']) with ordinality as roles (name, place)
    where owned.oid = 'audit'::regclass and pg_has_role(session_user,
      (case roles.name when 'owner' then pg_get_userbyid(owned.relowner)::text else 'tollgate_' || roles.name end)::name,
      'member')
    order by place limit 1
  `);
  return row?.role ?? "login";
}

/** Lists the newest matching rows, newest first. */
export async function listAudit(
  tx: Tx,
  { clientId, actor, act, since, until, beforeSeq }: AuditFilter,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const rows = await tx.query<AuditRow>(sql`
    select seq, at, actor_kind, actor, role, login, act, subject, about_client, reason, before, after, changes::text as changes from audit
    where (${clientId}::text is null or about_client = ${clientId})
      and (${actor}::text is null or actor = ${actor}) and (${act}::text is null or act = ${act})
      and (${since}::timestamptz is null or at >= ${since}) and (${until}::timestamptz is null or at < ${until})
      and (${beforeSeq}::bigint is null or seq < ${beforeSeq})
    order by seq desc limit ${limit}
  `);
  return rows.map(toAuditEntry);
}

export interface MerchantAuditFilter extends Omit<AuditFilter, "actor"> {
  readonly clientId: string;
  readonly beforeSeq: number;
  /** The id of a person, or `provider` for all acts by the operator. */
  readonly actor: string | undefined;
}

/**
 * Lists the acts about one merchant, newest first, for the merchant itself. Page views by staff (in accounts, acts
 * that end in `.see`) and approval requests are left out, because they changed nothing and a suspected merchant must
 * not be warned.
 */
export async function listMerchantAudit(
  tx: Tx,
  { clientId, actor, act, since, until, beforeSeq }: MerchantAuditFilter,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const rows = await tx.query<AuditRow>(sql`
    select seq, at, actor_kind, actor, role, login, act, subject, about_client, reason, before, after, changes::text as changes from audit
    where about_client = ${clientId} and seq < ${beforeSeq} and act !~ '^(views|staff)/|[.]see$|^(ask|approval approve)$'
      and (${actor}::text is null
        or ${actor} = case when actor_kind <> 'person' or role like 'staff-%' then 'provider' else actor end)
      and (${act}::text is null or act = ${act})
      and (${since}::timestamptz is null or at >= ${since}) and (${until}::timestamptz is null or at < ${until})
    order by seq desc limit ${limit}
  `);
  return rows.map(toAuditEntry);
}

function toAuditEntry(row: AuditRow): AuditEntry {
  return {
    seq: Number(row.seq),
    at: row.at,
    actor: { kind: row.actor_kind, name: row.actor, role: row.role },
    login: row.login,
    act: row.act,
    subject: row.subject,
    clientId: row.about_client ?? undefined,
    reason: row.reason ?? undefined,
    before: row.before ?? undefined,
    after: row.after ?? undefined,
    rowChanges: row.changes === null ? [] : parseAuditedChanges(row.changes),
  };
}

/**
 * Lists the links of the chain after the link with this number, in order. The time is text, because a `Date` has no
 * microseconds.
 */
export async function listLinks(tx: Tx, after: number, limit: number): Promise<readonly AuditLink[]> {
  const rows = await tx.query<LinkRow>(sql`
    select seq, array[seq::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), actor_kind, actor, role,
        login, act, subject, about_client, reason, before::text, after::text, transaction::text]
        || case when changes is null then '{}'::text[] else array[changes::text] end as fields,
      encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash
    from audit where seq > ${after} order by seq limit ${limit}
  `);
  return rows.map(({ seq, fields, previous_hash, hash }) => ({
    seq: Number(seq),
    fields: fields.map((field) => field ?? undefined),
    previousHash: previous_hash,
    hash,
  }));
}

/** Returns the last link of the chain, or the link with this number. */
export async function findLink(
  tx: Tx,
  seq?: number,
): Promise<{ readonly seq: number; readonly hash: string } | undefined> {
  const [row] = await tx.query<{ seq: string; hash: string }>(sql`
    select seq, encode(hash, 'hex') as hash from audit
    where ${seq}::bigint is null or seq = ${seq} order by seq desc limit 1
  `);
  return row && { seq: Number(row.seq), hash: row.hash };
}

interface AuditRow {
  readonly seq: string;
  readonly at: Date;
  readonly actor_kind: AuditEntry["actor"]["kind"];
  readonly actor: string;
  readonly role: string;
  readonly login: string;
  readonly act: string;
  readonly subject: string;
  readonly about_client: string | null;
  readonly reason: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly changes: string | null;
}

interface LinkRow {
  readonly seq: string;
  readonly fields: readonly (string | null)[];
  readonly previous_hash: string;
  readonly hash: string;
}
