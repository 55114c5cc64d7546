import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  freePort,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from "../../server/src/postgres/temporary-postgres.ts";
import { register, tollgate, type Installation, type Variables } from "./installation.ts";
import { newPart, type Part, type PartOptions } from "./part.ts";
import { startWallet } from "./provider-process.ts";

/** One serving process, one worker and a provider: enough to measure the capacity of one process. */
export interface LoneGateway extends Pick<Installation, "merchants" | "privateKey" | "control"> {
  readonly port: number;
  readonly connector: string;
  readonly servePid: number;
  /** Its database, as superuser. */
  readonly databaseUrl: string;
  readonly keyFile: string;
  /** Starts another process of the same installation, which stops with the others. */
  startMore(words: readonly string[], variables: Variables, ready: RegExp): Promise<Part>;
  /** The ids of the gateway's processes and of PostgreSQL's postmaster. */
  readonly pids: readonly number[];
  /** Resident memory of the serving process, in megabytes. */
  memoryMb(): number;
  stop(): Promise<void>;
}

export interface LoneGatewayOptions {
  /** True if PostgreSQL runs with fsync, which capacity measurements need. */
  readonly durable: boolean;
  /** True if a worker also runs. It polls the provider for every unpaid payment after half a minute. */
  readonly works: boolean;
  readonly variables: Variables;
}

const database = "tollgate";
const connector = "lone-provider";
const program = "server/src/main.ts";

export async function startLoneGateway(options: LoneGatewayOptions): Promise<LoneGateway> {
  const { durable, works } = options;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-lone-"));
  const parts: Part[] = [];
  process.once("exit", () => parts.forEach((part) => part.killNow()));
  const postgres = await startTemporaryPostgres({ durable });
  const password = randomBytes(18).toString("hex");
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const urlOf = (role: string): string =>
    postgres.url(database).replace(/\/\/postgres:[^@]*@/, `//${role}:${password}@`);
  const [port, walletPort] = [await freePort(), await freePort()];
  const settings = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: postgres.url(database),
    TOLLGATE_DATABASE_URL: urlOf("lone_serve"),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PORT: String(port),
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...options.variables,
  };
  await postgres.execute("postgres", `create database ${database}`);
  await tollgate(settings, "migrate");
  await makeLogins(postgres, password);
  const operate = (...words: readonly string[]): Promise<string> => tollgate(settings, ...words);
  await operate("gateway-key", "add");
  const registered = await register(operate, folder, false);
  const signing = { operate, algorithm: "Ed25519" } as const;
  const place = { connector, folder, port: walletPort, ...signing, repeatsItself: false };
  const { part, publicKeyFile, control } = await startWallet(place);
  const own = ["--url", `http://127.0.0.1:${walletPort}`, "--public-key", publicKeyFile];
  await operate("connector", "add", "--name", connector, ...own, "--partner-id", "tollgate", "--simulator");
  await postgres.execute(database, "update clients set rate_per_second = 100000, rate_burst = 100000");
  const ownPart = (name: "serve" | "work", ready: RegExp): Part => {
    const variables = { ...settings, TOLLGATE_DATABASE_URL: urlOf(`lone_${name}`) };
    return newPart({ name, words: [program, name], variables, ready });
  };
  const [serve, work] = [ownPart("serve", /^Tollgate serves/), ownPart("work", /^Tollgate works/)];
  parts.push(part, serve, work);
  await Promise.all([serve.start(), works && work.start()]);
  return {
    ...registered,
    port,
    connector,
    control,
    servePid: serve.pid(),
    databaseUrl: postgres.url(database),
    keyFile,
    startMore: (words, more, ready) =>
      startPart(parts, {
        name: "more",
        words: [program, ...words],
        variables: { ...settings, ...more },
        ready,
      }),
    pids: [...parts.map((each) => each.pid()).filter((pid) => pid > 0), postgres.pid],
    memoryMb() {
      const status = readFileSync(`/proc/${serve.pid()}/status`, "utf8");
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
    },
    async stop() {
      await Promise.all(parts.map((each) => each.kill()));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function makeLogins(postgres: TemporaryPostgres, password: string): Promise<void> {
  for (const [role, group] of [
    ["lone_serve", "tollgate_app"],
    ["lone_work", "tollgate_work"],
  ])
    await postgres.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  await postgres.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await postgres.execute("postgres", `grant connect on database ${database} to lone_serve, lone_work`);
}

async function startPart(parts: Part[], options: PartOptions): Promise<Part> {
  const part = newPart(options);
  parts.push(part);
  await part.start();
  return part;
}
