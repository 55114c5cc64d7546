import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/** What a passkey signs, and for what: a signature for one purpose is none for another. */
export type Purpose = "add" | "sign-in" | "step-up";

export interface Challenge {
  readonly purpose: Purpose;
  /** The session that asked for it; a sign-in has none yet. */
  readonly sessionId: string | undefined;
}

export async function insertChallenge(
  tx: Tx,
  challengeHash: Uint8Array,
  { purpose, sessionId }: Challenge,
  expiresAt: Date,
): Promise<void> {
  await tx.query(sql`
    insert into challenges (challenge_hash, purpose, session_id, expires_at)
    values (${challengeHash}, ${purpose}, ${sessionId}, ${expiresAt})
  `);
}

/** A challenge is answered once, by the session that asked. */
export async function takeChallenge(
  tx: Tx,
  challengeHash: Uint8Array,
  { purpose, sessionId }: Challenge,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from challenges where challenge_hash = ${challengeHash} and purpose = ${purpose}
      and session_id is not distinct from ${sessionId} and expires_at > ${now}
    returning purpose
  `);
  return rows.length > 0;
}
