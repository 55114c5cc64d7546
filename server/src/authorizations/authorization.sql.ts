import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import type { ResultCode } from "../core/result.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Authorization, AuthorizationStatus } from "./authorization.ts";

export async function findAuthorization(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  authorizationId: string,
): Promise<Authorization | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
  `);
  return row && toAuthorization(row);
}

export async function findAuthorizationByState(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  authState: string,
): Promise<Authorization | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and auth_state = ${authState}
  `);
  return row && toAuthorization(row);
}

export async function findAuthorizationByCode(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  codeHash: Uint8Array,
): Promise<Authorization | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and code_hash = ${codeHash}
  `);
  return row && toAuthorization(row);
}

/**
 * `listAuthorizations` lists the merchant's authorizations, the newest first. It returns one row more than the limit,
 * to show whether there is a next page. It scans the primary key and skips rows with another status.
 */
export async function listAuthorizations(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status }: { readonly status: string | undefined },
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly Authorization[]> {
  const rows = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id >= ${idFrom}
      and authorization_id < ${idBefore} and (${status}::text is null or status = ${status})
    order by authorization_id desc limit ${limit}::int + 1
  `);
  return rows.map(toAuthorization);
}

/** `lockAuthorization` locks the row of an authorization until the transaction ends, and returns it. */
export async function lockAuthorization(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  authorizationId: string,
): Promise<Authorization | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
    for update
  `);
  return row && toAuthorization(row);
}

/**
 * `lockAuthorizationOfProvider` locks the row of an authorization that is found by the provider's connector and
 * reference.
 */
export async function lockAuthorizationOfProvider(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  connector: string,
  reference: string,
): Promise<Authorization | undefined> {
  const [row] = await tx.query<AuthorizationRow>(sql`
    select ${columns} from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and connector = ${connector} and reference = ${reference}
    for update
  `);
  return row && toAuthorization(row);
}

/**
 * `insertAuthorization` returns false and writes nothing if the `authState` exists. Idempotency: the unique key decides
 * a race.
 */
export async function insertAuthorization(tx: Tx, authorization: Authorization): Promise<boolean> {
  const { bucket, clientId, authorizationId, status, sequence, createdAt } = authorization;
  const rows = await tx.query(sql`
    with inserted as (
      insert into authorizations (bucket, authorization_id, client_id, auth_state, auth_client_id, customer_belongs_to,
        scopes, redirect_url, notify_url, fingerprint, connector, reference, provider_account, status, expires_at, sequence,
        created_at)
      values (${bucket}, ${authorizationId}, ${clientId}, ${authorization.authState}, ${authorization.authClientId},
        ${authorization.customerBelongsTo}, ${authorization.scopes}::text[], ${authorization.redirectUrl},
        ${authorization.notifyUrl}, ${authorization.fingerprint}, ${authorization.connector}, ${authorization.reference},
        ${authorization.account}, ${status}, ${authorization.expiresAt}, ${sequence}, ${createdAt})
      on conflict (bucket, client_id, auth_state) do nothing
      returning bucket, authorization_id, sequence, client_id, created_at, status
    )
    insert into authorization_events (bucket, authorization_id, sequence, client_id, at, status)
    select bucket, authorization_id, sequence, client_id, created_at, status from inserted
    returning authorization_id
  `);
  return rows.length === 1;
}

export function updateAuthorizationAccepted(
  tx: Tx,
  { bucket, clientId, authorizationId }: Authorization,
  url: string | undefined,
  now: Date,
): void {
  tx.write(sql`
    update authorizations set accepted_at = ${now}, provider_url = coalesce(${url}, provider_url)
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
  `);
}

export function updateProviderNotified(
  tx: Tx,
  { bucket, clientId, authorizationId }: Authorization,
  now: Date,
): void {
  tx.write(sql`
    update authorizations set provider_told_at = ${now}
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
  `);
}

/** Fields of an authorization that change together with its status. */
export interface AuthorizationUpdate {
  readonly status: AuthorizationStatus;
  readonly expiresAt?: Date;
  readonly resultCode?: ResultCode;
  readonly url?: string;
  readonly codeHash?: Uint8Array;
  readonly sealedAgreement?: Uint8Array;
  readonly userLoginId?: string;
}

/**
 * `updateAuthorizationStatus` changes the status of an authorization that the transaction has locked, and inserts its
 * event in the same statement.
 */
export function updateAuthorizationStatus(
  tx: Tx,
  authorization: Authorization,
  update: AuthorizationUpdate,
  now: Date,
): Authorization {
  const { bucket, clientId, authorizationId } = authorization;
  tx.write(sql`
    with moved as (
      update authorizations set status = ${update.status}, sequence = sequence + 1,
        expires_at = coalesce(${update.expiresAt}, expires_at), result_code = coalesce(${update.resultCode}, result_code),
        accepted_at = coalesce(accepted_at, ${now}::timestamptz), provider_url = coalesce(${update.url}, provider_url),
        code_hash = coalesce(${update.codeHash}, code_hash), user_login_id = coalesce(${update.userLoginId}, user_login_id),
        sealed_agreement = case when ${update.status} = 'ACTIVE' then coalesce(${update.sealedAgreement}, sealed_agreement) end,
        ended_at = case when ${update.status} in ('ASKED', 'AGREED', 'ACTIVE') then null else ${now}::timestamptz end
      where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
      returning bucket, authorization_id, sequence, client_id, status
    )
    insert into authorization_events (bucket, authorization_id, sequence, client_id, at, status)
    select bucket, authorization_id, sequence, client_id, ${now}::timestamptz, status from moved
  `);
  const { url: providerUrl = authorization.providerUrl, codeHash: _, ...changed } = update;
  return { ...authorization, ...changed, providerUrl, sequence: authorization.sequence + 1 };
}

/**
 * The statements list the columns instead of `*`: a column that a migration adds would break prepared statements of
 * open connections.
 */
const columns = fragment`bucket, client_id, authorization_id, auth_state, auth_client_id, customer_belongs_to, scopes,
  redirect_url, notify_url, fingerprint, connector, reference, provider_account, provider_url, accepted_at, status, result_code, expires_at,
  sealed_agreement, user_login_id, provider_told_at, sequence, created_at`;

interface AuthorizationRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly authorization_id: string;
  readonly auth_state: string;
  readonly auth_client_id: string | null;
  readonly customer_belongs_to: string;
  readonly scopes: string[];
  readonly redirect_url: string;
  readonly notify_url: string | null;
  readonly fingerprint: Buffer;
  readonly connector: string;
  readonly reference: string;
  readonly provider_account: string | null;
  readonly provider_url: string | null;
  readonly accepted_at: Date | null;
  readonly status: AuthorizationStatus;
  readonly result_code: ResultCode | null;
  readonly expires_at: Date;
  readonly sealed_agreement: Buffer | null;
  readonly user_login_id: string | null;
  readonly provider_told_at: Date | null;
  readonly sequence: number;
  readonly created_at: Date;
}

function toAuthorization(row: AuthorizationRow): Authorization {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    authorizationId: row.authorization_id,
    authState: row.auth_state,
    authClientId: row.auth_client_id ?? undefined,
    customerBelongsTo: row.customer_belongs_to,
    scopes: row.scopes,
    redirectUrl: row.redirect_url,
    notifyUrl: row.notify_url ?? undefined,
    fingerprint: row.fingerprint,
    connector: row.connector,
    reference: row.reference,
    account: row.provider_account ?? undefined,
    providerUrl: row.provider_url ?? undefined,
    acceptedAt: row.accepted_at ?? undefined,
    status: row.status,
    resultCode: row.result_code ?? undefined,
    expiresAt: row.expires_at,
    sealedAgreement: row.sealed_agreement ?? undefined,
    userLoginId: row.user_login_id ?? undefined,
    providerNotifiedAt: row.provider_told_at ?? undefined,
    sequence: row.sequence,
    createdAt: row.created_at,
  };
}
