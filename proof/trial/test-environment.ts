import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  findFreePort,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from "../../server/src/postgres/temporary-postgres.ts";
import { newCaller, type Caller } from "./caller.ts";
import { newHistory, type History } from "../oracle/history.ts";
import { register, type Installation, type Variables } from "../installation/installation.ts";
import { newRandom } from "../../server/test/bank/seeded-random.ts";
import { openShop } from "./shop.ts";
import { payBody } from "./trial.ts";
import { startProvider, type ProviderProcess } from "../installation/provider-process.ts";

/**
 * The state of an operator's machine before the gateway is installed: PostgreSQL with its roles, a key file, free
 * ports.
 */
export interface PreparedHost {
  /**
   * The folder with the files of the trial. All users may read them, except the key file and the passwords. Containers
   * mount the folder at the same path.
   */
  readonly folder: string;
  /** The port that merchants call. */
  readonly port: number;
  readonly keyFile: string;
  /** Settings of the serving and working processes, or of the owner's commands. */
  variables(login: Login): Variables;
  /** Returns the superuser's database URL, for backups and restores. */
  superuserUrl(database: string): string;
  stop(): Promise<void>;
}

export type Login = "owner" | "serve" | "staff" | "work";

const run = promisify(execFile);
const rolesFile = fileURLToPath(new URL("../../deploy/postgres/roles.sql", import.meta.url));

/**
 * `prepareHost` prepares a trial. The user `owner` owns the secret files: the user of the image, or root. `durable`
 * enables fsync in PostgreSQL, which only measurements need.
 */
export async function prepareHost(owner: number, durable = false): Promise<PreparedHost> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-ground-"));
  chmodSync(folder, 0o755);
  const passwords = createPasswords(join(folder, "passwords"));
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  chownSync(keyFile, owner, owner);
  const postgres = await startTemporaryPostgres({ durable });
  await createRoles(postgres, join(folder, "passwords"));
  const port = await findFreePort();
  const urlOf = (login: Login): string =>
    postgres
      .url("tollgate_sandbox")
      .replace(/\/\/postgres:[^@]*@/, `//tollgate_sandbox_${login}:${passwords[login]}@`);
  return {
    folder,
    port,
    keyFile,
    variables: (login) => ({
      TOLLGATE_ENVIRONMENT: "sandbox",
      [login === "owner" ? "TOLLGATE_OWNER_DATABASE_URL" : "TOLLGATE_DATABASE_URL"]: urlOf(login),
      TOLLGATE_KEY_FILE: keyFile,
      TOLLGATE_HOST: "127.0.0.1",
      TOLLGATE_PORT: String(port),
      TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
      TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
      TOLLGATE_EGRESS_LOOPBACK: "allow",
      TOLLGATE_LOG_LEVEL: "warn",
    }),
    superuserUrl: (database) => postgres.url(database),
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function createPasswords(folder: string): Readonly<Record<Login, string>> {
  mkdirSync(folder, { mode: 0o700 });
  const newPassword = (login: Login): string => {
    const password = randomBytes(18).toString("hex");
    writeFileSync(join(folder, login), password, { mode: 0o400 });
    return password;
  };
  return {
    owner: newPassword("owner"),
    serve: newPassword("serve"),
    staff: newPassword("staff"),
    work: newPassword("work"),
  };
}

/** Creates the roles with the operators' own SQL file. */
async function createRoles(postgres: TemporaryPostgres, passwords: string): Promise<void> {
  const env = { ...process.env, TOLLGATE_ENVIRONMENT: "sandbox", TOLLGATE_PASSWORDS: passwords };
  await run(join(postgres.binFolder, "psql"), ["-q", "-f", rolesFile, postgres.url("postgres")], { env });
}

/** A provider, merchants and their shop, around an installed gateway. */
export interface Counterparties {
  readonly history: History;
  readonly caller: Caller;
  readonly merchants: Installation["merchants"];
  /** The private key of all merchants, in PEM. */
  readonly privateKey: string;
  readonly provider: ProviderProcess;
  readonly notifyUrl: string;
  nowMs(): number;
  /** A buyer pays at the provider. */
  approve(paymentId: string): Promise<boolean>;
  /** A complete payment: requested, approved, webhook received. Throws if it does not complete. */
  pay(port?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Sets up a gateway with its own commands, and adds merchants, a shop and a provider. */
export async function openCounterparties(
  { folder, port: gatewayPort }: Pick<PreparedHost, "folder" | "port">,
  operate: Installation["operate"],
): Promise<Counterparties> {
  await operate("migrate");
  await operate("gateway-key", "add");
  const { merchants, privateKey, gatewayPublicKey } = await register(operate, folder, false);
  const provider = await addProvider(folder, operate, { connector: "street-provider", methods: "*" });
  const startedAtMs = performance.now();
  const nowMs = (): number => performance.now() - startedAtMs;
  const history = newHistory();
  const random = newRandom(1);
  const shop = await openShop({ history, random, gatewayPublicKey: () => gatewayPublicKey, nowMs });
  const caller = newCaller({ history, privateKey, gatewayPublicKey, isLive: false, nowMs });
  const notifyUrl = `http://127.0.0.1:${shop.port}/notify`;
  const approve: Counterparties["approve"] = async (paymentId) =>
    (await provider.control("POST", `/control/payments/${paymentId}/approve`).catch(() => 0)) === 200;
  let count = 0;
  return {
    history,
    caller,
    merchants,
    privateKey,
    provider,
    notifyUrl,
    nowMs,
    approve,
    async pay(port = gatewayPort) {
      const [merchant] = merchants;
      if (!merchant) throw new Error("There is no merchant.");
      count += 1;
      const requestId = `whole-${count}`;
      const body = payBody(requestId, notifyUrl);
      const answer = await caller.call({ verb: "pay", merchant, requestId, body, port });
      const { id = "", isSigned, resultCode } = answer ?? {};
      if (!id || !isSigned) throw new Error(`The payment was not accepted: ${resultCode ?? "no response"}.`);
      await waitUntil(() => approve(id), "the provider to have the order");
      await waitUntil(async () => isNotified(history, id), "a signed webhook of success");
    },
    async stop() {
      caller.close();
      await provider.process.kill();
      await shop.close();
    },
  };
}

/** Starts a provider as a process, and adds its connector to the gateway. */
export async function addProvider(
  folder: string,
  operate: Installation["operate"],
  { connector, methods }: { readonly connector: string; readonly methods: string },
): Promise<ProviderProcess> {
  const port = await findFreePort();
  const providerKeys = { operate, algorithm: "Ed25519" } as const;
  const provider = await startProvider({
    connector,
    folder,
    port,
    ...providerKeys,
    duplicatesRetries: false,
  });
  // Also if a later step throws.
  process.once("exit", () => provider.process.killNow());
  // The public key is copied, because only the provider may read the provider's folder.
  const publicKeyFile = join(folder, `${connector}.pem`);
  copyFileSync(provider.publicKeyFile, publicKeyFile);
  const connectorArgs = [
    "--url",
    `http://127.0.0.1:${port}`,
    "--public-key",
    publicKeyFile,
    "--methods",
    methods,
  ];
  await operate(
    "connector",
    "add",
    "--name",
    connector,
    ...connectorArgs,
    "--partner-id",
    "tollgate",
    "--simulator",
  );
  return provider;
}

function isNotified({ notifications }: History, paymentId: string): boolean {
  return notifications.some(
    (webhook) => webhook.paymentId === paymentId && webhook.isSigned && webhook.resultStatus === "S",
  );
}

/** Waits until a condition is true, instead of for a fixed time. */
export async function waitUntil(
  isMet: () => Promise<boolean>,
  description: string,
  withinMs = 30_000,
): Promise<void> {
  const giveUpAtMs = performance.now() + withinMs;
  while (!(await isMet())) {
    if (performance.now() > giveUpAtMs) throw new Error(`Waited in vain for ${description}.`);
    await waitMs(100);
  }
}

/** Whether a gateway at this port accepts calls. */
export async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
