import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type {
  RegistrationDetails,
  Registration,
  ProviderRegistration,
  ProviderStatus,
} from "./registration.ts";

export async function findRegistration(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  registrationId: string,
): Promise<Registration | undefined> {
  const [row] = await tx.query<RegistrationRow>(sql`
    select ${columns} from registrations as r
    where bucket = ${bucket} and client_id = ${clientId} and registration_id = ${registrationId}
  `);
  return row && toRegistration(row);
}

export async function findRegistrationByRequest(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  requestId: string,
): Promise<Registration | undefined> {
  const [row] = await tx.query<RegistrationRow>(sql`
    select ${columns} from registrations as r
    where bucket = ${bucket} and client_id = ${clientId} and registration_request_id = ${requestId}
  `);
  return row && toRegistration(row);
}

/** The merchant or the store that a query is about. */
export interface MerchantOrStore {
  readonly referenceMerchantId: string;
  /** The store; if undefined, the merchant itself and all of its stores. */
  readonly referenceStoreId?: string | undefined;
}

/**
 * `findLatestRegistration` finds the newest registration of a merchant or a store; with `accepted`, the newest that a
 * provider has accepted, or that needs no acceptance.
 */
export async function findLatestRegistration(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { referenceMerchantId, referenceStoreId }: MerchantOrStore,
  { accepted }: { readonly accepted: boolean },
): Promise<Registration | undefined> {
  const [row] = await tx.query<RegistrationRow>(sql`
    select ${columns} from registrations as r
    where bucket = ${bucket} and client_id = ${clientId} and reference_merchant_id = ${referenceMerchantId}
      and (${referenceStoreId}::text is null or reference_store_id = ${referenceStoreId})
      and (not ${accepted}::boolean
        or exists (
          select from provider_registrations as w
          where w.bucket = r.bucket and w.registration_id = r.registration_id and w.status = 'APPROVED')
        or not exists (
          select from provider_registrations as w
          where w.bucket = r.bucket and w.registration_id = r.registration_id
            and w.status in ('PROCESSING', 'REJECTED')))
    order by created_at desc, registration_id desc limit 1
  `);
  return row && toRegistration(row);
}

/**
 * `listRegistrations` lists the merchant's registrations, the newest first. It returns one row more than the limit, to
 * show whether there is a next page.
 */
export async function listRegistrations(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly Registration[]> {
  const rows = await tx.query<RegistrationRow>(sql`
    select ${columns} from registrations as r
    where r.bucket = ${bucket} and r.client_id = ${clientId}
      and r.registration_id >= ${idFrom} and r.registration_id < ${idBefore}
    order by r.registration_id desc limit ${limit}::int + 1
  `);
  return rows.map(toRegistration);
}

/**
 * `lockLatestRegistration` locks the merchant, and returns the newest registration of exactly this merchant or store
 * for any of these products.
 */
export async function lockLatestRegistration(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { referenceMerchantId, referenceStoreId }: MerchantOrStore,
  productCodes: readonly string[],
): Promise<Registration | undefined> {
  // Advisory lock that serializes requests for one merchant, even if there is no row to lock yet.
  const lockKey = `${clientId} ${referenceMerchantId}`;
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${lockKey}, ${registrationLock}))`);
  const [row] = await tx.query<RegistrationRow>(sql`
    select ${columns} from registrations as r
    where bucket = ${bucket} and client_id = ${clientId} and reference_merchant_id = ${referenceMerchantId}
      and reference_store_id is not distinct from ${referenceStoreId}::text
      and product_codes && ${productCodes}::text[]
    order by created_at desc, registration_id desc limit 1
  `);
  return row && toRegistration(row);
}

const registrationLock = 22;

/** `findAcceptedStore` returns the registration of a store that a provider has accepted for in-store payments. */
export async function findAcceptedStore(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { referenceMerchantId, referenceStoreId }: MerchantOrStore,
  connector: string,
): Promise<{ readonly registrationId: string | undefined } | undefined> {
  const [row] = await tx.query<{ provider_registration_id: string | null }>(sql`
    select w.provider_registration_id from registrations as r
    join provider_registrations as w on w.bucket = r.bucket and w.registration_id = r.registration_id
    where r.bucket = ${bucket} and r.client_id = ${clientId} and r.reference_merchant_id = ${referenceMerchantId}
      and r.reference_store_id = ${referenceStoreId} and 'IN_STORE_PAYMENT' = any(r.product_codes)
      and w.connector = ${connector} and w.status = 'APPROVED'
    order by r.created_at desc, r.registration_id desc limit 1
  `);
  return row && { registrationId: row.provider_registration_id ?? undefined };
}

/**
 * `listConnectorNames` returns the connectors to which a registration is sent. In live it omits simulators, which move
 * no money.
 */
export async function listConnectorNames(tx: Tx, environment: string): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select name from connectors where ${environment} = 'sandbox' or not simulator order by name
  `);
  return rows.map(({ name }) => name);
}

/**
 * `insertRegistration` inserts a registration. It returns false and writes nothing if the request id exists.
 * Idempotency: the unique key decides a race.
 */
export async function insertRegistration(tx: Tx, registration: Registration): Promise<boolean> {
  const { bucket, clientId, registrationId, providers } = registration;
  const rows = await tx.query(sql`
    insert into registrations (bucket, registration_id, client_id, registration_request_id, reference_merchant_id,
      reference_store_id, product_codes, merchant_info, store_info, notify_url, pass_through_info, fingerprint,
      sequence, created_at)
    values (${bucket}, ${registrationId}, ${clientId}, ${registration.registrationRequestId},
      ${registration.referenceMerchantId}, ${registration.referenceStoreId}, ${registration.productCodes}::text[],
      ${JSON.stringify(registration.merchantInfo)}::jsonb,
      ${registration.storeInfo && JSON.stringify(registration.storeInfo)}::jsonb, ${registration.notifyUrl},
      ${registration.passThroughInfo}, ${registration.fingerprint}, ${registration.sequence}, ${registration.createdAt})
    on conflict (bucket, client_id, registration_request_id) do nothing
    returning registration_id
  `);
  if (rows.length === 0) return false;
  tx.write(sql`
    insert into provider_registrations (bucket, registration_id, connector, client_id, status, reference)
    select ${bucket}, ${registrationId}, given.connector, ${clientId}, 'PROCESSING', given.reference
    from unnest(${providers.map(({ connector }) => connector)}::text[], ${providers.map(({ reference }) => reference)}::text[])
      as given (connector, reference)
  `);
  return true;
}

/**
 * `updateRegistrationAccepted` stores when the provider accepted the registration for review; undefined if the
 * registration must be sent again.
 */
export function updateRegistrationAccepted(
  tx: Tx,
  { bucket, clientId, registrationId }: Registration,
  connector: string,
  acceptedAt: Date | undefined,
): void {
  tx.write(sql`
    update provider_registrations set accepted_at = ${acceptedAt}
    where bucket = ${bucket} and client_id = ${clientId} and registration_id = ${registrationId} and connector = ${connector}
  `);
}

export function updateRegistrationDecided(
  tx: Tx,
  { bucket, clientId, registrationId }: Registration,
  { connector, status, rejectReasons, providerRegistrationId }: ProviderRegistration,
  now: Date,
): void {
  tx.write(sql`
    update provider_registrations set status = ${status}, reject_reasons = ${rejectReasons}::text[], decided_at = ${now},
      provider_registration_id = ${providerRegistrationId}
    where bucket = ${bucket} and client_id = ${clientId} and registration_id = ${registrationId} and connector = ${connector}
  `);
}

export function updateRegistrationSequence(
  tx: Tx,
  { bucket, clientId, registrationId, sequence }: Registration,
): void {
  tx.write(sql`
    update registrations set sequence = ${sequence}
    where bucket = ${bucket} and client_id = ${clientId} and registration_id = ${registrationId}
  `);
}

/** `lockRegistration` locks the row of a registration until the transaction ends, and returns it. */
export async function lockRegistration(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  registrationId: string,
): Promise<Registration | undefined> {
  const [row] = await tx.query<RegistrationRow>(sql`
    select ${columns} from registrations as r
    where bucket = ${bucket} and client_id = ${clientId} and registration_id = ${registrationId}
    for update of r
  `);
  return row && toRegistration(row);
}

const columns = fragment`r.bucket, r.client_id, r.registration_id, r.registration_request_id, r.reference_merchant_id,
    r.reference_store_id, r.product_codes, r.merchant_info, r.store_info, r.notify_url, r.pass_through_info,
    r.fingerprint, r.sequence, r.created_at,
    coalesce((
      select jsonb_agg(jsonb_build_object('connector', w.connector, 'status', w.status, 'rejectReasons', w.reject_reasons,
        'providerRegistrationId', w.provider_registration_id, 'reference', w.reference, 'acceptedAt', w.accepted_at) order by w.connector)
      from provider_registrations as w where w.bucket = r.bucket and w.registration_id = r.registration_id
    ), '[]'::jsonb) as providers`;

interface RegistrationRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly registration_id: string;
  readonly registration_request_id: string;
  readonly reference_merchant_id: string;
  readonly reference_store_id: string | null;
  readonly product_codes: string[];
  readonly merchant_info: RegistrationDetails;
  readonly store_info: RegistrationDetails | null;
  readonly notify_url: string | null;
  readonly pass_through_info: string | null;
  readonly fingerprint: Buffer;
  readonly sequence: number;
  readonly created_at: Date;
  readonly providers: readonly {
    readonly connector: string;
    readonly status: ProviderStatus;
    readonly rejectReasons: readonly string[];
    readonly providerRegistrationId: string | null;
    readonly reference: string;
    readonly acceptedAt: string | null;
  }[];
}

function toRegistration(row: RegistrationRow): Registration {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    registrationId: row.registration_id,
    registrationRequestId: row.registration_request_id,
    referenceMerchantId: row.reference_merchant_id,
    referenceStoreId: row.reference_store_id ?? undefined,
    productCodes: row.product_codes,
    merchantInfo: row.merchant_info,
    storeInfo: row.store_info ?? undefined,
    notifyUrl: row.notify_url ?? undefined,
    passThroughInfo: row.pass_through_info ?? undefined,
    fingerprint: row.fingerprint,
    sequence: row.sequence,
    createdAt: row.created_at,
    providers: row.providers.map(({ acceptedAt, providerRegistrationId, ...each }) => ({
      ...each,
      providerRegistrationId: providerRegistrationId ?? undefined,
      acceptedAt: acceptedAt === null ? undefined : new Date(acceptedAt),
    })),
  };
}
