import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  findFreePort,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from "../../server/src/postgres/temporary-postgres.ts";
import { register, runTollgate, type Installation, type Variables } from "./installation.ts";
import { newManagedProcess, type ManagedProcess, type ManagedProcessOptions } from "./managed-process.ts";
import { startProvider } from "./provider-process.ts";

/** One serving process, one worker and a provider: enough to measure the capacity of one process. */
export interface SingleGateway extends Pick<Installation, "merchants" | "privateKey" | "control"> {
  readonly port: number;
  readonly connector: string;
  readonly servePid: number;
  /** Its database, as superuser. */
  readonly databaseUrl: string;
  readonly keyFile: string;
  /** Starts another process of the same installation, which stops with the others. */
  startProcess(args: readonly string[], variables: Variables, ready: RegExp): Promise<ManagedProcess>;
  /** The ids of the gateway's processes and of PostgreSQL's postmaster. */
  readonly pids: readonly number[];
  /** Resident memory of the serving process, in megabytes. */
  memoryMb(): number;
  stop(): Promise<void>;
}

export interface SingleGatewayOptions {
  /** True if PostgreSQL runs with fsync, which capacity measurements need. */
  readonly durable: boolean;
  /** True if a worker also runs. It polls the provider for every unpaid payment after half a minute. */
  readonly hasWorker: boolean;
  readonly variables: Variables;
}

const database = "tollgate";
const connector = "lone-provider";
const program = "server/src/main.ts";

export async function startSingleGateway(options: SingleGatewayOptions): Promise<SingleGateway> {
  const { durable, hasWorker } = options;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-lone-"));
  const processes: ManagedProcess[] = [];
  process.once("exit", () => processes.forEach((child) => child.killNow()));
  const postgres = await startTemporaryPostgres({ durable });
  const password = randomBytes(18).toString("hex");
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const loginUrl = (role: string): string =>
    postgres.url(database).replace(/\/\/postgres:[^@]*@/, `//${role}:${password}@`);
  const [port, providerPort] = [await findFreePort(), await findFreePort()];
  const settings = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: postgres.url(database),
    TOLLGATE_DATABASE_URL: loginUrl("lone_serve"),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PORT: String(port),
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...options.variables,
  };
  await postgres.execute("postgres", `create database ${database}`);
  await runTollgate(settings, "migrate");
  await createLogins(postgres, password);
  const operate = (...args: readonly string[]): Promise<string> => runTollgate(settings, ...args);
  await operate("gateway-key", "add");
  const registration = await register(operate, folder, false);
  const signing = { operate, algorithm: "Ed25519" } as const;
  const providerOptions = { connector, folder, port: providerPort, ...signing, duplicatesRetries: false };
  const { process: child, publicKeyFile, control } = await startProvider(providerOptions);
  const urlArgs = ["--url", `http://127.0.0.1:${providerPort}`, "--public-key", publicKeyFile];
  const partnerArgs = ["--partner-id", "tollgate", "--simulator"];
  await operate("connector", "add", "--name", connector, ...urlArgs, ...partnerArgs);
  await postgres.execute(database, "update clients set rate_per_second = 100000, rate_burst = 100000");
  const newChild = (name: "serve" | "work", ready: RegExp): ManagedProcess => {
    const variables = { ...settings, TOLLGATE_DATABASE_URL: loginUrl(`lone_${name}`) };
    return newManagedProcess({ name, args: [program, name], variables, ready });
  };
  const [serve, work] = [newChild("serve", /^Tollgate serves/), newChild("work", /^Tollgate works/)];
  processes.push(child, serve, work);
  await Promise.all([serve.start(), hasWorker && work.start()]);
  return {
    ...registration,
    port,
    connector,
    control,
    servePid: serve.pid(),
    databaseUrl: postgres.url(database),
    keyFile,
    startProcess: (args, extraVariables, ready) =>
      startManagedProcess(processes, {
        name: "more",
        args: [program, ...args],
        variables: { ...settings, ...extraVariables },
        ready,
      }),
    pids: [...processes.map((each) => each.pid()).filter((pid) => pid > 0), postgres.pid],
    memoryMb() {
      const status = readFileSync(`/proc/${serve.pid()}/status`, "utf8");
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
    },
    async stop() {
      await Promise.all(processes.map((each) => each.kill()));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function createLogins(postgres: TemporaryPostgres, password: string): Promise<void> {
  for (const [role, group] of [
    ["lone_serve", "tollgate_app"],
    ["lone_work", "tollgate_work"],
  ])
    await postgres.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  await postgres.execute("postgres", `revoke connect, temporary on database ${database} from public`);
  await postgres.execute("postgres", `grant connect on database ${database} to lone_serve, lone_work`);
}

async function startManagedProcess(
  processes: ManagedProcess[],
  options: ManagedProcessOptions,
): Promise<ManagedProcess> {
  const child = newManagedProcess(options);
  processes.push(child);
  await child.start();
  return child;
}
