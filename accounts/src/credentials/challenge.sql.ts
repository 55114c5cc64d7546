import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/** The purpose of a challenge. A signature for one purpose is not valid for another. */
export type Purpose = "add" | "sign-in" | "step-up";

export interface Challenge {
  readonly purpose: Purpose;
  /** The session that requested the challenge; undefined for a sign-in. */
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

/** `consumeChallenge` consumes a challenge. It is valid once, and only for the session that requested it. */
export async function consumeChallenge(
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
