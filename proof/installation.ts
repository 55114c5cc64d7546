import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../server/src/postgres/throw-away.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import { bareEnvironment, newPart, type Part } from "./part.ts";
import { startWallet, type WalletProcess } from "./wallet-process.ts";

export interface Merchant {
  readonly clientId: string;
  readonly keyVersion: number;
}

/**
 * A whole gateway as processes: two that serve, two workers, one or two wallets, a primary and its standby.
 * The first serving process and the first worker are on one host, the second ones on another.
 */
export interface Installation {
  readonly cluster: Cluster;
  readonly isLive: boolean;
  readonly serves: readonly Part[];
  readonly works: readonly Part[];
  readonly wallets: readonly WalletProcess[];
  readonly lines: Lines;
  readonly merchants: readonly Merchant[];
  /** The environment of a serving process, without its port. */
  readonly variables: Variables;
  /** The private key of all merchants, in PEM. */
  readonly privateKey: string;
  /** Verifies answers and notifications of the gateway, in PEM. */
  readonly gatewayPublicKey: string;
  /** The control interface of the first wallet, without a proxy, for buyers and the test itself. */
  readonly control: WalletProcess["control"];
  /** All processes, to supervise them. */
  parts(): readonly Part[];
  /** The wallets' own logs of money, line by line. */
  effects(): readonly Readonly<Record<string, unknown>>[];
  /** Runs a command of the gateway as its operator does, and gives what it printed. */
  operate(...words: readonly string[]): Promise<string>;
  /** The same with the program of another tree, whatever release the gateway's processes run. */
  operateFrom(tree: string, ...words: readonly string[]): Promise<string>;
  /** The wallet of a payment method. */
  walletOf(paymentMethodType: string): WalletProcess;
  stop(): Promise<void>;
}

/** Every network connection from one part to another, as a fault proxy. */
export interface Lines {
  /** From merchants to each process that serves. */
  readonly merchantsToServe: readonly FaultProxy[];
  readonly gatewayToWallets: readonly FaultProxy[];
  readonly walletToServe: FaultProxy;
  readonly workToShop: FaultProxy;
  readonly servesToDatabase: readonly FaultProxy[];
  readonly workToDatabase: FaultProxy;
}

export const database = "tollgate";
export const serveLogin = "storm_serve";
export const workLogin = "storm_work";
const program = "server/src/main.ts";
const root = fileURLToPath(new URL("../", import.meta.url));
/** The last merchant is poor: see the journeys. */
const merchantCount = 5;
const outputBytesMax = 2 ** 28;
const connectors = ["storm-wallet", "second-wallet"] as const;
/** The second wallet's only method; all others belong to the first. */
export const secondMethod = "DANA";
const shiftedClock = fileURLToPath(new URL("shifted-clock.ts", import.meta.url));

export interface InstallationOptions {
  readonly durable: boolean;
  readonly shopPort: number;
  /** Replaces the primary and standby; stopped with the installation. */
  readonly cluster?: Cluster;
  /** Live mode: merchants' webhooks have to show this certificate, behind the operator's proxy. */
  readonly live?: { readonly certificateFile: string };
  /** Adds a second wallet, which is not idempotent. */
  readonly hasSecondWallet?: boolean;
  /**
   * Quiet time of each wallet: how long its "not found" is not believed after a request; the default, if
   * absent.
   */
  readonly quietSeconds?: readonly [first: number, second: number];
  /** The merchants' fee, in basis points. */
  readonly feeBasisPoints?: number;
  /** Clock skew of the second host. */
  readonly secondHostMs?: number;
  /** The source tree of the gateway's processes; this one, if absent. */
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
    connectors.slice(0, options.hasSecondWallet ? 2 : 1).map(() => freePort()),
  );
  const lines: Lines = {
    merchantsToServe: await Promise.all(servePorts.map((port) => startFaultProxy(port))),
    gatewayToWallets: await Promise.all(walletPorts.map((port) => startFaultProxy(port))),
    walletToServe: await startFaultProxy(...servePorts),
    workToShop: await startFaultProxy(options.shopPort),
    servesToDatabase: [await cluster.newLine(), await cluster.newLine()],
    workToDatabase: await cluster.newLine(),
  };
  const variables = await prepareDatabase(cluster, lines, folder, options);
  // The owner's URL follows the primary after a failover.
  const operateFrom = (tree: string, ...words: readonly string[]): Promise<string> =>
    tollgateFrom(tree, { ...variables, TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database) }, words);
  const operate = (...words: readonly string[]): Promise<string> =>
    operateFrom(options.tree ?? root, ...words);
  const registered = await register(operate, folder, options.live !== undefined);
  await cluster.execute(database, `update clients set fee_basis_points = ${options.feeBasisPoints ?? 0}`);
  const wallets: WalletProcess[] = [];
  for (const [index, port] of walletPorts.entries()) {
    const connector = connectors[index] ?? "";
    // A storm of two has both kinds of signature. The release of another tree may know RSA only.
    const algorithm = index > 0 || options.tree ? "RSA256" : "Ed25519";
    const place = { connector, folder, port, operate, algorithm, repeatsItself: index > 0 } as const;
    const wallet = await startWallet(place);
    parts.push(wallet.part);
    wallets.push(wallet);
    await connectTo(operate, wallet, lines.gatewayToWallets[index]?.port ?? 0, options);
  }
  await setTerms(cluster, options);

  const { serves, works } = gatewayParts(variables, lines, servePorts, options);
  parts.push(...serves, ...works);
  await Promise.all([...serves, ...works].map((part) => part.start()));

  const [first, second] = wallets;
  if (!first) throw new Error("There is no wallet.");
  return {
    ...registered,
    isLive: options.live !== undefined,
    variables,
    cluster,
    serves,
    works,
    wallets,
    lines,
    control: first.control,
    parts: () => [...serves, ...works, ...wallets.map(({ part }) => part)],
    effects: () => wallets.flatMap((wallet) => wallet.effects()),
    operate,
    operateFrom,
    walletOf: (paymentMethodType) => (paymentMethodType === secondMethod && second) || first,
    async stop() {
      process.off("exit", leaveNothing);
      await Promise.all(parts.map((part) => part.kill()));
      await Promise.all(
        Object.values(lines).flatMap((line: FaultProxy | FaultProxy[]) =>
          [line].flat().map((each) => each.close()),
        ),
      );
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The gateway's own processes. Each serving process has its own proxy to the database. */
function gatewayParts(
  { TOLLGATE_OWNER_DATABASE_URL: _ownersAlone, ...variables }: Variables,
  { servesToDatabase }: Lines,
  servePorts: readonly number[],
  { secondHostMs = 0, tree = root }: InstallationOptions,
): Pick<Installation, "serves" | "works"> {
  const words = (host: number, command: string): readonly string[] =>
    host === 1 && secondHostMs !== 0 ? ["--import", shiftedClock, program, command] : [program, command];
  // The owner's login is for commands; no process that serves or works has it.
  const { TOLLGATE_OWNER_DATABASE_URL: _, ...own } = variables;
  const common = { ...own, CLOCK_SHIFT_MS: String(secondHostMs) };
  const databaseOf = (line: FaultProxy | undefined): string => {
    const url = new URL(variables["TOLLGATE_DATABASE_URL"] ?? "");
    url.port = String(line?.port ?? 0);
    return url.href;
  };
  return {
    serves: servePorts.map((port, host) =>
      newPart({
        name: `serve ${host + 1}`,
        words: words(host, "serve"),
        variables: {
          ...common,
          TOLLGATE_PORT: String(port),
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

/** A database with its roles as an operator would make them, migrated, with the gateway's first key. */
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
  if (!serveLine) throw new Error("There is no line to the database.");
  const variables = {
    TOLLGATE_ENVIRONMENT: live ? "live" : "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database),
    TOLLGATE_DATABASE_URL: urlOf(serveLogin, serveLine),
    WORK_DATABASE_URL: urlOf(workLogin, lines.workToDatabase),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${lines.walletToServe.port}`,
    TOLLGATE_LOG_LEVEL: "warn",
    // All merchants of a storm call from one address, as they do behind a proxy.
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
    // Live mode refuses loopback addresses (SSRF), except the operator's proxy.
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

/** Runs a command of the gateway to its end, and gives what it printed. */
export function tollgate(variables: Variables, ...words: readonly string[]): Promise<string> {
  return tollgateFrom(root, variables, words);
}

async function tollgateFrom(tree: string, variables: Variables, words: readonly string[]): Promise<string> {
  const env = { ...bareEnvironment, ...variables };
  const how = { cwd: tree, env, maxBuffer: outputBytesMax };
  // Live demands a reason for whatever changes something.
  const isAct = ["gateway-key add", "connector add", "merchant add", "settlement import"].includes(
    words.slice(0, 2).join(" "),
  );
  const reason = isAct && variables["TOLLGATE_ENVIRONMENT"] === "live" ? ["--reason", "a storm"] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, ...reason], how);
  return stdout.trim();
}
