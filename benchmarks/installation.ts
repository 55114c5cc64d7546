import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { startThrowAwayPostgres, type ThrowAwayPostgres } from "../server/src/postgres/throw-away.ts";

export interface Merchant {
  readonly clientId: string;
  readonly bucket: number;
}

/** A gateway set up by its own commands, on a PostgreSQL server that waits for the disk. */
export interface Installation {
  readonly postgres: ThrowAwayPostgres;
  readonly servePid: number;
  readonly serveUrl: string;
  readonly merchants: readonly Merchant[];
  /** All merchants sign with this one, in PEM. */
  readonly privateKey: string;
  /** In PEM; all answers are signed with the other half. */
  readonly gatewayPublicKey: string;
  /** Where pgbench's scripts and the logs go; gone at the end. */
  readonly folder: string;
  query<Row extends object>(text: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

export const database = "bench";
/** Serves, and holds no more rights than a serving process may have. */
export const appRole = "bench_app";
/** As the other, but row-level security is not for it: the difference is what the second wall costs. */
export const unwalledRole = "bench_unwalled";
export const rolePassword = randomBytes(16).toString("hex");

const program = fileURLToPath(new URL("../server/src/main.ts", import.meta.url));
const startTimeoutMs = 20_000;
const settings = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_utility": "off",
};

export async function install(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  const postgres = await startThrowAwayPostgres({ durable: true, settings });
  let serving: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    serving?.kill("SIGKILL");
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const variables = await prepareDatabase(postgres, folder);
    const registered = register(variables, folder);
    const superuser = await connect(postgres.url(database));
    const query = async <Row extends object>(text: string): Promise<readonly Row[]> =>
      (await superuser.query<Row>(text)).rows;
    await query(readFileSync(new URL("payments.sql", import.meta.url), "utf8"));
    const merchants = await query<Merchant>(`select client_id as "clientId", bucket from clients`);
    serving = serve(variables, folder);
    const serveUrl = await untilServing(serving);
    return {
      ...registered,
      postgres,
      servePid: serving.pid ?? 0,
      serveUrl,
      merchants,
      folder,
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
  const appUrl = new URL(postgres.url(database));
  appUrl.username = appRole;
  appUrl.password = rolePassword;
  const variables = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: postgres.url(database),
    TOLLGATE_DATABASE_URL: appUrl.href,
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PORT: "0",
  };

  const server = await connect(postgres.url("postgres"));
  await server.query(`create database ${database}`);
  tollgate(variables, ["migrate"]);
  const login = `login password '${rolePassword}' in role tollgate_app`;
  await server.query(`create role ${appRole} ${login}; create role ${unwalledRole} bypassrls ${login}`);
  await server.end();
  const superuser = await connect(postgres.url(database));
  // Not by the command line, which nothing could override when statements are to be taken down.
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

/** Runs a command of the gateway's to its end, and gives back what it said. */
function tollgate(variables: Variables, command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...command], {
    env: { ...process.env, ...variables },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`\`${command.join(" ")}\` failed: ${stderr}`);
  return stdout + stderr;
}

/** With the log level and the number of connections that an operator gets who sets nothing. */
function serve(variables: Variables, folder: string): ChildProcess {
  return spawn(process.execPath, [program, "serve"], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", openSync(join(folder, "serve.log"), "w"), "pipe"],
  });
}

async function untilServing(serving: ChildProcess): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`The gateway does not serve: ${said}`));
    const timer = setTimeout(giveUp, startTimeoutMs);
    serving.once("exit", giveUp);
    serving.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, url] = / at (http:\S+)/.exec(said) ?? [];
      if (!url) return;
      clearTimeout(timer);
      serving.off("exit", giveUp);
      resolve(url);
    });
  });
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The server is stopped under its connections at the end, and that is no fault.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
