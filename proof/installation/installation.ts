import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../server/src/postgres/temporary-postgres.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { closeLines, openLines, type Lines } from "./lines.ts";
import { bareEnvironment, newPart, type Part } from "./part.ts";
import { prepareCells, type SecondCell } from "./second-cell.ts";
import { startWallet, type WalletProcess } from "./provider-process.ts";

export interface Merchant {
  readonly clientId: string;
  readonly keyVersion: number;
}

/**
 * A complete gateway as processes: two serving processes, two workers, one or two providers, a primary and its standby.
 * The first serving process and the first worker are on one host, the second ones on another.
 */
export interface Installation {
  readonly cluster: Cluster;
  readonly isLive: boolean;
  readonly serves: readonly Part[];
  readonly works: readonly Part[];
  readonly secondCell: SecondCell | undefined;
  /** The ports of `/metrics` of each serving process. */
  readonly metricsPorts: readonly number[];
  readonly providers: readonly WalletProcess[];
  readonly lines: Lines;
  readonly merchants: readonly Merchant[];
  /** The environment of a serving process, without its port. */
  readonly variables: Variables;
  /** The private key of all merchants, in PEM. */
  readonly privateKey: string;
  /** The gateway's public key in PEM, which verifies its responses and webhooks. */
  readonly gatewayPublicKey: string;
  /** The control interface of the first provider, without a proxy, for buyers and the test itself. */
  readonly control: WalletProcess["control"];
  /** All processes, to supervise them. */
  parts(): readonly Part[];
  /** The providers' own journals of money, line by line. */
  effects(): readonly Readonly<Record<string, unknown>>[];
  /** Runs a command of the gateway as its operator, and returns its output. */
  operate(...words: readonly string[]): Promise<string>;
  /** Runs a command with the program of another source tree, independent of the release of the gateway's processes. */
  operateFrom(tree: string, ...words: readonly string[]): Promise<string>;
  /** The provider of a payment method. */
  providerOf(paymentMethodType: string): WalletProcess;
  stop(): Promise<void>;
}

export const database = "tollgate";
export const serveLogin = "storm_serve";
export const workLogin = "storm_work";
const program = "server/src/main.ts";
const root = fileURLToPath(new URL("../../", import.meta.url));
/** Number of merchants. The journeys of buyers keep the balance of the last merchant low. */
const merchantCount = 5;
const outputBytesMax = 2 ** 28;
const connectors = ["storm-provider", "second-provider"] as const;
/** The second provider's only method; all others belong to the first. */
export const secondMethod = "DANA";
const shiftedClock = fileURLToPath(new URL("shifted-clock.ts", import.meta.url));

export interface InstallationOptions {
  readonly durable: boolean;
  readonly shopPort: number;
  /** A cluster to use instead of a new primary and standby. The installation stops it at its end. */
  readonly cluster?: Cluster;
  /**
   * Live mode: the gateway sends webhooks through the operator's proxy, and merchants' endpoints must show this
   * certificate.
   */
  readonly live?: { readonly certificateFile: string };
  /** Adds a second provider, which is not idempotent. */
  readonly hasSecondProvider?: boolean;
  /** Adds a second cell, to which merchants can be moved. */
  readonly hasSecondCell?: boolean;
  /** Quiet time of each provider: how long after a request its "not found" is not trusted. Without it, the default. */
  readonly quietSeconds?: readonly [first: number, second: number];
  /** The merchants' fee, in basis points. */
  readonly feeBasisPoints?: number;
  /** Clock skew of the second host in milliseconds. */
  readonly secondHostMs?: number;
  /** The source tree of the gateway's processes; by default this repository. */
  readonly tree?: string;
}

export type Variables = Readonly<Record<string, string>>;

export async function install(options: InstallationOptions): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-storm-"));
  const parts: Part[] = [];
  const leaveNothing = (): void => {
    for (const part of parts) part.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", leaveNothing);
  const cluster = options.cluster ?? (await startCluster(options));
  try {
    return await installOn(cluster, folder, parts, options, leaveNothing);
  } catch (error) {
    await Promise.all(parts.map((part) => part.kill()));
    await cluster.stop();
    throw error;
  }
}

async function installOn(
  cluster: Cluster,
  folder: string,
  parts: Part[],
  options: InstallationOptions,
  leaveNothing: () => void,
): Promise<Installation> {
  const servePorts = [await freePort(), await freePort()];
  const walletPorts = await Promise.all(
    connectors.slice(0, options.hasSecondProvider ? 2 : 1).map(() => freePort()),
  );
  const secondCellPorts = options.hasSecondCell ? [await freePort()] : [];
  const { shopPort } = options;
  const lines = await openLines(cluster, { shopPort, servePorts, walletPorts, secondCellPorts });
  const variables = await prepareDatabase(cluster, lines, folder, options);
  // The owner's URL follows the primary after a failover.
  const operateFrom = (tree: string, ...words: readonly string[]): Promise<string> =>
    tollgateFrom(tree, { ...variables, TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database) }, words);
  const operate = (...words: readonly string[]): Promise<string> =>
    operateFrom(options.tree ?? root, ...words);
  const [port] = secondCellPorts;
  const cells = await prepareCells({
    cluster,
    folder,
    port,
    lines,
    variables,
    tree: options.tree ?? root,
    operate: (name, ...words) =>
      tollgate({ ...variables, TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(name) }, ...words),
  });
  const registered = await register(operate, folder, options.live !== undefined);
  await cluster.execute(database, `update clients set fee_basis_points = ${options.feeBasisPoints ?? 0}`);
  const providers = await startWallets({ walletPorts, folder, parts, operate, lines }, options);
  await setTerms(cluster, options);

  const metricsPorts = [await freePort(), await freePort()];
  const ports = { serve: servePorts, metrics: metricsPorts };
  const { serves, works } = gatewayParts({ ...variables, ...cells?.settings }, lines, ports, options);
  const secondCell = await cells?.open();
  const own = [...serves, ...works, ...(secondCell?.parts ?? [])];
  parts.push(...own);
  await Promise.all(own.map((part) => part.start()));

  const [first, second] = providers;
  if (!first) throw new Error("There is no provider.");
  return {
    ...registered,
    isLive: options.live !== undefined,
    variables,
    cluster,
    serves,
    works,
    secondCell,
    metricsPorts,
    providers,
    lines,
    control: first.control,
    parts: () => [...own, ...providers.map(({ part }) => part)],
    effects: () => providers.flatMap((provider) => provider.effects()),
    operate,
    operateFrom,
    providerOf: (paymentMethodType) => (paymentMethodType === secondMethod && second) || first,
    async stop() {
      process.off("exit", leaveNothing);
      await Promise.all(parts.map((part) => part.kill()));
      await closeLines(lines);
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

interface ProvidersPlace {
  readonly walletPorts: readonly number[];
  readonly folder: string;
  /** The list to which the process of each provider is added. */
  readonly parts: Part[];
  readonly operate: Installation["operate"];
  readonly lines: Lines;
}

async function startWallets(
  { walletPorts, folder, parts, operate, lines }: ProvidersPlace,
  options: InstallationOptions,
): Promise<readonly WalletProcess[]> {
  const providers: WalletProcess[] = [];
  for (const [index, port] of walletPorts.entries()) {
    const connector = connectors[index] ?? "";
    // The first provider uses Ed25519 and the second RSA, so that both algorithms are tested. A release from another
    // tree may support only RSA.
    const algorithm = index > 0 || options.tree ? "RSA256" : "Ed25519";
    const place = { connector, folder, port, operate, algorithm, repeatsItself: index > 0 } as const;
    const provider = await startWallet(place);
    parts.push(provider.part);
    providers.push(provider);
    await connectTo(operate, provider, lines.gatewayToProviders[index]?.port ?? 0, options);
  }
  return providers;
}

/** The gateway's own processes. Each serving process has its own proxy to the database. */
function gatewayParts(
  { TOLLGATE_OWNER_DATABASE_URL: _ownersAlone, ...variables }: Variables,
  { servesToDatabase }: Lines,
  ports: { readonly serve: readonly number[]; readonly metrics: readonly number[] },
  { secondHostMs = 0, tree = root }: InstallationOptions,
): Pick<Installation, "serves" | "works"> {
  const words = (host: number, command: string): readonly string[] =>
    host === 1 && secondHostMs !== 0 ? ["--import", shiftedClock, program, command] : [program, command];
  // The owner's login is only for commands; no serving or working process has it.
  const { TOLLGATE_OWNER_DATABASE_URL: _, ...own } = variables;
  const common = { ...own, CLOCK_SHIFT_MS: String(secondHostMs) };
  const databaseOf = (line: FaultProxy | undefined): string => {
    const url = new URL(variables["TOLLGATE_DATABASE_URL"] ?? "");
    url.port = String(line?.port ?? 0);
    return url.href;
  };
  return {
    serves: ports.serve.map((port, host) =>
      newPart({
        name: `serve ${host + 1}`,
        words: words(host, "serve"),
        variables: {
          ...common,
          TOLLGATE_PORT: String(port),
          TOLLGATE_METRICS_PORT: String(ports.metrics[host]),
          TOLLGATE_DATABASE_URL: databaseOf(servesToDatabase[host]),
        },
        ready: /^Tollgate serves/,
        tree,
      }),
    ),
    works: [0, 1].map((host) =>
      newPart({
        name: `work ${host + 1}`,
        words: words(host, "work"),
        variables: {
          ...common,
          TOLLGATE_DATABASE_URL: variables["WORK_DATABASE_URL"] ?? "",
        },
        ready: /^Tollgate works/,
        tree,
      }),
    ),
  };
}

async function setTerms(cluster: Cluster, { quietSeconds }: InstallationOptions): Promise<void> {
  const [first, second] = connectors;
  const change = (terms: string, name: string): Promise<unknown> =>
    cluster.execute(database, `update connectors set ${terms} where name = '${name}'`);
  await change("idempotent_by_reference = false", second);
  if (!quietSeconds) return;
  await change(`quiet_seconds = ${quietSeconds[0]}`, first);
  await change(`quiet_seconds = ${quietSeconds[1]}`, second);
}

async function connectTo(
  operate: Installation["operate"],
  { connector, publicKeyFile, repeatsItself }: WalletProcess,
  port: number,
  { live }: InstallationOptions,
): Promise<void> {
  const way = [
    "--url",
    `http://127.0.0.1:${port}`,
    "--public-key",
    publicKeyFile,
    "--partner-id",
    "tollgate",
  ];
  const methods = ["--methods", repeatsItself ? secondMethod : "*"];
  const kind = live ? [] : ["--simulator"];
  await operate("connector", "add", "--name", connector, ...way, ...methods, ...kind);
}

/** Creates a database with its roles as an operator would, migrates it, and adds the gateway's first key. */
async function prepareDatabase(
  cluster: Cluster,
  lines: Lines,
  folder: string,
  { live, tree = root }: InstallationOptions,
): Promise<Variables> {
  const password = randomBytes(18).toString("hex");
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const urlOf = (role: string, line: FaultProxy): string =>
    cluster.urlOver(line, database).replace(/\/\/postgres:[^@]*@/, `//${role}:${password}@`);
  const [serveLine] = lines.servesToDatabase;
  if (!serveLine) throw new Error("There is no proxy to the database.");
  const variables = {
    TOLLGATE_ENVIRONMENT: live ? "live" : "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database),
    TOLLGATE_DATABASE_URL: urlOf(serveLogin, serveLine),
    WORK_DATABASE_URL: urlOf(workLogin, lines.workToDatabase),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${lines.providerToServe.port}`,
    TOLLGATE_LOG_LEVEL: "warn",
    // Merchants call from loopback addresses, which the gateway treats as a proxy.
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
    // Live mode rejects loopback addresses (SSRF), except the operator's proxy.
    ...(live
      ? {
          TOLLGATE_EGRESS_PROXY: `http://127.0.0.1:${lines.workToShop.port}`,
          NODE_EXTRA_CA_CERTS: live.certificateFile,
        }
      : { TOLLGATE_EGRESS_LOOPBACK: "allow" }),
  };
  await cluster.execute("postgres", `create database ${database}`);
  await tollgateFrom(tree, variables, ["migrate"]);
  for (const [role, group] of [
    [serveLogin, "tollgate_app"],
    [workLogin, "tollgate_work"],
  ]) {
    await cluster.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  }
  const logins = `${serveLogin}, ${workLogin}`;
  await cluster.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await cluster.execute("postgres", `grant connect on database ${database} to ${logins}`);
  await tollgateFrom(tree, variables, ["gateway-key", "add"]);
  return variables;
}

export async function register(
  operate: Installation["operate"],
  folder: string,
  isLive: boolean,
): Promise<Pick<Installation, "merchants" | "privateKey" | "gatewayPublicKey">> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { format: "pem", type: "pkcs8" },
    publicKeyEncoding: { format: "pem", type: "spki" },
  });
  const publicKeyFile = join(folder, "merchant.pem");
  writeFileSync(publicKeyFile, publicKey);
  const added = await Promise.all(
    Array.from({ length: merchantCount }, async (_, index) => {
      const name = `Shop ${index + 1}`;
      const proofFile = join(folder, `merchant-${index + 1}.proof`);
      writeFileSync(proofFile, sign("sha256", Buffer.from(`I hold the private key. ${name}`), privateKey));
      const words = ["--name", name, "--public-key", publicKeyFile, "--json"];
      const said = await operate("merchant", "add", ...words, ...(isLive ? ["--proof", proofFile] : []));
      return JSON.parse(said) as Merchant & { readonly gatewayPublicKey: string };
    }),
  );
  return { merchants: added, privateKey, gatewayPublicKey: added[0]?.gatewayPublicKey ?? "" };
}

/** Runs a command of the gateway, and returns its output. */
export function tollgate(variables: Variables, ...words: readonly string[]): Promise<string> {
  return tollgateFrom(root, variables, words);
}

const acts =
  /^(cell init|cells import-fleet|connector add|gateway-key add|merchant add|settlement import)( |$)/;

async function tollgateFrom(tree: string, variables: Variables, words: readonly string[]): Promise<string> {
  const env = { ...bareEnvironment, ...variables };
  const how = { cwd: tree, env, maxBuffer: outputBytesMax };
  // Live requires a reason for every command that changes something.
  const isAct = acts.test(words.join(" "));
  const reason = isAct && variables["TOLLGATE_ENVIRONMENT"] === "live" ? ["--reason", "a storm"] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, ...reason], how);
  return stdout.trim();
}
