import assert from "node:assert/strict";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { auditJson, type Act } from "./audit.ts";
import { parseRowChanges, type RowChange } from "./row-change.ts";

/** An approval request and its approval, if there is one. */
export interface ApprovalRequest extends Act {
  readonly askedId: number;
  /** The only row changes that a commit may make with the approval. */
  readonly changes: readonly RowChange[];
  readonly reason: string | undefined;
  readonly askedBy: string;
  readonly askedLogin: string;
  readonly askedAt: Date;
  readonly approvedBy: string | undefined;
}

/**
 * The content of an approval request. `before` and `after` are the requester's description, only for acts without
 * recorded row changes.
 */
export interface ApprovalContent extends Act {
  /** JSON as `findChangesToApprove` returns it. */
  readonly changes: string;
}

export interface NewApprovalRequest extends ApprovalContent {
  readonly reason: string | undefined;
  readonly requestedBy: string;
}

/** The lifetime of an approval request; `approvalLifetime` is the lifetime of the approval. */
const requestLifetime = fragment`interval '1 day'`;
const columns = fragment`asked_id, act, subject, about_client, changes::text as changes, before, after, reason, asked_by, asked_login, asked_at,
  approved_by, approved_login`;
const approvalLifetime = fragment`interval '1 hour'`;

/** Returns this transaction's recorded row changes that need an approval in live. */
export async function findChangesToApprove(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ changes: string }>(sql`select changes_to_approve()::text as changes`);
  return row?.changes ?? "[]";
}

/**
 * Returns the digest of the content that the approver reads. PostgreSQL computes it in the same way when a request is
 * stored.
 */
async function computeDigest(
  tx: Tx,
  { act, subject, changes, before, after }: ApprovalContent,
): Promise<Buffer> {
  const [row] = await tx.query<{ digest: Buffer }>(sql`
    select approval_digest(${act}, ${subject}, ${changes}::jsonb, ${before && auditJson(before)}::jsonb,
      ${after && auditJson(after)}::jsonb) as digest
  `);
  assert(row, "A function returns a value.");
  return row.digest;
}

/**
 * Inserts an approval request and returns its number. If this login already made the same request, returns that
 * request's number.
 */
export async function insertApprovalRequest(
  tx: Tx,
  request: NewApprovalRequest,
): Promise<{ readonly requestId: number; readonly isNew: boolean }> {
  const { act, subject, clientId, changes, before, after, reason, requestedBy } = request;
  const digest = await computeDigest(tx, request);
  const [row] = await tx.query<{ asked_id: string; is_new: boolean }>(sql`
    with waiting as (
      select asked_id from approval_requests
      where digest = ${digest} and asked_login = session_user and approved_at is null
        and asked_at > clock_timestamp() - ${requestLifetime}
      order by asked_id desc limit 1
    ), added as (
      insert into approval_requests (act, subject, about_client, changes, before, after, reason, asked_by)
      select ${act}, ${subject}, ${clientId}, ${changes}::jsonb, ${before && auditJson(before)}::json,
        ${after && auditJson(after)}::json, ${reason}, ${requestedBy}
      where not exists (select from waiting)
      returning asked_id
    )
    select asked_id, true as is_new from added union all select asked_id, false from waiting
  `);
  return { requestId: Number(row?.asked_id), isNew: row?.is_new === true };
}

/**
 * Marks an approval of this login's request as used; returns the approver, if there is one. PostgreSQL checks the
 * approval at the commit.
 */
export async function updateApprovalUsed(tx: Tx, request: ApprovalContent): Promise<string | undefined> {
  const digest = await computeDigest(tx, request);
  const [row] = await tx.query<{ approved_by: string; approved_login: string }>(sql`
    update approval_requests set used_at = clock_timestamp()
    where asked_id = (
      select asked_id from approval_requests
      where digest = ${digest} and asked_login = session_user and used_at is null
        and approved_at > clock_timestamp() - ${approvalLifetime}
      order by asked_id limit 1)
    returning approved_by, approved_login
  `);
  return row && nameWithLogin(row.approved_by, row.approved_login);
}

interface ConsoleApproval {
  readonly act: string;
  readonly subject: string;
  readonly requestedBy: string;
  readonly approvedBy: string;
}

/** Inserts an approval that was given in the operator console. Only the console's login may insert these. */
export async function insertConsoleApproval(
  tx: Tx,
  { act, subject, requestedBy, approvedBy }: ConsoleApproval,
): Promise<void> {
  await tx.query(sql`
    insert into console_approvals (act, subject, requested_by, approved_by)
    values (${act}, ${subject}, ${requestedBy}, ${approvedBy})
  `);
}

/**
 * Approves a request; undefined if there is no open request with this number. PostgreSQL rejects the requester's
 * login.
 */
export async function updateRequestApproved(
  tx: Tx,
  askedId: number,
  by: string,
): Promise<ApprovalRequest | undefined> {
  const [row] = await tx.query<RequestRow>(sql`
    update approval_requests set approved_by = ${by}
    where asked_id = ${askedId} and approved_at is null and asked_at > clock_timestamp() - ${requestLifetime}
    returning ${columns}
  `);
  return row && toApprovalRequest(row);
}

/** Lists pending requests and unused approvals, oldest first. */
export async function listApprovalRequests(tx: Tx): Promise<readonly ApprovalRequest[]> {
  const rows = await tx.query<RequestRow>(sql`
    select ${columns}
    from approval_requests
    where used_at is null and case when approved_at is null then asked_at > clock_timestamp() - ${requestLifetime}
      else approved_at > clock_timestamp() - ${approvalLifetime} end
    order by asked_id
  `);
  return rows.map(toApprovalRequest);
}

interface RequestRow {
  readonly asked_id: string;
  readonly act: string;
  readonly subject: string;
  readonly about_client: string | null;
  readonly changes: string;
  readonly before: object | null;
  readonly after: object | null;
  readonly reason: string | null;
  readonly asked_by: string;
  readonly asked_login: string;
  readonly asked_at: Date;
  readonly approved_by: string | null;
  readonly approved_login: string | null;
}

function toApprovalRequest(row: RequestRow): ApprovalRequest {
  return {
    askedId: Number(row.asked_id),
    act: row.act,
    subject: row.subject,
    clientId: row.about_client ?? undefined,
    changes: parseRowChanges(row.changes),
    before: row.before ?? undefined,
    after: row.after ?? undefined,
    reason: row.reason ?? undefined,
    askedBy: row.asked_by,
    askedLogin: row.asked_login,
    askedAt: row.asked_at,
    approvedBy:
      row.approved_by === null
        ? undefined
        : nameWithLogin(row.approved_by, row.approved_login ?? row.approved_by),
  };
}

/** Combines a person's given name with the login, because only the login is authenticated. */
function nameWithLogin(name: string, login: string): string {
  return name === login ? name : `${name} (${login})`;
}
