import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface StoredPassword {
  readonly personId: string;
  readonly hash: string;
  readonly wrappedOtp: Uint8Array;
}

export async function findPassword(tx: Tx, personId: string): Promise<StoredPassword | undefined> {
  const [row] = await tx.query<PasswordRow>(sql`
    select person_id, hash, wrapped_otp from passwords where person_id = ${personId}
  `);
  return row && passwordOf(row);
}

export async function findPasswordByEmail(tx: Tx, email: string): Promise<StoredPassword | undefined> {
  const [row] = await tx.query<PasswordRow>(sql`
    select w.person_id, w.hash, w.wrapped_otp
    from people p join passwords w on w.person_id = p.person_id where p.email = ${email}
  `);
  return row && passwordOf(row);
}

/**
 * `markStepUsed` marks the time step of a code as used. It returns false if this or a later step was used before
 * (replay).
 */
export async function markStepUsed(tx: Tx, personId: string, step: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update passwords set last_step = ${step} where person_id = ${personId} and last_step < ${step}
    returning person_id
  `);
  return rows.length > 0;
}

interface PasswordDraft {
  readonly hash: string;
  readonly wrappedOtp: Uint8Array;
}

/** `savePasswordDraft` stores the chosen password and secret until the first code confirms the authenticator app. */
export async function savePasswordDraft(
  tx: Tx,
  sessionId: string,
  { hash, wrappedOtp }: PasswordDraft,
): Promise<void> {
  await tx.query(sql`
    insert into password_drafts (session_id, hash, wrapped_otp) values (${sessionId}, ${hash}, ${wrappedOtp})
    on conflict (session_id) do update set hash = excluded.hash, wrapped_otp = excluded.wrapped_otp
  `);
}

export async function findPasswordDraft(tx: Tx, sessionId: string): Promise<PasswordDraft | undefined> {
  const [row] = await tx.query<{ hash: string; wrapped_otp: Buffer }>(sql`
    select hash, wrapped_otp from password_drafts where session_id = ${sessionId} for update
  `);
  return row && { hash: row.hash, wrappedOtp: row.wrapped_otp };
}

export async function setPassword(
  tx: Tx,
  sessionId: string,
  { personId, hash, wrappedOtp }: StoredPassword,
  { step, now }: { readonly step: number; readonly now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into passwords (person_id, hash, wrapped_otp, last_step, set_at)
    values (${personId}, ${hash}, ${wrappedOtp}, ${step}, ${now})
    on conflict (person_id) do update set hash = excluded.hash, wrapped_otp = excluded.wrapped_otp,
      last_step = excluded.last_step, set_at = excluded.set_at
  `);
  await tx.query(sql`delete from password_drafts where session_id = ${sessionId}`);
}

interface PasswordRow {
  readonly person_id: string;
  readonly hash: string;
  readonly wrapped_otp: Buffer;
}

function passwordOf({ person_id: personId, hash, wrapped_otp: wrappedOtp }: PasswordRow): StoredPassword {
  return { personId, hash, wrappedOtp };
}
