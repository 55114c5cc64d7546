import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { changedFields } from "../../audit/audit.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { algorithmOf, type Algorithm } from "../../signing/algorithm.ts";
import { derOf, isKeyProblem, readProviderKey } from "../../signing/public-key.ts";
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
import { actAsOwner, asOwner, type ActsFor, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { fingerprintOf, refuseUnknownGatewayKey } from "./gateway-key.ts";
import { shownTime, align } from "../../formats/text-table.ts";

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
  added: NewConnector,
  by: ActsFor = {},
): Promise<void> {
  const { publicKeyFile, otherPublicKeyFile, terms, ...given } = added;
  const connector = { ...given, terms: { ...defaultTerms, ...terms } };
  if (environment === "live" && connector.simulator)
    throw new Error("Live rejects simulators, because they move no money.");
  refuseUrl(connector.url, environment);
  refuseTls(connector.tls);
  const publicKey = await readKey(publicKeyFile);
  const otherPublicKey = otherPublicKeyFile ? await readKey(otherPublicKeyFile) : undefined;
  await actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const before = (await findIn(tx)).find(({ name }) => name === connector.name);
    await insertConnector(tx, { ...connector, publicKey, otherPublicKey });
    const after = oneOf(await findIn(tx), connector.name);
    await refuseUnsignable(tx, after);
    const changed = changedFields(before ? auditedOf(before) : {}, auditedOf(after));
    return { value: undefined, audit: { act: "connector add", subject: connector.name, ...changed } };
  });
}

/** A connector for operators. */
export interface ShownConnector extends Omit<Connector, "publicKey" | "otherPublicKey">, ConnectorState {
  /** Algorithm of the provider's key; both sides sign with it. */
  readonly algorithm: Algorithm;
  /** Fingerprint of the provider's public key: SHA-256 of its DER form, in hex. */
  readonly keySha256: string;
  /** Fingerprint of the second public key. */
  readonly otherKeySha256?: string | undefined;
}

export async function findConnectors({ url, environment }: Operator): Promise<readonly ShownConnector[]> {
  return asOwner(url, environment, systemScope, findIn);
}

export async function findConnector(operator: Operator, name: string): Promise<ShownConnector> {
  return oneOf(await findConnectors(operator), name);
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
  readonly before: ShownConnector;
  readonly after: ShownConnector;
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
    const before = oneOf(await findIn(tx), name);
    const connector = oneOf(await listConnectors(tx), name);
    const keys = { ...key, ...otherKey };
    const files = tls && { tls: withoutEmpty({ ...connector.tls, ...tls }) };
    refuseTls(files?.tls);
    const set = { ...connector, ...change, ...keys, ...files };
    await insertConnector(tx, { ...set, terms: { ...connector.terms, ...terms } });
    const after = oneOf(await findIn(tx), name);
    await refuseUnsignable(tx, after);
    const changed = changedFields(auditedOf(before), auditedOf(after));
    return { value: { before, after }, audit: { act: "connector set", subject: name, ...changed } };
  });
}

/**
 * `switchConnector` disables or enables a connector. While it is disabled, no new payments start, and existing ones
 * continue.
 */
export async function switchConnector(
  operator: Operator,
  name: string,
  to: "disabled" | "enabled",
): Promise<ShownConnector> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = oneOf(await findIn(tx), name);
    await updateConnectorDisabled(tx, name, to === "disabled");
    const after = oneOf(await findIn(tx), name);
    const act = to === "disabled" ? "connector disable" : "connector enable";
    return {
      value: after,
      audit: { act, subject: name, ...changedFields(auditedOf(before), auditedOf(after)) },
    };
  });
}

/** Returns a connector's settings for the audit log, without its current state. */
function auditedOf(connector: ShownConnector): object {
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

async function findIn(tx: Tx): Promise<readonly ShownConnector[]> {
  const states = await listConnectorStates(tx);
  return (await listConnectors(tx)).map(({ publicKey, otherPublicKey, ...connector }) => ({
    ...connector,
    ...(otherPublicKey && { otherKeySha256: fingerprintOf(otherPublicKey) }),
    algorithm: algorithmIn(publicKey),
    keySha256: fingerprintOf(publicKey),
    ...(states.get(connector.name) ?? { createdAt: new Date(0), isSilent: false, jobCount: 0 }),
  }));
}

export function oneOf<Named extends { readonly name: string }>(all: readonly Named[], name: string): Named {
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name).join(", ") || "none";
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

function withoutEmpty({ certificateFile, keyFile, caFile }: ProviderTlsFiles): ProviderTlsFiles {
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
  return derOf(key);
}

/** Each gateway key version has an RSA pair. Some have no Ed25519 pair and cannot sign messages for this provider. */
async function refuseUnsignable(tx: Tx, { algorithm, gatewayKeyVersion }: ShownConnector): Promise<void> {
  if (algorithm !== "RSA256") await refuseUnknownGatewayKey(tx, gatewayKeyVersion, algorithm);
}

function algorithmIn(publicKey: Uint8Array): Algorithm {
  return algorithmOf(createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" }));
}

/** Pins a connector to another gateway key. The provider must already have the public half of this key. */
export async function useConnectorKey(
  url: string,
  environment: Environment,
  { name, version }: { readonly name: string; readonly version: number },
  by: ActsFor = {},
): Promise<void> {
  await actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const { gatewayKeyVersion, publicKey } = oneOf(await listConnectors(tx), name);
    await updateConnectorKeyVersion(tx, name, version);
    // The key is checked after waiting for the lock, because `gateway-key retire` may have deleted it.
    await refuseUnknownGatewayKey(tx, version, algorithmIn(publicKey));
    const changed = changedFields({ gatewayKeyVersion }, { gatewayKeyVersion: version });
    return { value: undefined, audit: { act: "connector gateway-key", subject: name, ...changed } };
  });
}

export function connectorTable(connectors: readonly ShownConnector[]): string {
  const head = ["name", "url", "methods", "now", "jobs", "gateway key"];
  const rows = connectors.map((each) => [
    each.name,
    each.url,
    shortened(each.paymentMethodTypes.join(",")),
    nowOf(each),
    String(each.jobCount),
    String(each.gatewayKeyVersion),
  ]);
  return rows.length === 0
    ? "There are no connectors. Set one up with `tollgate connector add`."
    : align([head, ...rows]);
}

function nowOf({ disabledAt, isSilent }: ShownConnector): string {
  return [disabledAt && "DISABLED", isSilent && "SILENT"].filter(Boolean).join(", ");
}

export function connectorText(connector: ShownConnector): string {
  return align(linesOf(connector));
}

/** Formats the changes, one line for each setting. */
export function connectorChangeText({ before, after }: ChangedConnector): string {
  const was = new Map(linesOf(before));
  const changed = linesOf(after).filter(([name, value]) => was.get(name) !== value);
  const lines = changed.map(([name, value]) => `${name}: ${was.get(name)} → ${value}`);
  return [...lines, "All processes apply this within ten seconds."].join("\n");
}

function linesOf(connector: ShownConnector): (readonly [string, string])[] {
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
    ["simulator", inWord(connector.simulator)],
    ["demands registration", inWord(terms.demandsRegistration)],
    ["refunds", `${terms.refunds}, within ${terms.refundWindowDays} days`],
    ["captures", terms.captures],
    ["cancel after payment", terms.cancelPaid],
    ["idempotent", inWord(terms.idempotentByReference)],
    ["quiet time", `${terms.quietSeconds} s`],
    ["gateway key", String(connector.gatewayKeyVersion)],
    ["now", connector.isSilent ? "SILENT: the provider does not respond" : "responding"],
    ["enabled", connector.disabledAt ? `no, since ${shownTime(connector.disabledAt)}` : "yes"],
    ["jobs waiting for it", String(connector.jobCount)],
  ];
}

function inWord(is: boolean): string {
  return is ? "yes" : "no";
}

const methodsWidth = 24;

function shortened(text: string): string {
  return text.length <= methodsWidth ? text : `${text.slice(0, methodsWidth - 1)}…`;
}
