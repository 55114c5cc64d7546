import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { changedFields } from "../../audit/audit.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { algorithmOf, type Algorithm } from "../../signing/algorithm.ts";
import { exportDer, isKeyProblem, readProviderKey } from "../../signing/public-key.ts";
import {
  insertConnector,
  listConnectors,
  listConnectorStates,
  updateConnectorDisabled,
  updateConnectorKeyVersion,
} from "../../providers/connector.sql.ts";
import {
  connectorUrlProblem,
  defaultTerms,
  type Connector,
  type ConnectorState,
  type ConnectorTerms,
  type ProviderTlsFiles,
} from "../../providers/connector.ts";
import {
  actAsOwner,
  queryAsOwner,
  type ActAttribution,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { fingerprintOf, refuseUnknownGatewayKey } from "./manage-gateway-keys.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

export interface NewConnector extends Omit<
  Connector,
  "publicKey" | "otherPublicKey" | "terms" | "gatewayKeyVersion"
> {
  readonly publicKeyFile: string;
  readonly otherPublicKeyFile?: string | undefined;
  /** Overrides of the default capabilities. */
  readonly terms?: Partial<ConnectorTerms>;
}

/** `addConnector` creates or replaces a connector. */
export async function addConnector(
  url: string,
  environment: Environment,
  newConnector: NewConnector,
  by: ActAttribution = {},
): Promise<void> {
  const { publicKeyFile, otherPublicKeyFile, terms, ...settings } = newConnector;
  const connector = { ...settings, terms: { ...defaultTerms, ...terms } };
  if (environment === "live" && connector.simulator)
    throw new Error("Live rejects simulators, because they move no money.");
  refuseUrl(connector.url, environment);
  refuseTls(connector.tls);
  const publicKey = await readKey(publicKeyFile);
  const otherPublicKey = otherPublicKeyFile ? await readKey(otherPublicKeyFile) : undefined;
  await actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const before = (await findAllDetails(tx)).find(({ name }) => name === connector.name);
    await insertConnector(tx, { ...connector, publicKey, otherPublicKey });
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
    const keys = { ...key, ...otherKey };
    const files = tls && { tls: omitEmptyFiles({ ...connector.tls, ...tls }) };
    refuseTls(files?.tls);
    const changedConnector = { ...connector, ...change, ...keys, ...files };
    await insertConnector(tx, { ...changedConnector, terms: { ...connector.terms, ...terms } });
    const after = requireNamed(await findAllDetails(tx), name);
    await refuseUnsignable(tx, after);
    const changes = changedFields(auditFieldsOf(before), auditFieldsOf(after));
    return { value: { before, after }, audit: { act: "connector set", subject: name, ...changes } };
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
  const { paymentMethodTypes, simulator, gatewayKeyVersion, terms } = connector;
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
  };
}

async function findAllDetails(tx: Tx): Promise<readonly ConnectorDetails[]> {
  const states = await listConnectorStates(tx);
  return (await listConnectors(tx)).map(({ publicKey, otherPublicKey, ...connector }) => ({
    ...connector,
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

/** Rejects relative paths, which depend on the folder of a process, and a certificate without its key. */
function refuseTls(tls: ProviderTlsFiles | undefined): void {
  if (!tls) return;
  const { certificateFile, keyFile, caFile } = tls;
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw new CommandFailed("--client-certificate and --client-key must be given together.");
  for (const file of [certificateFile, keyFile, caFile])
    if (file !== undefined && !isAbsolute(file))
      throw new CommandFailed(`${file} must be an absolute path, because each server reads it.`);
}

function omitEmptyFiles({ certificateFile, keyFile, caFile }: ProviderTlsFiles): ProviderTlsFiles {
  return {
    certificateFile: certificateFile || undefined,
    keyFile: keyFile || undefined,
    caFile: caFile || undefined,
  };
}

function refuseUrl(walletUrl: string, environment: Environment): void {
  const problem = connectorUrlProblem(walletUrl, environment);
  if (problem !== undefined) throw new CommandFailed(`--url: ${problem}`);
}

async function readKey(file: string): Promise<Uint8Array> {
  const key = readProviderKey(await readFile(file, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${file}: ${key.problem}`);
  return exportDer(key);
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

export function connectorTable(connectors: readonly ConnectorDetails[]): string {
  const head = ["name", "url", "methods", "now", "jobs", "gateway key"];
  const rows = connectors.map((each) => [
    each.name,
    each.url,
    truncate(each.paymentMethodTypes.join(",")),
    stateText(each),
    String(each.jobCount),
    String(each.gatewayKeyVersion),
  ]);
  return rows.length === 0
    ? "There are no connectors. Set one up with `tollgate connector add`."
    : formatTextTable([head, ...rows]);
}

function stateText({ disabledAt, isSilent }: ConnectorDetails): string {
  return [disabledAt && "DISABLED", isSilent && "SILENT"].filter(Boolean).join(", ");
}

export function connectorText(connector: ConnectorDetails): string {
  return formatTextTable(settingRows(connector));
}

/** Formats the changes, one line for each setting. */
export function connectorChangeText({ before, after }: ChangedConnector): string {
  const previousValues = new Map(settingRows(before));
  const changedRows = settingRows(after).filter(([name, value]) => previousValues.get(name) !== value);
  const lines = changedRows.map(([name, value]) => `${name}: ${previousValues.get(name)} → ${value}`);
  return [...lines, "All processes apply this within ten seconds."].join("\n");
}

function settingRows(connector: ConnectorDetails): (readonly [string, string])[] {
  const { terms } = connector;
  return [
    ["name", connector.name],
    ["url", connector.url],
    ["partner id", connector.partnerId],
    ["provider's key", `${connector.algorithm}, SHA-256 ${connector.keySha256}`],
    ["provider's second key", connector.otherKeySha256 ? `SHA-256 ${connector.otherKeySha256}` : "none"],
    ["client certificate", connector.tls?.certificateFile ?? "none"],
    ["CA", connector.tls?.caFile ?? "Node's default CAs"],
    ["methods", connector.paymentMethodTypes.join(", ")],
    ["currencies", terms.currencies.join(", ") || "all"],
    ["simulator", yesNoText(connector.simulator)],
    ["demands registration", yesNoText(terms.demandsRegistration)],
    ["refunds", `${terms.refunds}, within ${terms.refundWindowDays} days`],
    ["captures", terms.captures],
    ["cancel after payment", terms.cancelPaid],
    ["idempotent", yesNoText(terms.idempotentByReference)],
    ["quiet time", `${terms.quietSeconds} s`],
    ["gateway key", String(connector.gatewayKeyVersion)],
    ["now", connector.isSilent ? "SILENT: the provider does not respond" : "responding"],
    ["enabled", connector.disabledAt ? `no, since ${formatUtcTime(connector.disabledAt)}` : "yes"],
    ["jobs waiting for it", String(connector.jobCount)],
  ];
}

function yesNoText(value: boolean): string {
  return value ? "yes" : "no";
}

const methodsWidth = 24;

function truncate(text: string): string {
  return text.length <= methodsWidth ? text : `${text.slice(0, methodsWidth - 1)}…`;
}
