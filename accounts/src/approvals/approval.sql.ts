import type { Permission } from "../../../server/src/people/role.ts";
import type { Environment } from "../../../server/src/postgres/migrate.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Approval } from "./approval.ts";

export async function insertApproval(tx: Tx, approval: Approval): Promise<void> {
  const { approvalId, organisationId, environment, permission, act, place, request, reason } = approval;
  await tx.query(sql`
    insert into approvals (approval_id, organisation_id, environment, needs, act, place, request, reason, asked_by, asked_at,
      expires_at)
    values (${approvalId}, ${organisationId}, ${environment}, ${permission}, ${act}, ${place}, ${JSON.stringify(request)}::json,
      ${reason}, ${approval.requestedBy}, ${approval.requestedAt}, ${approval.expiresAt})
  `);
}

/** `listApprovals` returns open approval requests, oldest first. */
export async function listApprovals(
  tx: Tx,
  organisationId: string,
  now: Date,
): Promise<readonly (Approval & { readonly askedByName: string })[]> {
  const rows = await tx.query<ApprovalRow & { readonly name: string }>(sql`
    select a.approval_id, a.organisation_id, a.environment, a.needs, a.act, a.place, a.request, a.reason, a.asked_by,
      a.asked_at, a.confirmed_by, a.expires_at, p.name
    from approvals a join people p on p.person_id = a.asked_by
    where a.organisation_id = ${organisationId} and a.expires_at > ${now} order by a.asked_at
  `);
  return rows.map((row) => ({ ...approvalOf(row), askedByName: row.name }));
}

/**
 * `listApprovable` returns the ids of requests that this member may approve: it must have been a member for long
 * enough.
 */
export async function listApprovable(
  tx: Tx,
  { organisationId, personId }: { readonly organisationId: string; readonly personId: string },
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ approval_id: string }>(sql`
    select approval_id from approvals where organisation_id = ${organisationId} and expires_at > ${now}
      and member_may_approve(organisation_id, ${personId}, asked_at, ${now})
  `);
  return new Set(rows.map(({ approval_id: approvalId }) => approvalId));
}

/** `lockApproval` locks an open approval request and returns it. */
export async function lockApproval(
  tx: Tx,
  organisationId: string,
  approvalId: string,
  now: Date,
): Promise<Approval | undefined> {
  const [row] = await tx.query<ApprovalRow>(sql`
    select approval_id, organisation_id, environment, needs, act, place, request, reason, asked_by, asked_at,
      confirmed_by, expires_at
    from approvals where approval_id = ${approvalId} and organisation_id = ${organisationId} and expires_at > ${now}
    for update
  `);
  return row && approvalOf(row);
}

export async function confirmApproval(
  tx: Tx,
  approvalId: string,
  confirmed: { readonly by: string; readonly at: Date; readonly expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    update approvals set confirmed_by = ${confirmed.by}, confirmed_at = ${confirmed.at}, expires_at = ${confirmed.expiresAt}
    where approval_id = ${approvalId}
  `);
}

export async function deleteApproval(tx: Tx, approvalId: string): Promise<void> {
  await tx.query(sql`delete from approvals where approval_id = ${approvalId}`);
}

interface ApprovalRow {
  readonly approval_id: string;
  readonly organisation_id: string;
  readonly environment: Environment;
  readonly needs: Permission;
  readonly act: string;
  readonly place: string;
  readonly request: object;
  readonly reason: string;
  readonly asked_by: string;
  readonly asked_at: Date;
  readonly confirmed_by: string | null;
  readonly expires_at: Date;
}

function approvalOf(row: ApprovalRow): Approval {
  const { environment, act, place, request, reason } = row;
  return {
    approvalId: row.approval_id,
    organisationId: row.organisation_id,
    environment,
    permission: row.needs,
    act,
    place,
    request,
    reason,
    requestedBy: row.asked_by,
    requestedAt: row.asked_at,
    confirmedBy: row.confirmed_by ?? undefined,
    expiresAt: row.expires_at,
  };
}
