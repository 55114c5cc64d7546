import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import {
  findFreePort,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from "../server/src/postgres/temporary-postgres.ts";

export interface Merchant {
  readonly clientId: string;
  readonly bucket: number;
}

/** A gateway set up with its own commands, on a PostgreSQL server with fsync on. */
export interface Installation {
  readonly postgres: TemporaryPostgres;
  readonly servePid: number;
  readonly workPid: number;
  readonly provider: { readonly url: string; readonly controlSecret: string };
  readonly serveUrl: string;
  readonly merchants: readonly Merchant[];
  /** The shared private key of all merchants, in PEM. */
  readonly privateKey: string;
  /** The gateway's public key in PEM, which verifies its responses. */
  readonly gatewayPublicKey: string;
  query<Row extends object>(text: string): Promise<readonly Row[]>;
  /** Runs a gateway command to its end, as an operator does. */
  operate(...command: readonly string[]): void;
  /** Runs a gateway command concurrently with the load, and returns its output. */
  operateConcurrently(...command: readonly string[]): Promise<string>;
  /**
   * Stops `serve` and `work` as an operator does. PostgreSQL keeps running. When both have ended, it has all their
   * statistics.
   */
  stopGateway(): Promise<void>;
  stop(): Promise<void>;
}

export interface InstallOptions {
  /** The source tree of the gateway and provider; by default this one. */
  readonly tree?: string;
  /** Initial payments of each merchant (default 2,000). */
  readonly paymentsEach?: number;
  /** PostgreSQL settings in addition to the defaults of a local server. */
  readonly settings?: Readonly<Record<string, string>>;
}

const database = "bench";
/** The role of the serving process, with exactly its privileges. */
const appRole = "bench_app";
/** The role of the worker, which sees the jobs of all merchants. */
export const workRole = "bench_work";
const rolePassword = randomBytes(16).toString("hex");

const repositoryTree = fileURLToPath(new URL("../", import.meta.url));
const startTimeoutMs = 60_000;
const ownSettings = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_utility": "off",
};

export async function install({
  tree = repositoryTree,
  paymentsEach = 2_000,
  settings,
}: InstallOptions = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  const postgres = await startTemporaryPostgres({ durable: true, settings: { ...ownSettings, ...settings } });
  const started: ChildProcess[] = [];
  const killAll = (): void => {
    for (const child of started) child.kill("SIGKILL");
  };
  // Exit hook, because a process that ends with an error never calls `stop`.
  process.once("exit", killAll);
  const stop = async (): Promise<void> => {
    process.off("exit", killAll);
    killAll();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const setUp = { tree, folder, variables: await prepareDatabase(postgres, tree, folder) };
    const registered = registerMerchant(setUp);
    const superuser = await connect(postgres.url(database));
    const query = async <Row extends object>(text: string): Promise<readonly Row[]> =>
      (await superuser.query<Row>(text)).rows;
    await query(`select set_config('bench.payments', '${paymentsEach}', false)`);
    // Uses the SQL file of the measured tree, because it fits that tree's tables.
    await query(readFileSync(join(tree, "benchmarks/payments.sql"), "utf8"));
    // The statistics are reset here, so that they contain only the gateway's work and not the set-up.
    await query("select pg_stat_force_next_flush()");
    await query("select pg_stat_reset()");
    const merchants = await query<Merchant>(`select client_id as "clientId", bucket from clients`);
    const provider = await startProvider(
      started,
      setUp,
      showProviderKey(setUp) ?? registered.gatewayPublicKey,
    );
    addConnector(setUp, provider);
    const { serving, working, serveUrl } = await startGateway(started, setUp, postgres);
    return {
      ...registered,
      postgres,
      servePid: serving.pid ?? 0,
      workPid: working.pid ?? 0,
      provider,
      serveUrl,
      merchants,
      query,
      operate: (...command) => void runTollgate(setUp, command),
      operateConcurrently: (...command) => runTollgateConcurrently(started, setUp, command),
      stopGateway: () => stopAll([serving, working]),
      stop: async () => {
        await superuser.end();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface SetUp {
  readonly tree: string;
  readonly folder: string;
  readonly variables: Variables;
}

async function startGateway(
  started: ChildProcess[],
  { tree, folder, variables }: SetUp,
  postgres: TemporaryPostgres,
): Promise<{ readonly serving: ChildProcess; readonly working: ChildProcess; readonly serveUrl: string }> {
  const program = join(tree, "server/src/main.ts");
  const serving = start(started, [program, "serve"], variables, join(folder, "serve.log"));
  const serveUrl = await waitForLine(serving, / at (http:\S+)/);
  const workVariables = { ...variables, TOLLGATE_DATABASE_URL: urlFor(postgres, workRole) };
  const working = start(started, [program, "work"], workVariables, join(folder, "work.log"));
  await waitForLine(working, /(works)/);
  return { serving, working, serveUrl };
}

async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  const ended = children.map((child) => once(child, "exit"));
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(ended);
}

type Variables = Readonly<Record<string, string>>;

async function prepareDatabase(
  postgres: TemporaryPostgres,
  tree: string,
  folder: string,
): Promise<Variables> {
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const variables = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: postgres.url(database),
    TOLLGATE_DATABASE_URL: urlFor(postgres, appRole),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PORT: String(await findFreePort()),
    TOLLGATE_EGRESS_LOOPBACK: "allow",
    // Merchants send from loopback addresses, which the gateway treats as a proxy.
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
  };

  const server = await connect(postgres.url("postgres"));
  await server.query(`create database ${database}`);
  runTollgate({ tree, variables }, ["migrate"]);
  const login = `login password '${rolePassword}' in role tollgate_app`;
  await server.query(`create role ${appRole} ${login}`);
  await server.query(`create role ${workRole} login password '${rolePassword}' in role tollgate_work`);
  await server.query(`revoke connect, temporary on database ${database} from public`);
  await server.query(`grant connect on database ${database} to ${appRole}, ${workRole}`);
  await server.end();
  const superuser = await connect(postgres.url(database));
  // ALTER SYSTEM sets this value, because a value on the server's command line could not be changed later, when
  // statements are counted.
  await superuser.query("alter system set pg_stat_statements.track = 'none'");
  await superuser.query("create extension pg_stat_statements; select pg_reload_conf()");
  await superuser.end();
  return variables;
}

function registerMerchant(setUp: SetUp): Pick<Installation, "privateKey" | "gatewayPublicKey"> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { format: "pem", type: "pkcs8" },
    publicKeyEncoding: { format: "pem", type: "spki" },
  });
  const publicKeyFile = join(setUp.folder, "merchant.pem");
  writeFileSync(publicKeyFile, publicKey);
  runTollgate(setUp, ["gateway-key", "add"]);
  const stdout = runTollgate(setUp, ["merchant", "add", "--public-key", publicKeyFile]);
  const [gatewayPublicKey] = /-----BEGIN PUBLIC KEY-----.*-----END PUBLIC KEY-----/s.exec(stdout) ?? [];
  if (!gatewayPublicKey) throw new Error(`\`merchant add\` printed no gateway key: ${stdout}`);
  return { privateKey, gatewayPublicKey };
}

/** Runs a gateway command to its end, and returns its output. */
function runTollgate(
  { tree, variables }: Pick<SetUp, "tree" | "variables">,
  command: readonly string[],
): string {
  const program = join(tree, "server/src/main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...command], {
    env: { ...process.env, ...variables },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`\`${command.join(" ")}\` failed: ${stderr}`);
  return stdout + stderr;
}

async function runTollgateConcurrently(
  started: ChildProcess[],
  { tree, variables }: Pick<SetUp, "tree" | "variables">,
  command: readonly string[],
): Promise<string> {
  const child = spawn(process.execPath, [join(tree, "server/src/main.ts"), ...command], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (printed += text));
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0) throw new Error(`\`${command.join(" ")}\` failed.`);
  return printed;
}

/** The connection URL of a role. */
function urlFor(postgres: TemporaryPostgres, role: string): string {
  const url = new URL(postgres.url(database));
  url.username = role;
  url.password = rolePassword;
  return url.href;
}

/** The gateway's key for providers that use Ed25519; undefined for a revision that has only RSA. */
function showProviderKey(setUp: SetUp): string | undefined {
  try {
    return runTollgate(setUp, ["gateway-key", "show", "--algorithm", "Ed25519"]);
  } catch {
    return undefined;
  }
}

async function startProvider(
  started: ChildProcess[],
  { tree, folder }: SetUp,
  gatewayPublicKey: string,
): Promise<{ readonly url: string; readonly publicKeyFile: string; readonly controlSecret: string }> {
  const keyFile = join(folder, "gateway.pem");
  writeFileSync(keyFile, `${gatewayPublicKey}\n`);
  const own = ["--data", join(folder, "provider"), "--partner-id", "bench", "--gateway-public-key", keyFile];
  const provider = start(started, [join(tree, "sandbox/src/main.ts"), ...own], {}, "pipe");
  const ready = JSON.parse(await waitForLine(provider, /^(\{.*\})$/m, "stdout")) as Record<string, string>;
  const { walletUrl = "", publicKeyFile = "", controlSecret = "" } = ready;
  return { url: walletUrl, publicKeyFile, controlSecret };
}

function addConnector(
  setUp: SetUp,
  provider: { readonly url: string; readonly publicKeyFile: string },
): void {
  const own = [
    "--url",
    provider.url,
    "--public-key",
    provider.publicKeyFile,
    "--partner-id",
    "bench",
    "--simulator",
  ];
  runTollgate(setUp, ["connector", "add", "--name", "sandbox-wallet", ...own]);
}

/** Starts a process with the default log level and pool size. */
function start(
  started: ChildProcess[],
  words: readonly string[],
  variables: Variables,
  output: string,
): ChildProcess {
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...variables },
    stdio: ["ignore", output === "pipe" ? "pipe" : openSync(output, "w"), "pipe"],
  });
  started.push(child);
  return child;
}

/** Waits for the line that a process prints when it is ready. */
async function waitForLine(
  child: ChildProcess,
  pattern: RegExp,
  stream: "stdout" | "stderr" = "stderr",
): Promise<string> {
  let printed = "";
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`A process does not start: ${printed}`));
    const timer = setTimeout(giveUp, startTimeoutMs);
    child.once("exit", giveUp);
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const [, found] = pattern.exec(printed) ?? [];
      if (!found) return;
      clearTimeout(timer);
      child.off("exit", giveUp);
      resolve(found);
    });
  });
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The PostgreSQL server stops before this connection is closed. The resulting error is expected.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
