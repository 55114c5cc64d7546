import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Organisation } from "../organisations/organisation.ts";
import type { Recovery } from "./recovery.ts";

/** `insertRecovery` returns false if a recovery is already open. It replaces an expired one. */
export async function insertRecovery(
  tx: Tx,
  recovery: Recovery,
  { codeHash, cancelHash }: { readonly codeHash?: Uint8Array; readonly cancelHash: Uint8Array },
): Promise<boolean> {
  const {
    recoveryId,
    personId,
    organisationId,
    requestedBy,
    requestedByCommand,
    reason,
    requestedAt,
    readyAt,
    expiresAt,
  } = recovery;
  await tx.query(sql`delete from recoveries where person_id = ${personId} and expires_at <= ${requestedAt}`);
  const rows = await tx.query(sql`
    insert into recoveries (recovery_id, person_id, organisation_id, asked_by, command_by, reason, code_hash, cancel_hash,
      asked_at, ready_at, expires_at)
    values (${recoveryId}, ${personId}, ${organisationId}, ${requestedBy}, ${requestedByCommand}, ${reason}, ${codeHash}, ${cancelHash},
      ${requestedAt}, ${readyAt}, ${expiresAt})
    on conflict (person_id) do nothing returning recovery_id
  `);
  return rows.length > 0;
}

/** `lockRecovery` locks an open recovery by id and returns it. */
export async function lockRecovery(tx: Tx, recoveryId: string, now: Date): Promise<Recovery | undefined> {
  const [row] = await tx.query<RecoveryRow>(sql`
    select recovery_id, person_id, organisation_id, asked_by, command_by, confirmed_by, reason, asked_at, ready_at, expires_at
    from recoveries where recovery_id = ${recoveryId} and expires_at > ${now} for update
  `);
  return row && recoveryOf(row);
}

export interface SecondVouch {
  readonly personId: string;
  readonly codeHash: Uint8Array;
  readonly now: Date;
  readonly readyAt: Date;
}

export async function confirmRecovery(
  tx: Tx,
  recoveryId: string,
  { personId, codeHash, now, readyAt }: SecondVouch,
): Promise<void> {
  await tx.query(sql`
    update recoveries set confirmed_by = ${personId}, confirmed_at = ${now}, code_hash = ${codeHash}, ready_at = ${readyAt}
    where recovery_id = ${recoveryId}
  `);
}

/** `findReadyRecovery` returns the recovery of this code, if the code is valid now. */
export async function findReadyRecovery(
  tx: Tx,
  codeHash: Uint8Array,
  now: Date,
): Promise<Recovery | undefined> {
  const [row] = await tx.query<RecoveryRow>(sql`
    select recovery_id, person_id, organisation_id, asked_by, command_by, confirmed_by, reason, asked_at, ready_at, expires_at
    from recoveries where code_hash = ${codeHash} and ready_at <= ${now} and expires_at > ${now}
  `);
  return row && recoveryOf(row);
}

/**
 * `deleteRecoveriesVouchedBy` ends the recoveries for which a person vouched in an organisation. For staff it also
 * ends those of merchants' people.
 */
export async function deleteRecoveriesVouchedBy(
  tx: Tx,
  { organisationId, kind }: Pick<Organisation, "organisationId" | "kind">,
  personId: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ recovery_id: string; person_id: string }>(sql`
    delete from recoveries where ${personId} in (asked_by, confirmed_by)
      and (organisation_id = ${organisationId} or (organisation_id is null and ${kind} = 'staff'))
    returning recovery_id, person_id
  `);
  const ended = rows.map(({ person_id: each }) => each);
  await tx.query(sql`delete from sessions where person_id = any (${ended}) and method = 'recovery'`);
  return rows.map(({ recovery_id: recoveryId }) => recoveryId);
}

/** `lockReadyRecovery` locks the recovery with which a session began, unless it was stopped since. */
export async function lockReadyRecovery(tx: Tx, personId: string, now: Date): Promise<Recovery | undefined> {
  const [row] = await tx.query<RecoveryRow>(sql`
    select recovery_id, person_id, organisation_id, asked_by, command_by, confirmed_by, reason, asked_at, ready_at, expires_at
    from recoveries where person_id = ${personId} and ready_at <= ${now} and expires_at > ${now} for update
  `);
  return row && recoveryOf(row);
}

export async function findRecoveryByLink(
  tx: Tx,
  cancelHash: Uint8Array,
  now: Date,
): Promise<Recovery | undefined> {
  const [row] = await tx.query<RecoveryRow>(sql`
    select recovery_id, person_id, organisation_id, asked_by, command_by, confirmed_by, reason, asked_at, ready_at, expires_at
    from recoveries where cancel_hash = ${cancelHash} and expires_at > ${now} for update
  `);
  return row && recoveryOf(row);
}

/** `listRecoveries` returns the open recoveries of an organisation, or those of the operator. */
export async function listRecoveries(
  tx: Tx,
  organisationId: string | undefined,
  now: Date,
): Promise<readonly (Recovery & { readonly name: string; readonly email: string })[]> {
  const rows = await tx.query<RecoveryRow & { readonly name: string; readonly email: string }>(sql`
    select r.recovery_id, r.person_id, r.organisation_id, r.asked_by, r.command_by, r.confirmed_by, r.reason, r.asked_at, r.ready_at,
      r.expires_at, p.name, p.email
    from recoveries r join people p on p.person_id = r.person_id
    where r.organisation_id is not distinct from ${organisationId} and r.expires_at > ${now} order by r.asked_at
  `);
  return rows.map((row) => ({ ...recoveryOf(row), name: row.name, email: row.email }));
}

/** `deleteRecovery` deletes a recovery and the sessions that began with it. */
export async function deleteRecovery(tx: Tx, { recoveryId, personId }: Recovery): Promise<void> {
  await tx.query(sql`delete from recoveries where recovery_id = ${recoveryId}`);
  await tx.query(sql`delete from sessions where person_id = ${personId} and method = 'recovery'`);
}

/** `deleteOtherCredentials` deletes all previous credentials of a person. */
export async function deleteOtherCredentials(
  tx: Tx,
  personId: string,
  newCredential: { readonly credentialId: string } | "password",
): Promise<void> {
  const credentialId = newCredential === "password" ? "" : newCredential.credentialId;
  await tx.query(
    sql`delete from passkeys where person_id = ${personId} and credential_id <> ${credentialId}`,
  );
  if (newCredential !== "password") await tx.query(sql`delete from passwords where person_id = ${personId}`);
}

interface RecoveryRow {
  readonly recovery_id: string;
  readonly person_id: string;
  readonly organisation_id: string | null;
  readonly asked_by: string | null;
  readonly command_by: string | null;
  readonly confirmed_by: string | null;
  readonly reason: string;
  readonly asked_at: Date;
  readonly ready_at: Date | null;
  readonly expires_at: Date;
}

function recoveryOf(row: RecoveryRow): Recovery {
  return {
    recoveryId: row.recovery_id,
    personId: row.person_id,
    organisationId: row.organisation_id ?? undefined,
    requestedBy: row.asked_by ?? undefined,
    requestedByCommand: row.command_by ?? undefined,
    confirmedBy: row.confirmed_by ?? undefined,
    reason: row.reason,
    requestedAt: row.asked_at,
    readyAt: row.ready_at ?? undefined,
    expiresAt: row.expires_at,
  };
}
