import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface OidcAttempt {
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly sessionId: string | undefined;
  readonly begunAt: Date;
}

export async function insertAttempt(
  tx: Tx,
  stateHash: Uint8Array,
  { nonce, codeVerifier, sessionId, begunAt }: OidcAttempt,
  expiresAt: Date,
): Promise<void> {
  await tx.query(sql`
    insert into oidc_attempts (state_hash, nonce, code_verifier, session_id, begun_at, expires_at)
    values (${stateHash}, ${nonce}, ${codeVerifier}, ${sessionId}, ${begunAt}, ${expiresAt})
  `);
}

/** `consumeAttempt` consumes the state of a sign-in, which is valid once (replay). */
export async function consumeAttempt(
  tx: Tx,
  stateHash: Uint8Array,
  now: Date,
): Promise<OidcAttempt | undefined> {
  const [row] = await tx.query<{
    nonce: string;
    code_verifier: string;
    session_id: string | null;
    begun_at: Date;
  }>(sql`
    delete from oidc_attempts where state_hash = ${stateHash} and expires_at > ${now}
    returning nonce, code_verifier, session_id, begun_at
  `);
  return (
    row && {
      nonce: row.nonce,
      codeVerifier: row.code_verifier,
      sessionId: row.session_id ?? undefined,
      begunAt: row.begun_at,
    }
  );
}

export async function findLinkedPerson(tx: Tx, issuer: string, subject: string): Promise<string | undefined> {
  const [row] = await tx.query<{ person_id: string }>(sql`
    select person_id from oidc_identities where issuer = ${issuer} and subject = ${subject}
  `);
  return row?.person_id;
}

/** `insertIdentity` returns false if the identity belongs to another person. */
export async function insertIdentity(
  tx: Tx,
  identity: { readonly issuer: string; readonly subject: string; readonly personId: string },
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into oidc_identities (issuer, subject, person_id, linked_at)
    values (${identity.issuer}, ${identity.subject}, ${identity.personId}, ${now})
    on conflict do nothing returning person_id
  `);
  return rows.length > 0;
}

export async function findPersonOfSession(tx: Tx, sessionId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ person_id: string }>(sql`
    select person_id from sessions where session_id = ${sessionId} and method = 'oidc'
  `);
  return row?.person_id;
}

export async function deleteExpiredAttempts(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`delete from oidc_attempts where expires_at < ${now}`);
}
