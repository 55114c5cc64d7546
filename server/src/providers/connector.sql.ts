import { sql, type Tx } from "../postgres/sql.ts";
import type { ProviderFacts } from "./provider-facts.ts";
import type { Connector, ConnectorState, ConnectorTerms, ProviderTlsFiles } from "./connector.ts";

export async function listConnectors(tx: Tx): Promise<readonly Connector[]> {
  const rows = await tx.query<ConnectorRow>(sql`
    select name, url, partner_id, public_key, payment_method_types, simulator, refunds, refund_window_days, captures,
      cancel_paid, idempotent_by_reference, quiet_seconds, demands_registration, gateway_key_version, currencies, disabled_at,
      other_public_key, client_certificate_file, client_key_file, ca_file, idempotency_window_seconds, hold_seconds,
      operator_terms, facts, facts_at, accounts, priority
    from connectors order by name
  `);
  return rows.map((row) => ({
    name: row.name,
    url: row.url,
    partnerId: row.partner_id,
    publicKey: row.public_key,
    otherPublicKey: row.other_public_key ?? undefined,
    tls: toTlsFiles(row),
    gatewayKeyVersion: row.gateway_key_version,
    paymentMethodTypes: row.payment_method_types,
    simulator: row.simulator,
    disabledAt: row.disabled_at ?? undefined,
    terms: {
      refunds: row.refunds,
      refundWindowDays: row.refund_window_days,
      captures: row.captures,
      cancelPaid: row.cancel_paid,
      idempotentByReference: row.idempotent_by_reference,
      idempotencyWindowSeconds: row.idempotency_window_seconds ?? undefined,
      quietSeconds: row.quiet_seconds,
      holdSeconds: row.hold_seconds,
      demandsRegistration: row.demands_registration,
      currencies: row.currencies,
      accounts: row.accounts,
      priority: row.priority,
    },
    operatorTerms: row.operator_terms,
    facts: row.facts ?? undefined,
    factsAt: row.facts_at ?? undefined,
  }));
}

function toTlsFiles(row: ConnectorRow): ProviderTlsFiles | undefined {
  if (row.client_certificate_file === null && row.ca_file === null) return undefined;
  return {
    certificateFile: row.client_certificate_file ?? undefined,
    keyFile: row.client_key_file ?? undefined,
    caFile: row.ca_file ?? undefined,
  };
}

/**
 * `insertConnector` inserts or changes a connector (upsert). A new connector is pinned to the newest gateway key; a
 * change keeps the pinned key version. Facts without a time get the current one.
 */
export async function insertConnector(
  tx: Tx,
  connector: Omit<Connector, "gatewayKeyVersion">,
): Promise<void> {
  const { name, url, partnerId, publicKey, otherPublicKey, tls, paymentMethodTypes, simulator, terms } =
    connector;
  const { facts, factsAt, operatorTerms = [] } = connector;
  const factsText = facts && JSON.stringify(facts);
  await tx.query(sql`
    insert into connectors (name, url, partner_id, public_key, payment_method_types, simulator, refunds,
      refund_window_days, captures, cancel_paid, idempotent_by_reference, quiet_seconds, demands_registration,
      gateway_key_version, currencies, other_public_key, client_certificate_file, client_key_file, ca_file,
      idempotency_window_seconds, hold_seconds, operator_terms, facts, facts_at, accounts, priority)
    values (${name}, ${url}, ${partnerId}, ${publicKey}, ${paymentMethodTypes}::text[], ${simulator}, ${terms.refunds},
      ${terms.refundWindowDays}, ${terms.captures}, ${terms.cancelPaid}, ${terms.idempotentByReference},
      ${terms.quietSeconds}, ${terms.demandsRegistration}, coalesce((select max(version) from gateway_keys), 1),
      ${terms.currencies}::text[], ${otherPublicKey}, ${tls?.certificateFile}, ${tls?.keyFile}, ${tls?.caFile},
      ${terms.idempotencyWindowSeconds}, ${terms.holdSeconds}, ${operatorTerms}::text[], ${factsText}::jsonb,
      case when ${factsText}::jsonb is not null then coalesce(${factsAt}::timestamptz, clock_timestamp()) end,
      ${terms.accounts}, ${terms.priority})
    on conflict (name) do update set url = excluded.url, partner_id = excluded.partner_id,
      public_key = excluded.public_key, payment_method_types = excluded.payment_method_types,
      simulator = excluded.simulator, refunds = excluded.refunds, refund_window_days = excluded.refund_window_days,
      captures = excluded.captures, cancel_paid = excluded.cancel_paid,
      idempotent_by_reference = excluded.idempotent_by_reference, quiet_seconds = excluded.quiet_seconds,
      demands_registration = excluded.demands_registration, currencies = excluded.currencies,
      other_public_key = excluded.other_public_key, client_certificate_file = excluded.client_certificate_file,
      client_key_file = excluded.client_key_file, ca_file = excluded.ca_file,
      idempotency_window_seconds = excluded.idempotency_window_seconds, hold_seconds = excluded.hold_seconds,
      operator_terms = excluded.operator_terms, facts = excluded.facts, facts_at = excluded.facts_at,
      accounts = excluded.accounts, priority = excluded.priority
  `);
}

/**
 * `updateConnectorKeyVersion` pins a connector to a version of the gateway key. It returns false if the connector does
 * not exist.
 */
export async function updateConnectorKeyVersion(tx: Tx, name: string, version: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update connectors set gateway_key_version = ${version} where name = ${name} returning name
  `);
  return rows.length === 1;
}

/** `updateConnectorDisabled` disables or enables a connector. */
export async function updateConnectorDisabled(tx: Tx, name: string, isDisabled: boolean): Promise<void> {
  await tx.query(sql`
    update connectors set disabled_at = case when ${isDisabled} then coalesce(disabled_at, clock_timestamp()) end
    where name = ${name}
  `);
}

/** `listConnectorRows` returns the stored connectors, each as JSON text, for the other cells of a fleet. */
export async function listConnectorRows(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.query<{ row: string }>(sql`
    select (to_jsonb(connectors) - 'silent_seen_at')::text as row from connectors order by name
  `);
  return rows.map(({ row }) => row);
}

/**
 * `insertConnectorRow` inserts a connector that another cell has exported, and replaces the connector of the same name.
 */
export async function insertConnectorRow(tx: Tx, row: string): Promise<void> {
  await tx.query(sql`delete from connectors where name = ${row}::jsonb ->> 'name'`);
  await tx.query(
    sql`insert into connectors select (jsonb_populate_record(null::connectors, ${row}::jsonb)).*`,
  );
}

/**
 * `listConnectorStates` returns the state of each connector, as workers reported it. Only for the operator:
 * `app.oversight` lets the transaction read all jobs.
 */
export async function listConnectorStates(tx: Tx): Promise<ReadonlyMap<string, ConnectorState>> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<StateRow>(sql`
    select name, created_at, silent_seen_at > clock_timestamp() - interval '1 minute' as is_silent,
      (select count(*) from jobs where jobs.connector = connectors.name) as job_count
    from connectors
  `);
  return new Map(
    rows.map(({ name, created_at, is_silent, job_count }) => [
      name,
      { createdAt: created_at, isSilent: is_silent ?? false, jobCount: Number(job_count) },
    ]),
  );
}

interface StateRow {
  readonly name: string;
  readonly created_at: Date;
  readonly is_silent: boolean | null;
  readonly job_count: string;
}

/** `updateConnectorsSilent` records that these providers do not respond, so that operators see why jobs wait. */
export function updateConnectorsSilent(tx: Tx, names: readonly string[]): void {
  tx.write(sql`update connectors set silent_seen_at = clock_timestamp() where name = any(${names}::text[])`);
}

interface ConnectorRow {
  readonly name: string;
  readonly url: string;
  readonly partner_id: string;
  readonly public_key: Buffer;
  readonly payment_method_types: string[];
  readonly simulator: boolean;
  readonly refunds: ConnectorTerms["refunds"];
  readonly refund_window_days: number;
  readonly captures: ConnectorTerms["captures"];
  readonly cancel_paid: ConnectorTerms["cancelPaid"];
  readonly idempotent_by_reference: boolean;
  readonly quiet_seconds: number;
  readonly demands_registration: boolean;
  readonly currencies: string[];
  readonly gateway_key_version: number;
  readonly disabled_at: Date | null;
  readonly other_public_key: Buffer | null;
  readonly client_certificate_file: string | null;
  readonly client_key_file: string | null;
  readonly ca_file: string | null;
  readonly idempotency_window_seconds: number | null;
  readonly hold_seconds: number;
  readonly operator_terms: string[];
  readonly facts: ProviderFacts | null;
  readonly facts_at: Date | null;
  readonly accounts: ConnectorTerms["accounts"];
  readonly priority: number;
}
