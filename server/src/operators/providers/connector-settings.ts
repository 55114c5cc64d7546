import { createPublicKey } from "node:crypto";
import { changedFields } from "../../audit/audit.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { algorithmOf, type Algorithm } from "../../signing/algorithm.ts";
import {
  insertConnector,
  listConnectors,
  listConnectorStates,
  updateConnectorDisabled,
  updateConnectorKeyVersion,
} from "../../providers/connector.sql.ts";
import { operatorTermsOf, resolveTerms } from "../../providers/connector-terms.ts";
import type { ProviderFacts } from "../../providers/provider-facts.ts";
import {
  sharedMethodsOf,
  type Connector,
  type ConnectorState,
  type ConnectorTerms,
  type ProviderTlsFiles,
  type SharedMethod,
} from "../../providers/connector.ts";
import {
  actAsOwner,
  queryAsOwner,
  type ActAttribution,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import {
  omitEmptyFiles,
  readConnectorKeys,
  readKey,
  refuseInvalid,
  refuseTls,
  refuseUrl,
  refuseWithoutAccounts,
} from "./check-connector.ts";
import { fingerprintOf, refuseUnknownGatewayKey } from "./manage-gateway-keys.ts";

export interface NewConnector extends Omit<
  Connector,
  "publicKey" | "otherPublicKey" | "terms" | "operatorTerms" | "factsAt" | "gatewayKeyVersion"
> {
  readonly publicKeyFile: string;
  readonly otherPublicKeyFile?: string | undefined;
  /** Settings of the operator, which win over the provider's facts and the defaults. */
  readonly terms?: Partial<ConnectorTerms>;
}

/** `addConnector` creates or replaces a connector. */
export async function addConnector(
  url: string,
  environment: Environment,
  newConnector: NewConnector,
  by: ActAttribution = {},
): Promise<void> {
  const { publicKeyFile, otherPublicKeyFile, terms = {}, ...settings } = newConnector;
  const { facts } = settings;
  const connector = { ...settings, terms: resolveTerms(facts, terms), operatorTerms: Object.keys(terms) };
  refuseInvalid(environment, connector);
  const keys = await readConnectorKeys({ publicKeyFile, otherPublicKeyFile });
  await actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const before = (await findAllDetails(tx)).find(({ name }) => name === connector.name);
    refuseWithoutAccounts(before, connector.terms);
    await insertConnector(tx, { ...connector, ...keys });
    const after = requireNamed(await findAllDetails(tx), connector.name);
    await refuseUnsignable(tx, after);
    const changes = changedFields(before ? auditFieldsOf(before) : {}, auditFieldsOf(after));
    return { value: undefined, audit: { act: "connector add", subject: connector.name, ...changes } };
  });
}

/** A connector for operators. */
export interface ConnectorDetails extends Omit<Connector, "publicKey" | "otherPublicKey">, ConnectorState {
  /** Algorithm of the provider's key; both sides sign with it. */
  readonly algorithm: Algorithm;
  /** Fingerprint of the provider's public key: SHA-256 of its DER form, in hex. */
  readonly keySha256: string;
  /** Fingerprint of the second public key. */
  readonly otherKeySha256?: string | undefined;
  /** Its payment methods that other connectors list as well. */
  readonly sharedMethods: readonly SharedMethod[];
}

export async function findConnectors({ url, environment }: Operator): Promise<readonly ConnectorDetails[]> {
  return queryAsOwner(url, environment, systemScope, findAllDetails);
}

export async function findConnector(operator: Operator, name: string): Promise<ConnectorDetails> {
  return requireNamed(await findConnectors(operator), name);
}

/** Settings of a connector to change; absent fields stay unchanged. */
export interface ConnectorChange extends Partial<
  Pick<Connector, "url" | "partnerId" | "paymentMethodTypes">
> {
  readonly publicKeyFile?: string | undefined;
  /** The path of the second public key; an empty path removes the key. */
  readonly otherPublicKeyFile?: string | undefined;
  /** TLS files to change; an empty path removes the file. */
  readonly tls?: ProviderTlsFiles | undefined;
  readonly terms: Partial<ConnectorTerms>;
}

export interface ChangedConnector {
  readonly before: ConnectorDetails;
  readonly after: ConnectorDetails;
}

/** `changeConnector` changes the given settings. All processes apply them within ten seconds. */
export async function changeConnector(
  operator: Operator,
  name: string,
  { publicKeyFile, otherPublicKeyFile, tls, terms, ...change }: ConnectorChange,
): Promise<ChangedConnector> {
  if (change.url !== undefined) refuseUrl(change.url, operator.environment);
  const key = publicKeyFile === undefined ? {} : { publicKey: await readKey(publicKeyFile) };
  const otherKey =
    otherPublicKeyFile === undefined
      ? {}
      : { otherPublicKey: otherPublicKeyFile === "" ? undefined : await readKey(otherPublicKeyFile) };
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = requireNamed(await findAllDetails(tx), name);
    const connector = requireNamed(await listConnectors(tx), name);
    refuseWithoutAccounts(before, terms);
    const keys = { ...key, ...otherKey };
    const files = tls && { tls: omitEmptyFiles({ ...connector.tls, ...tls }) };
    refuseTls(files?.tls);
    const changedConnector = { ...connector, ...change, ...keys, ...files };
    const operatorTerms = [...new Set([...(connector.operatorTerms ?? []), ...Object.keys(terms)])];
    await insertConnector(tx, {
      ...changedConnector,
      terms: { ...connector.terms, ...terms },
      operatorTerms,
    });
    const after = requireNamed(await findAllDetails(tx), name);
    await refuseUnsignable(tx, after);
    const changes = changedFields(auditFieldsOf(before), auditFieldsOf(after));
    return { value: { before, after }, audit: { act: "connector set", subject: name, ...changes } };
  });
}

/** `storeFacts` stores the facts of a provider, which change the terms that the operator has not set. */
export async function storeFacts(
  operator: Operator,
  name: string,
  facts: ProviderFacts,
): Promise<ChangedConnector> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = requireNamed(await findAllDetails(tx), name);
    const connector = requireNamed(await listConnectors(tx), name);
    const terms = resolveTerms(facts, operatorTermsOf(connector));
    await insertConnector(tx, { ...connector, terms, facts, factsAt: undefined });
    const after = requireNamed(await findAllDetails(tx), name);
    const changes = changedFields(auditFieldsOf(before), auditFieldsOf(after));
    return { value: { before, after }, audit: { act: "connector refresh", subject: name, ...changes } };
  });
}

/**
 * `setConnectorState` disables or enables a connector. While it is disabled, no new payments start, and existing ones
 * continue.
 */
export async function setConnectorState(
  operator: Operator,
  name: string,
  to: "disabled" | "enabled",
): Promise<ConnectorDetails> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = requireNamed(await findAllDetails(tx), name);
    await updateConnectorDisabled(tx, name, to === "disabled");
    const after = requireNamed(await findAllDetails(tx), name);
    const act = to === "disabled" ? "connector disable" : "connector enable";
    return {
      value: after,
      audit: { act, subject: name, ...changedFields(auditFieldsOf(before), auditFieldsOf(after)) },
    };
  });
}

/** Returns a connector's settings for the audit log, without its current state. */
function auditFieldsOf(connector: ConnectorDetails): object {
  const { url, partnerId, algorithm, keySha256, otherKeySha256, tls } = connector;
  const { paymentMethodTypes, simulator, gatewayKeyVersion, terms, operatorTerms, facts } = connector;
  const isDisabled = connector.disabledAt !== undefined;
  return {
    url,
    partnerId,
    algorithm,
    keySha256,
    ...(otherKeySha256 !== undefined && { otherKeySha256 }),
    ...(tls && { tls }),
    paymentMethodTypes,
    simulator,
    gatewayKeyVersion,
    isDisabled,
    ...terms,
    ...(operatorTerms?.length && { operatorTerms }),
    ...(facts && { facts }),
  };
}

async function findAllDetails(tx: Tx): Promise<readonly ConnectorDetails[]> {
  const states = await listConnectorStates(tx);
  const connectors = await listConnectors(tx);
  return connectors.map(({ publicKey, otherPublicKey, ...connector }) => ({
    ...connector,
    sharedMethods: sharedMethodsOf(connector, connectors),
    ...(otherPublicKey && { otherKeySha256: fingerprintOf(otherPublicKey) }),
    algorithm: algorithmIn(publicKey),
    keySha256: fingerprintOf(publicKey),
    ...(states.get(connector.name) ?? { createdAt: new Date(0), isSilent: false, jobCount: 0 }),
  }));
}

export function requireNamed<Named extends { readonly name: string }>(
  items: readonly Named[],
  name: string,
): Named {
  const found = items.find((each) => each.name === name);
  if (found) return found;
  const names = items.map((each) => each.name).join(", ") || "none";
  throw new CommandFailed(`There is no connector ${name}. Connectors: ${names}.`);
}

/** Each gateway key version has an RSA pair. Some have no Ed25519 pair and cannot sign messages for this provider. */
async function refuseUnsignable(tx: Tx, { algorithm, gatewayKeyVersion }: ConnectorDetails): Promise<void> {
  if (algorithm !== "RSA256") await refuseUnknownGatewayKey(tx, gatewayKeyVersion, algorithm);
}

function algorithmIn(publicKey: Uint8Array): Algorithm {
  return algorithmOf(createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" }));
}

/** Pins a connector to another gateway key. The provider must already have the public half of this key. */
export async function pinConnectorGatewayKey(
  url: string,
  environment: Environment,
  { name, version }: { readonly name: string; readonly version: number },
  by: ActAttribution = {},
): Promise<void> {
  await actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const { gatewayKeyVersion, publicKey } = requireNamed(await listConnectors(tx), name);
    await updateConnectorKeyVersion(tx, name, version);
    // The key is checked after waiting for the lock, because `gateway-key retire` may have deleted it.
    await refuseUnknownGatewayKey(tx, version, algorithmIn(publicKey));
    const changes = changedFields({ gatewayKeyVersion }, { gatewayKeyVersion: version });
    return { value: undefined, audit: { act: "connector gateway-key", subject: name, ...changes } };
  });
}
