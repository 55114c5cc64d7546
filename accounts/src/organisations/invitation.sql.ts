import type { PersonKind, Role } from "../../../server/src/people/role.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface Invitation {
  readonly invitationId: string;
  readonly organisationId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

/** `insertInvitation` replaces an earlier invitation to the same address, whose link becomes invalid. */
export async function insertInvitation(
  tx: Tx,
  { invitationId, organisationId, email, role, invitedBy, expiresAt }: Invitation,
  linkHash: Uint8Array,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into invitations (invitation_id, organisation_id, link_hash, email, role, invited_by, created_at, expires_at)
    values (${invitationId}, ${organisationId}, ${linkHash}, ${email}, ${role}, ${invitedBy}, ${now}, ${expiresAt})
    on conflict (organisation_id, email) do update set invitation_id = excluded.invitation_id,
      link_hash = excluded.link_hash, role = excluded.role, invited_by = excluded.invited_by,
      created_at = excluded.created_at, expires_at = excluded.expires_at
  `);
}

export interface OpenInvitation extends Invitation {
  readonly kind: PersonKind;
  readonly organisation: string;
}

/** `lockInvitation` locks the invitation, so that a link that is opened twice at once is accepted once (race). */
export async function lockInvitation(
  tx: Tx,
  linkHash: Uint8Array,
  now: Date,
): Promise<OpenInvitation | undefined> {
  const [row] = await tx.query<InvitationRow & { readonly kind: PersonKind; readonly name: string }>(sql`
    select i.invitation_id, i.organisation_id, i.email, i.role, i.invited_by, i.expires_at, o.kind, o.name
    from invitations i join organisations o on o.organisation_id = i.organisation_id
    where i.link_hash = ${linkHash} and i.expires_at > ${now} for update of i
  `);
  return row && { ...invitationOf(row), kind: row.kind, organisation: row.name };
}

export async function listInvitations(
  tx: Tx,
  organisationId: string,
  now: Date,
): Promise<readonly Invitation[]> {
  const rows = await tx.query<InvitationRow>(sql`
    select invitation_id, organisation_id, email, role, invited_by, expires_at
    from invitations where organisation_id = ${organisationId} and expires_at > ${now} order by email
  `);
  return rows.map(invitationOf);
}

export async function deleteInvitation(
  tx: Tx,
  organisationId: string,
  invitationId: string,
): Promise<Invitation | undefined> {
  const [row] = await tx.query<InvitationRow>(sql`
    delete from invitations where organisation_id = ${organisationId} and invitation_id = ${invitationId}
    returning invitation_id, organisation_id, email, role, invited_by, expires_at
  `);
  return row && invitationOf(row);
}

/** `deleteInvitationsOf` withdraws the invitations that a person has sent. */
export async function deleteInvitationsOf(
  tx: Tx,
  organisationId: string,
  personId: string,
): Promise<readonly Invitation[]> {
  const rows = await tx.query<InvitationRow>(sql`
    delete from invitations where organisation_id = ${organisationId} and invited_by = ${personId}
    returning invitation_id, organisation_id, email, role, invited_by, expires_at
  `);
  return rows.map(invitationOf);
}

interface InvitationRow {
  readonly invitation_id: string;
  readonly organisation_id: string;
  readonly email: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly expires_at: Date;
}

function invitationOf(row: InvitationRow): Invitation {
  return {
    invitationId: row.invitation_id,
    organisationId: row.organisation_id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    expiresAt: row.expires_at,
  };
}
