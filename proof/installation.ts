import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest, type RequestOptions } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../server/src/postgres/throw-away.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import { newPart, type Part } from "./part.ts";

export interface Merchant {
  readonly clientId: string;
  readonly keyVersion: number;
}

/** A whole gateway in processes of its own: two that serve, two that work, a wallet, a primary and its standby. */
export interface Installation {
  readonly cluster: Cluster;
  readonly serves: readonly Part[];
  readonly works: readonly Part[];
  readonly wallet: Part;
  readonly lines: Lines;
  readonly merchants: readonly Merchant[];
  /** What a process that serves is started with, but for its port. */
  readonly variables: Variables;
  /** All merchants sign with this one, in PEM. */
  readonly privateKey: string;
  /** In PEM; all answers and notifications are signed with the other half. */
  readonly gatewayPublicKey: string;
  /** Past all lines: the buyers' and the test's own way to the wallet. */
  control(method: "POST" | "DELETE", path: string, body?: object): Promise<number>;
  /** The wallet's own truth, line by line. */
  effects(): readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

/** Every way from one part to another. */
export interface Lines {
  /** From merchants to each process that serves. */
  readonly merchantsToServe: readonly FaultProxy[];
  readonly gatewayToWallet: FaultProxy;
  readonly walletToServe: FaultProxy;
  readonly workToShop: FaultProxy;
  readonly serveToDatabase: FaultProxy;
  readonly workToDatabase: FaultProxy;
}

export const database = "tollgate";
const program = "server/src/main.ts";
const root = fileURLToPath(new URL("../", import.meta.url));
const merchantCount = 4;
const connector = "storm-wallet";
const controlTimeoutMs = 8_000;

export interface InstallationOptions {
  readonly durable: boolean;
  readonly shopPort: number;
  /** Instead of a primary and a standby of its own; ends with the installation. */
  readonly cluster?: Cluster;
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
  { shopPort }: InstallationOptions,
  leaveNothing: () => void,
): Promise<Installation> {
  const servePorts = [await freePort(), await freePort()];
  const walletPort = await freePort();
  const lines: Lines = {
    merchantsToServe: await Promise.all(servePorts.map((port) => startFaultProxy(port))),
    gatewayToWallet: await startFaultProxy(walletPort),
    walletToServe: await startFaultProxy(...servePorts),
    workToShop: await startFaultProxy(shopPort),
    serveToDatabase: await cluster.newLine(),
    workToDatabase: await cluster.newLine(),
  };
  const variables = await prepareDatabase(cluster, lines, folder);
  const registered = await register(variables, folder);
  const { wallet, control } = await startWallet(folder, walletPort, registered.gatewayPublicKey);
  parts.push(wallet.part);
  const walletUrl = `http://127.0.0.1:${lines.gatewayToWallet.port}`;
  const own = ["--url", walletUrl, "--public-key", wallet.publicKeyFile, "--partner-id", "tollgate"];
  await tollgate(variables, "connector", "add", "--name", connector, ...own, "--simulator");

  const serves = servePorts.map((port, index) =>
    newPart({
      name: `serve ${index + 1}`,
      words: [program, "serve"],
      variables: { ...variables, TOLLGATE_PORT: String(port) },
      ready: /^Tollgate serves/,
    }),
  );
  const workVariables = { ...variables, TOLLGATE_DATABASE_URL: variables["WORK_DATABASE_URL"] ?? "" };
  const works = [1, 2].map((number) =>
    newPart({
      name: `work ${number}`,
      words: [program, "work"],
      variables: workVariables,
      ready: /^Tollgate works/,
    }),
  );
  parts.push(...serves, ...works);
  await Promise.all([...serves, ...works].map((part) => part.start()));

  return {
    ...registered,
    variables,
    cluster,
    serves,
    works,
    wallet: wallet.part,
    lines,
    control,
    effects: () => readEffects(join(folder, "wallet", "effects.jsonl")),
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

/** A database with its roles as an operator would make them, migrated, with the gateway's first key. */
async function prepareDatabase(cluster: Cluster, lines: Lines, folder: string): Promise<Variables> {
  const password = randomBytes(18).toString("hex");
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const urlOf = (role: string, line: FaultProxy): string =>
    cluster.urlOver(line, database).replace(/\/\/postgres:[^@]*@/, `//${role}:${password}@`);
  const variables = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database),
    TOLLGATE_DATABASE_URL: urlOf("storm_serve", lines.serveToDatabase),
    WORK_DATABASE_URL: urlOf("storm_work", lines.workToDatabase),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${lines.walletToServe.port}`,
    TOLLGATE_LOG_LEVEL: "warn",
    TOLLGATE_EGRESS_LOOPBACK: "allow",
    // All merchants of a storm call from one address, as they do behind a proxy.
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
  };
  await cluster.execute("postgres", `create database ${database}`);
  await tollgate(variables, "migrate");
  for (const [role, group] of [
    ["storm_serve", "tollgate_app"],
    ["storm_work", "tollgate_work"],
  ]) {
    await cluster.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  }
  await cluster.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await cluster.execute("postgres", `grant connect on database ${database} to storm_serve, storm_work`);
  await tollgate(variables, "gateway-key", "add");
  return variables;
}

export async function register(
  variables: Variables,
  folder: string,
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
      const words = ["--name", `Shop ${index + 1}`, "--public-key", publicKeyFile, "--json"];
      const said = await tollgate(variables, "merchant", "add", ...words);
      return JSON.parse(said) as Merchant & { readonly gatewayPublicKey: string };
    }),
  );
  return { merchants: added, privateKey, gatewayPublicKey: added[0]?.gatewayPublicKey ?? "" };
}

export async function startWallet(
  folder: string,
  port: number,
  gatewayPublicKey: string,
): Promise<{
  readonly wallet: { readonly part: Part; readonly publicKeyFile: string };
  readonly control: Installation["control"];
}> {
  const keyFile = join(folder, "gateway.pem");
  const secretFile = join(folder, "control-secret");
  const secret = randomBytes(18).toString("hex");
  writeFileSync(keyFile, gatewayPublicKey);
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const place = ["--port", String(port), "--data", join(folder, "wallet"), "--partner-id", "tollgate"];
  const keys = ["--gateway-public-key", keyFile, "--control-secret-file", secretFile];
  const gaps = ["--callback-gaps-ms", "0,500,1000,2000,5000"];
  const words = ["sandbox/src/main.ts", ...place, ...keys, ...gaps];
  const agent = new Agent({ keepAlive: true });
  const part = newPart({ name: "wallet", words, variables: {}, ready: /^\{/ });
  const { publicKeyFile = "" } = JSON.parse(await part.start()) as Record<string, string>;
  return {
    wallet: { part, publicKeyFile },
    control: (method, path, body = {}) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const signal = AbortSignal.timeout(controlTimeoutMs);
      return statusOf(
        { agent, host: "127.0.0.1", port, method, path, headers, signal },
        JSON.stringify(body),
      );
    },
  };
}

/** Sends a request, and gives the status of the answer. */
function statusOf(options: RequestOptions, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(options, (incoming) => {
      incoming.on("error", reject);
      incoming.resume().on("end", () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function readEffects(file: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Runs a command of the gateway's to its end, and gives back what it printed. */
export async function tollgate(variables: Variables, ...words: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], { cwd: root, env });
  return stdout.trim();
}
