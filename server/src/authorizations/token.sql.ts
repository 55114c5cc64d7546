import type { ClientKey } from "../core/client-key.ts";
import type { ResultCode } from "../core/result.ts";
import { fragment, sql, type Statement, type Tx } from "../postgres/sql.ts";
import type { Authorization } from "./authorization.ts";
import type { IssuedPair, Token, TokenStatus } from "./token.ts";

/** `findTokenByCredential` returns the token that was issued for this code or refresh token. */
export function findTokenByCredential(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  credentialHash: Uint8Array,
): Promise<Token | undefined> {
  return findOne(
    tx,
    sql`
    select ${columns} from tokens
    where bucket = ${bucket} and client_id = ${clientId} and given_hash = ${credentialHash}
  `,
  );
}

export function findTokenByAccess(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  accessHash: Uint8Array,
): Promise<Token | undefined> {
  return findOne(
    tx,
    sql`
    select ${columns} from tokens
    where bucket = ${bucket} and client_id = ${clientId} and access_hash = ${accessHash}
  `,
  );
}

export function findTokenByRefresh(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  refreshHash: Uint8Array,
): Promise<Token | undefined> {
  return findOne(
    tx,
    sql`
    select ${columns} from tokens
    where bucket = ${bucket} and client_id = ${clientId} and refresh_hash = ${refreshHash}
  `,
  );
}

export function findToken(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  tokenId: string,
): Promise<Token | undefined> {
  return findOne(
    tx,
    sql`
    select ${columns} from tokens
    where bucket = ${bucket} and client_id = ${clientId} and token_id = ${tokenId}
  `,
  );
}

/** `lockToken` locks the row of a token until the transaction ends, and returns it. */
export function lockToken(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  tokenId: string,
): Promise<Token | undefined> {
  return findOne(
    tx,
    sql`
    select ${columns} from tokens
    where bucket = ${bucket} and client_id = ${clientId} and token_id = ${tokenId}
    for update
  `,
  );
}

/** `findNewestToken` returns the newest token pair of an authorization, the only one that no refresh has replaced. */
export function findNewestToken(
  tx: Tx,
  { bucket, clientId, authorizationId }: Authorization,
): Promise<Token | undefined> {
  return findOne(
    tx,
    sql`
    select ${columns} from tokens
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
      and status = 'ISSUED' and replaced_at is null
  `,
  );
}

/**
 * `insertToken` returns false and writes nothing if the code or refresh token was used before. Idempotency: the unique
 * key decides a race.
 */
export async function insertToken(tx: Tx, token: Token): Promise<boolean> {
  const { bucket, clientId, tokenId, issued } = token;
  const rows = await tx.query(sql`
    insert into tokens (bucket, token_id, client_id, customer_belongs_to, connector, provider_account, given_hash, sealed_given,
      authorization_id, status, access_hash, refresh_hash, access_expires_at, refresh_expires_at, sealed_pair,
      created_at, issued_at)
    values (${bucket}, ${tokenId}, ${clientId}, ${token.customerBelongsTo}, ${token.connector}, ${token.account},
      ${token.credentialHash}, ${token.sealedCredential}, ${token.authorizationId}, ${token.status}, ${issued?.accessHash}, ${issued?.refreshHash},
      ${issued?.accessExpiresAt}, ${issued?.refreshExpiresAt}, ${issued?.sealedPair}, ${token.createdAt},
      ${issued?.issuedAt})
    on conflict (bucket, client_id, given_hash) do nothing
    returning token_id
  `);
  return rows.length === 1;
}

export function updateTokenIssued(
  tx: Tx,
  { bucket, clientId, tokenId }: Token,
  authorizationId: string,
  issued: IssuedPair,
): void {
  tx.write(sql`
    update tokens set status = 'ISSUED', sealed_given = null, authorization_id = ${authorizationId},
      access_hash = ${issued.accessHash}, refresh_hash = ${issued.refreshHash},
      access_expires_at = ${issued.accessExpiresAt}, refresh_expires_at = ${issued.refreshExpiresAt},
      sealed_pair = ${issued.sealedPair}, issued_at = ${issued.issuedAt}
    where bucket = ${bucket} and client_id = ${clientId} and token_id = ${tokenId}
  `);
}

export function updateTokenRefused(
  tx: Tx,
  { bucket, clientId, tokenId }: Token,
  resultCode: ResultCode,
): void {
  tx.write(sql`
    update tokens set status = 'REFUSED', sealed_given = null, result_code = ${resultCode}
    where bucket = ${bucket} and client_id = ${clientId} and token_id = ${tokenId}
  `);
}

/** Rotation: `useToken` marks a pair as used, and retires the pairs that it has replaced. */
export function useToken(tx: Tx, { bucket, clientId, tokenId, authorizationId }: Token, now: Date): void {
  tx.write(sql`
    update tokens set used_at = coalesce(used_at, ${now}::timestamptz)
    where bucket = ${bucket} and client_id = ${clientId} and token_id = ${tokenId}
  `);
  tx.write(sql`
    update tokens set status = 'RETIRED', sealed_pair = null
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
      and status = 'ISSUED' and replaced_at is not null and token_id <> ${tokenId}
  `);
}

export function updateTokenReplaced(tx: Tx, { bucket, clientId, tokenId }: Token, now: Date): void {
  tx.write(sql`
    update tokens set replaced_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and token_id = ${tokenId}
  `);
}

/** `retireTokens` retires all tokens of an authorization that has ended. */
export function retireTokens(tx: Tx, { bucket, clientId, authorizationId }: Authorization): void {
  tx.write(sql`
    update tokens set status = 'RETIRED', sealed_pair = null
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
      and status = 'ISSUED'
  `);
}

const columns = fragment`bucket, client_id, token_id, customer_belongs_to, connector, provider_account, given_hash, sealed_given,
  authorization_id, status, result_code, access_hash, refresh_hash, access_expires_at, refresh_expires_at, sealed_pair,
  created_at, issued_at, used_at, replaced_at`;

interface TokenRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly token_id: string;
  readonly customer_belongs_to: string;
  readonly connector: string;
  readonly provider_account: string | null;
  readonly given_hash: Buffer;
  readonly sealed_given: Buffer | null;
  readonly authorization_id: string | null;
  readonly status: TokenStatus;
  readonly result_code: ResultCode | null;
  readonly access_hash: Buffer | null;
  readonly refresh_hash: Buffer | null;
  readonly access_expires_at: Date | null;
  readonly refresh_expires_at: Date | null;
  readonly sealed_pair: Buffer | null;
  readonly created_at: Date;
  readonly issued_at: Date | null;
  readonly used_at: Date | null;
  readonly replaced_at: Date | null;
}

async function findOne(tx: Tx, statement: Statement): Promise<Token | undefined> {
  const [row] = await tx.query<TokenRow>(statement);
  return row && toToken(row);
}

function toToken(row: TokenRow): Token {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    tokenId: row.token_id,
    customerBelongsTo: row.customer_belongs_to,
    connector: row.connector,
    account: row.provider_account ?? undefined,
    credentialHash: row.given_hash,
    sealedCredential: row.sealed_given ?? undefined,
    authorizationId: row.authorization_id ?? undefined,
    status: row.status,
    resultCode: row.result_code ?? undefined,
    issued: toIssued(row),
    createdAt: row.created_at,
    usedAt: row.used_at ?? undefined,
    replacedAt: row.replaced_at ?? undefined,
  };
}

function toIssued(row: TokenRow): IssuedPair | undefined {
  const { access_hash, refresh_hash, access_expires_at, refresh_expires_at, issued_at } = row;
  if (!access_hash || !refresh_hash || !access_expires_at || !refresh_expires_at || !issued_at)
    return undefined;
  return {
    accessHash: access_hash,
    refreshHash: refresh_hash,
    accessExpiresAt: access_expires_at,
    refreshExpiresAt: refresh_expires_at,
    issuedAt: issued_at,
    sealedPair: row.sealed_pair ?? undefined,
  };
}
