import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { startCluster, type Cluster } from "./postgres-cluster.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { closeProxies, openProxies, type NetworkProxies } from "./network-proxies.ts";
import { minimalEnvironment, newManagedProcess, type ManagedProcess } from "./managed-process.ts";
import { prepareCells, type SecondCell } from "./second-cell.ts";
import { startProvider, type ProviderProcess } from "./provider-process.ts";

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
  readonly serves: readonly ManagedProcess[];
  readonly works: readonly ManagedProcess[];
  readonly secondCell: SecondCell | undefined;
  /** The ports of `/metrics` of each serving process. */
  readonly metricsPorts: readonly number[];
  readonly providers: readonly ProviderProcess[];
  readonly proxies: NetworkProxies;
  readonly merchants: readonly Merchant[];
  /** The environment of a serving process, without its port. */
  readonly variables: Variables;
  /** The private key of all merchants, in PEM. */
  readonly privateKey: string;
  /** The gateway's public key in PEM, which verifies its responses and webhooks. */
  readonly gatewayPublicKey: string;
  /** The control interface of the first provider, without a proxy, for buyers and the test itself. */
  readonly control: ProviderProcess["control"];
  /** All processes, to supervise them. */
  processes(): readonly ManagedProcess[];
  /** The providers' own journals of money, line by line. */
  effects(): readonly Readonly<Record<string, unknown>>[];
  /** Runs a command of the gateway as its operator, and returns its output. */
  operate(...args: readonly string[]): Promise<string>;
  /** Runs a command with the program of another source tree, independent of the release of the gateway's processes. */
  operateFrom(tree: string, ...args: readonly string[]): Promise<string>;
  /** The provider of a payment method. */
  providerOf(paymentMethodType: string): ProviderProcess;
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
  readonly secondHostSkewMs?: number;
  /** The source tree of the gateway's processes; by default this repository. */
  readonly tree?: string;
}

export type Variables = Readonly<Record<string, string>>;

export async function installGateway(options: InstallationOptions): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-storm-"));
  const processes: ManagedProcess[] = [];
  const cleanUp = (): void => {
    for (const child of processes) child.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", cleanUp);
  const cluster = options.cluster ?? (await startCluster(options));
  try {
    return await installWithCluster(cluster, folder, processes, options, cleanUp);
  } catch (error) {
    await Promise.all(processes.map((child) => child.kill()));
    await cluster.stop();
    throw error;
  }
}

async function installWithCluster(
  cluster: Cluster,
  folder: string,
  processes: ManagedProcess[],
  options: InstallationOptions,
  cleanUp: () => void,
): Promise<Installation> {
  const servePorts = [await findFreePort(), await findFreePort()];
  const providerPorts = await Promise.all(
    connectors.slice(0, options.hasSecondProvider ? 2 : 1).map(() => findFreePort()),
  );
  const secondCellPorts = options.hasSecondCell ? [await findFreePort()] : [];
  const { shopPort } = options;
  const proxies = await openProxies(cluster, { shopPort, servePorts, providerPorts, secondCellPorts });
  const variables = await prepareDatabase(cluster, proxies, folder, options);
  // The owner's URL follows the primary after a failover.
  const operateFrom = (tree: string, ...args: readonly string[]): Promise<string> =>
    runTollgateFrom(tree, { ...variables, TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database) }, args);
  const operate = (...args: readonly string[]): Promise<string> => operateFrom(options.tree ?? root, ...args);
  const [port] = secondCellPorts;
  const secondCellSetup = await prepareCells({
    cluster,
    folder,
    port,
    proxies,
    variables,
    tree: options.tree ?? root,
    operate: (name, ...args) =>
      runTollgate({ ...variables, TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(name) }, ...args),
  });
  const registration = await register(operate, folder, options.live !== undefined);
  await cluster.execute(database, `update clients set fee_basis_points = ${options.feeBasisPoints ?? 0}`);
  const providers = await startProviders({ providerPorts, folder, processes, operate, proxies }, options);
  await setConnectorTerms(cluster, options);

  const metricsPorts = [await findFreePort(), await findFreePort()];
  const ports = { serve: servePorts, metrics: metricsPorts };
  const settings = { ...variables, ...secondCellSetup?.settings };
  const { serves, works } = newGatewayProcesses(settings, proxies, ports, options);
  const secondCell = await secondCellSetup?.open();
  const ownProcesses = [...serves, ...works, ...(secondCell?.processes ?? [])];
  processes.push(...ownProcesses);
  await Promise.all(ownProcesses.map((child) => child.start()));

  const [first, second] = providers;
  if (!first) throw new Error("There is no provider.");
  return {
    ...registration,
    isLive: options.live !== undefined,
    variables,
    cluster,
    serves,
    works,
    secondCell,
    metricsPorts,
    providers,
    proxies,
    control: first.control,
    processes: () => [...ownProcesses, ...providers.map(({ process: child }) => child)],
    effects: () => providers.flatMap((provider) => provider.effects()),
    operate,
    operateFrom,
    providerOf: (paymentMethodType) => (paymentMethodType === secondMethod && second) || first,
    async stop() {
      process.off("exit", cleanUp);
      await Promise.all(processes.map((child) => child.kill()));
      await closeProxies(proxies);
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

interface ProviderSetup {
  readonly providerPorts: readonly number[];
  readonly folder: string;
  /** The list to which the process of each provider is added. */
  readonly processes: ManagedProcess[];
  readonly operate: Installation["operate"];
  readonly proxies: NetworkProxies;
}

async function startProviders(
  { providerPorts, folder, processes, operate, proxies }: ProviderSetup,
  options: InstallationOptions,
): Promise<readonly ProviderProcess[]> {
  const providers: ProviderProcess[] = [];
  for (const [index, port] of providerPorts.entries()) {
    const connector = connectors[index] ?? "";
    // The first provider uses Ed25519 and the second RSA, so that both algorithms are tested. A release from another
    // tree may support only RSA.
    const algorithm = index > 0 || options.tree ? "RSA256" : "Ed25519";
    const providerOptions = {
      connector,
      folder,
      port,
      operate,
      algorithm,
      duplicatesRetries: index > 0,
    } as const;
    const provider = await startProvider(providerOptions);
    processes.push(provider.process);
    providers.push(provider);
    await addConnector(operate, provider, proxies.gatewayToProviders[index]?.port ?? 0, options);
  }
  return providers;
}

/** The gateway's own processes. Each serving process has its own proxy to the database. */
function newGatewayProcesses(
  { TOLLGATE_OWNER_DATABASE_URL: _ownersAlone, ...variables }: Variables,
  { servesToDatabase }: NetworkProxies,
  ports: { readonly serve: readonly number[]; readonly metrics: readonly number[] },
  { secondHostSkewMs = 0, tree = root }: InstallationOptions,
): Pick<Installation, "serves" | "works"> {
  const args = (host: number, command: string): readonly string[] =>
    host === 1 && secondHostSkewMs !== 0 ? ["--import", shiftedClock, program, command] : [program, command];
  // The owner's login is only for commands; no serving or working process has it.
  const { TOLLGATE_OWNER_DATABASE_URL: _, ...processVariables } = variables;
  const common = { ...processVariables, CLOCK_SHIFT_MS: String(secondHostSkewMs) };
  const databaseOf = (proxy: FaultProxy | undefined): string => {
    const url = new URL(variables["TOLLGATE_DATABASE_URL"] ?? "");
    url.port = String(proxy?.port ?? 0);
    return url.href;
  };
  return {
    serves: ports.serve.map((port, host) =>
      newManagedProcess({
        name: `serve ${host + 1}`,
        args: args(host, "serve"),
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
      newManagedProcess({
        name: `work ${host + 1}`,
        args: args(host, "work"),
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

async function setConnectorTerms(cluster: Cluster, { quietSeconds }: InstallationOptions): Promise<void> {
  const [first, second] = connectors;
  const change = (terms: string, name: string): Promise<unknown> =>
    cluster.execute(database, `update connectors set ${terms} where name = '${name}'`);
  await change("idempotent_by_reference = false", second);
  if (!quietSeconds) return;
  await change(`quiet_seconds = ${quietSeconds[0]}`, first);
  await change(`quiet_seconds = ${quietSeconds[1]}`, second);
}

async function addConnector(
  operate: Installation["operate"],
  { connector, publicKeyFile, duplicatesRetries }: ProviderProcess,
  port: number,
  { live }: InstallationOptions,
): Promise<void> {
  const addressArgs = [
    "--url",
    `http://127.0.0.1:${port}`,
    "--public-key",
    publicKeyFile,
    "--partner-id",
    "tollgate",
  ];
  const methods = ["--methods", duplicatesRetries ? secondMethod : "*"];
  const kind = live ? [] : ["--simulator"];
  await operate("connector", "add", "--name", connector, ...addressArgs, ...methods, ...kind);
}

/** Creates a database with its roles as an operator would, migrates it, and adds the gateway's first key. */
async function prepareDatabase(
  cluster: Cluster,
  proxies: NetworkProxies,
  folder: string,
  { live, tree = root }: InstallationOptions,
): Promise<Variables> {
  const password = randomBytes(18).toString("hex");
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const urlOf = (role: string, proxy: FaultProxy): string =>
    cluster.urlThrough(proxy, database).replace(/\/\/postgres:[^@]*@/, `//${role}:${password}@`);
  const [serveProxy] = proxies.servesToDatabase;
  if (!serveProxy) throw new Error("There is no proxy to the database.");
  const variables = {
    TOLLGATE_ENVIRONMENT: live ? "live" : "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database),
    TOLLGATE_DATABASE_URL: urlOf(serveLogin, serveProxy),
    WORK_DATABASE_URL: urlOf(workLogin, proxies.workToDatabase),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${proxies.providerToServe.port}`,
    TOLLGATE_LOG_LEVEL: "warn",
    // Merchants call from loopback addresses, which the gateway treats as a proxy.
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
    // Live mode rejects loopback addresses (SSRF), except the operator's proxy.
    ...(live
      ? {
          TOLLGATE_EGRESS_PROXY: `http://127.0.0.1:${proxies.workToShop.port}`,
          NODE_EXTRA_CA_CERTS: live.certificateFile,
        }
      : { TOLLGATE_EGRESS_LOOPBACK: "allow" }),
  };
  await cluster.execute("postgres", `create database ${database}`);
  await runTollgateFrom(tree, variables, ["migrate"]);
  for (const [role, group] of [
    [serveLogin, "tollgate_app"],
    [workLogin, "tollgate_work"],
  ]) {
    await cluster.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  }
  const logins = `${serveLogin}, ${workLogin}`;
  await cluster.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await cluster.execute("postgres", `grant connect on database ${database} to ${logins}`);
  await runTollgateFrom(tree, variables, ["gateway-key", "add"]);
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
      const args = ["--name", name, "--public-key", publicKeyFile, "--json"];
      const output = await operate("merchant", "add", ...args, ...(isLive ? ["--proof", proofFile] : []));
      return JSON.parse(output) as Merchant & { readonly gatewayPublicKey: string };
    }),
  );
  return { merchants: added, privateKey, gatewayPublicKey: added[0]?.gatewayPublicKey ?? "" };
}

/** Runs a command of the gateway, and returns its output. */
export function runTollgate(variables: Variables, ...args: readonly string[]): Promise<string> {
  return runTollgateFrom(root, variables, args);
}

const changingCommands =
  /^(cell init|cells import-fleet|connector add|gateway-key add|merchant add|settlement import)( |$)/;

async function runTollgateFrom(tree: string, variables: Variables, args: readonly string[]): Promise<string> {
  const env = { ...minimalEnvironment, ...variables };
  const execOptions = { cwd: tree, env, maxBuffer: outputBytesMax };
  // Live requires a reason for every command that changes something.
  const isChange = changingCommands.test(args.join(" "));
  const reason = isChange && variables["TOLLGATE_ENVIRONMENT"] === "live" ? ["--reason", "a storm"] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, ...reason], execOptions);
  return stdout.trim();
}
