import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { changedFields } from "../audit/audit.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Tx } from "../postgres/sql.ts";
import { algorithmOf, type Algorithm } from "../signing/algorithm.ts";
import { derOf, isKeyProblem, readWalletKey } from "../signing/public-key.ts";
import {
  insertConnector,
  listConnectors,
  listConnectorStates,
  updateConnectorDisabled,
  updateConnectorKeyVersion,
} from "../wallets/connector.sql.ts";
import {
  connectorUrlProblem,
  usualTerms,
  type Connector,
  type ConnectorState,
  type ConnectorTerms,
  type WalletTlsFiles,
} from "../wallets/connector.ts";
import { actAsOwner, asOwner, type ActsFor, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { fingerprintOf, refuseUnknownGatewayKey } from "./gateway-key.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

export interface NewConnector extends Omit<
  Connector,
  "publicKey" | "otherPublicKey" | "terms" | "gatewayKeyVersion"
> {
  readonly publicKeyFile: string;
  readonly otherPublicKeyFile?: string | undefined;
  /** Overrides of the usual terms. */
  readonly terms?: Partial<ConnectorTerms>;
}

/** Sets up the way to a wallet, or changes it. */
export async function addConnector(
  url: string,
  environment: Environment,
  added: NewConnector,
  by: ActsFor = {},
): Promise<void> {
  const { publicKeyFile, otherPublicKeyFile, terms, ...given } = added;
  const connector = { ...given, terms: { ...usualTerms, ...terms } };
  if (environment === "live" && connector.simulator) throw new Error("Live takes no simulator.");
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

/** A connector as an operator sees it. */
export interface ShownConnector extends Omit<Connector, "publicKey" | "otherPublicKey">, ConnectorState {
  /** That of the wallet's key, by which both sign. */
  readonly algorithm: Algorithm;
  /** Fingerprint of the wallet's public key: SHA-256 of its DER form, in hex. */
  readonly keySha256: string;
  /** The same of the key that is taken beside it. */
  readonly otherKeySha256?: string | undefined;
}

export async function findConnectors({ url, environment }: Operator): Promise<readonly ShownConnector[]> {
  return asOwner(url, environment, systemScope, findIn);
}

export async function findConnector(operator: Operator, name: string): Promise<ShownConnector> {
  return oneOf(await findConnectors(operator), name);
}

/** What an operator sets of a connector; an absent field stays as it is. */
export interface ConnectorChange extends Partial<
  Pick<Connector, "url" | "partnerId" | "paymentMethodTypes">
> {
  readonly publicKeyFile?: string | undefined;
  /** An empty one takes the other key away. */
  readonly otherPublicKeyFile?: string | undefined;
  /** What is given of it; an empty path takes that file away. */
  readonly tls?: WalletTlsFiles | undefined;
  readonly terms: Partial<ConnectorTerms>;
}

export interface ChangedConnector {
  readonly before: ShownConnector;
  readonly after: ShownConnector;
}

/** Sets what is given of a connector. Every process takes it up within ten seconds. */
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

/** Takes a wallet out of service, or into it again. Nothing new is begun with it meanwhile; what was begun goes on. */
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

/** What the audit has of a connector: what an operator sets, and not how the wallet is at the moment. */
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
  throw new Impossible(`There is no connector ${name}. There are: ${names}.`);
}

/** Paths mean the same in whatever folder a process was started; a certificate is of no use without its key. */
function refuseTls(tls: WalletTlsFiles | undefined): void {
  if (!tls) return;
  const { certificateFile, keyFile, caFile } = tls;
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw new Impossible("--client-certificate and --client-key come together.");
  for (const file of [certificateFile, keyFile, caFile])
    if (file !== undefined && !isAbsolute(file))
      throw new Impossible(
        `${file} has to be an absolute path: it names a file on every machine that serves.`,
      );
}

function withoutEmpty({ certificateFile, keyFile, caFile }: WalletTlsFiles): WalletTlsFiles {
  return {
    certificateFile: certificateFile || undefined,
    keyFile: keyFile || undefined,
    caFile: caFile || undefined,
  };
}

function refuseUrl(walletUrl: string, environment: Environment): void {
  const problem = connectorUrlProblem(walletUrl, environment);
  if (problem !== undefined) throw new Impossible(`--url: ${problem}`);
}

async function readKey(file: string): Promise<Uint8Array> {
  const key = readWalletKey(await readFile(file, "utf8"));
  if (isKeyProblem(key)) throw new Error(`${file}: ${key.problem}`);
  return derOf(key);
}

/** RSA is in every version; Ed25519 is not, and then nothing that goes to the wallet could be signed. */
async function refuseUnsignable(tx: Tx, { algorithm, gatewayKeyVersion }: ShownConnector): Promise<void> {
  if (algorithm !== "RSA256") await refuseUnknownGatewayKey(tx, gatewayKeyVersion, algorithm);
}

function algorithmIn(publicKey: Uint8Array): Algorithm {
  return algorithmOf(createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" }));
}

/** Pins a wallet to another gateway key; the wallet has to know its public half already. */
export async function useConnectorKey(
  url: string,
  environment: Environment,
  { name, version }: { readonly name: string; readonly version: number },
  by: ActsFor = {},
): Promise<void> {
  await actAsOwner({ url, environment, by }, systemScope, async (tx) => {
    const { gatewayKeyVersion, publicKey } = oneOf(await listConnectors(tx), name);
    await updateConnectorKeyVersion(tx, name, version);
    // Behind it: `gateway-key retire` may have deleted the key while this waited for its lock.
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
  return rows.length === 0 ? "There are none: `tollgate connector add` sets one up." : align([head, ...rows]);
}

function nowOf({ disabledAt, isSilent }: ShownConnector): string {
  return [disabledAt && "DISABLED", isSilent && "SILENT"].filter(Boolean).join(", ");
}

export function connectorText(connector: ShownConnector): string {
  return align(linesOf(connector));
}

/** What has changed, a line for each setting. */
export function connectorChangeText({ before, after }: ChangedConnector): string {
  const was = new Map(linesOf(before));
  const changed = linesOf(after).filter(([name, value]) => was.get(name) !== value);
  const lines = changed.map(([name, value]) => `${name}: ${was.get(name)} → ${value}`);
  return [...lines, "Every process takes it up within ten seconds."].join("\n");
}

function linesOf(connector: ShownConnector): (readonly [string, string])[] {
  const { terms } = connector;
  return [
    ["name", connector.name],
    ["url", connector.url],
    ["partner id", connector.partnerId],
    ["its key", `${connector.algorithm}, SHA-256 ${connector.keySha256}`],
    ["its other key", connector.otherKeySha256 ? `SHA-256 ${connector.otherKeySha256}` : "none"],
    ["client certificate", connector.tls?.certificateFile ?? "none"],
    ["CA", connector.tls?.caFile ?? "those that Node trusts"],
    ["methods", connector.paymentMethodTypes.join(", ")],
    ["currencies", terms.currencies.join(", ") || "all"],
    ["simulator", inWord(connector.simulator)],
    ["demands registration", inWord(terms.demandsRegistration)],
    ["refunds", `${terms.refunds}, within ${terms.refundWindowDays} days`],
    ["captures", terms.captures],
    ["cancels what is paid", terms.cancelPaid],
    ["idempotent", inWord(terms.idempotentByReference)],
    ["quiet time", `${terms.quietSeconds} s`],
    ["gateway key", String(connector.gatewayKeyVersion)],
    ["now", connector.isSilent ? "SILENT: it does not answer" : "not silent"],
    ["in service", connector.disabledAt ? `no, since ${shownTime(connector.disabledAt)}` : "yes"],
    ["jobs that need it", String(connector.jobCount)],
  ];
}

function inWord(is: boolean): string {
  return is ? "yes" : "no";
}

const methodsWidth = 24;

function shortened(text: string): string {
  return text.length <= methodsWidth ? text : `${text.slice(0, methodsWidth - 1)}…`;
}
