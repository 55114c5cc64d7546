import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import {
  freePort,
  startThrowAwayPostgres,
  type ThrowAwayPostgres,
} from "../server/src/postgres/throw-away.ts";

export interface Merchant {
  readonly clientId: string;
  readonly bucket: number;
}

/** A gateway set up by its own commands, on a PostgreSQL server with fsync on. */
export interface Installation {
  readonly postgres: ThrowAwayPostgres;
  readonly servePid: number;
  readonly workPid: number;
  readonly wallet: { readonly url: string; readonly controlSecret: string };
  readonly serveUrl: string;
  readonly merchants: readonly Merchant[];
  /** The private key of all merchants, in PEM. */
  readonly privateKey: string;
  /** Verifies the gateway's answers, in PEM. */
  readonly gatewayPublicKey: string;
  /** Temporary folder for pgbench's scripts and the logs; removed at the end. */
  readonly folder: string;
  /** PostgreSQL's statement log, while logging is on. */
  readonly logFolder: string;
  query<Row extends object>(text: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

export const database = "bench";
/** The role of the serving process, with its rights and no more. */
export const appRole = "bench_app";
/** The same role with BYPASSRLS: the difference is the cost of row-level security. */
export const unwalledRole = "bench_unwalled";
/** The role of the worker, which sees the jobs of all merchants. */
export const workRole = "bench_work";
export const rolePassword = randomBytes(16).toString("hex");

const program = fileURLToPath(new URL("../server/src/main.ts", import.meta.url));
const walletProgram = fileURLToPath(new URL("../sandbox/src/main.ts", import.meta.url));
const startTimeoutMs = 20_000;
const settings = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_utility": "off",
  logging_collector: "on",
  log_destination: "jsonlog",
  // World-readable: the bench and PostgreSQL run as different users, and the folder is removed at the end.
  log_file_mode: "0644",
};

export async function install(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  const logFolder = mkdtempSync(join(tmpdir(), "tollgate-bench-log-"));
  chmodSync(logFolder, 0o777);
  const postgres = await startThrowAwayPostgres({
    durable: true,
    settings: { ...settings, log_directory: logFolder },
  });
  const started: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of started) child.kill("SIGKILL");
    await postgres.stop();
    for (const made of [folder, logFolder]) rmSync(made, { recursive: true, force: true });
  };
  try {
    const variables = await prepareDatabase(postgres, folder);
    const registered = register(variables, folder);
    const superuser = await connect(postgres.url(database));
    const query = async <Row extends object>(text: string): Promise<readonly Row[]> =>
      (await superuser.query<Row>(text)).rows;
    await query(readFileSync(new URL("payments.sql", import.meta.url), "utf8"));
    const merchants = await query<Merchant>(`select client_id as "clientId", bucket from clients`);
    const forWallets = tollgate(variables, ["gateway-key", "show", "--algorithm", "Ed25519"]);
    const wallet = await startWallet(started, forWallets, folder);
    addConnector(variables, wallet);
    const serving = start(started, [program, "serve"], variables, join(folder, "serve.log"));
    const serveUrl = await saidBy(serving, / at (http:\S+)/);
    const workUrl = urlFor(postgres, workRole);
    const working = start(
      started,
      [program, "work"],
      { ...variables, TOLLGATE_DATABASE_URL: workUrl },
      join(folder, "work.log"),
    );
    await saidBy(working, /(works)/);
    return {
      ...registered,
      postgres,
      servePid: serving.pid ?? 0,
      workPid: working.pid ?? 0,
      wallet,
      serveUrl,
      merchants,
      folder,
      logFolder,
      query,
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

type Variables = Readonly<Record<string, string>>;

async function prepareDatabase(postgres: ThrowAwayPostgres, folder: string): Promise<Variables> {
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const variables = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: postgres.url(database),
    TOLLGATE_DATABASE_URL: urlFor(postgres, appRole),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PORT: String(await freePort()),
    TOLLGATE_EGRESS_LOOPBACK: "allow",
    // All merchants call from one address, as they do behind a proxy.
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
  };

  const server = await connect(postgres.url("postgres"));
  await server.query(`create database ${database}`);
  tollgate(variables, ["migrate"]);
  const login = `login password '${rolePassword}' in role tollgate_app`;
  await server.query(`create role ${appRole} ${login}; create role ${unwalledRole} bypassrls ${login}`);
  await server.query(`create role ${workRole} login password '${rolePassword}' in role tollgate_work`);
  await server.query(`revoke connect, temporary on database ${database} from public`);
  await server.query(`grant connect on database ${database} to ${appRole}, ${unwalledRole}, ${workRole}`);
  await server.end();
  const superuser = await connect(postgres.url(database));
  // Set by ALTER SYSTEM: a setting on the command line could not be overridden when statements are recorded.
  await superuser.query("alter system set pg_stat_statements.track = 'none'");
  await superuser.query("create extension pg_stat_statements; select pg_reload_conf()");
  await superuser.end();
  return variables;
}

function register(
  variables: Variables,
  folder: string,
): Pick<Installation, "privateKey" | "gatewayPublicKey"> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { format: "pem", type: "pkcs8" },
    publicKeyEncoding: { format: "pem", type: "spki" },
  });
  const publicKeyFile = join(folder, "merchant.pem");
  writeFileSync(publicKeyFile, publicKey);
  tollgate(variables, ["gateway-key", "add"]);
  const said = tollgate(variables, ["merchant", "add", "--public-key", publicKeyFile]);
  const [gatewayPublicKey] = /-----BEGIN PUBLIC KEY-----.*-----END PUBLIC KEY-----/s.exec(said) ?? [];
  if (!gatewayPublicKey) throw new Error(`\`merchant add\` told no key of the gateway: ${said}`);
  return { privateKey, gatewayPublicKey };
}

/** Runs a command of the gateway to its end, and gives what it printed. */
function tollgate(variables: Variables, command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...command], {
    env: { ...process.env, ...variables },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`\`${command.join(" ")}\` failed: ${stderr}`);
  return stdout + stderr;
}

/** The connection URL of a role. */
export function urlFor(postgres: ThrowAwayPostgres, role: string): string {
  const url = new URL(postgres.url(database));
  url.username = role;
  url.password = rolePassword;
  return url.href;
}

async function startWallet(
  started: ChildProcess[],
  gatewayPublicKey: string,
  folder: string,
): Promise<{ readonly url: string; readonly publicKeyFile: string; readonly controlSecret: string }> {
  const keyFile = join(folder, "gateway.pem");
  writeFileSync(keyFile, `${gatewayPublicKey}\n`);
  const own = ["--data", join(folder, "wallet"), "--partner-id", "bench", "--gateway-public-key", keyFile];
  const wallet = start(started, [walletProgram, ...own], {}, "pipe");
  const ready = JSON.parse(await saidBy(wallet, /^(\{.*\})$/m, "stdout")) as Record<string, string>;
  const { walletUrl = "", publicKeyFile = "", controlSecret = "" } = ready;
  return { url: walletUrl, publicKeyFile, controlSecret };
}

function addConnector(
  variables: Variables,
  wallet: { readonly url: string; readonly publicKeyFile: string },
): void {
  const own = [
    "--url",
    wallet.url,
    "--public-key",
    wallet.publicKeyFile,
    "--partner-id",
    "bench",
    "--simulator",
  ];
  tollgate(variables, ["connector", "add", "--name", "sandbox-wallet", ...own]);
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
async function saidBy(
  child: ChildProcess,
  form: RegExp,
  stream: "stdout" | "stderr" = "stderr",
): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`A part does not start: ${said}`));
    const timer = setTimeout(giveUp, startTimeoutMs);
    child.once("exit", giveUp);
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, found] = form.exec(said) ?? [];
      if (!found) return;
      clearTimeout(timer);
      child.off("exit", giveUp);
      resolve(found);
    });
  });
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The server stops before its connections are closed, which is no fault.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
