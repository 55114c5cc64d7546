import { execFile, spawn, type ChildProcess } from "node:child_process";
import { createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "pg";
import { startThrowAwayPostgres, type ThrowAwayPostgres } from "../../server/src/postgres/throw-away.ts";

/** A gateway as an operator sets it up, with one merchant that has one payment. */
export interface RunningGateway {
  readonly url: string;
  /** PEM; whoever connects has to trust it. */
  readonly certificateFile: string;
  readonly clientId: string;
  readonly privateKey: KeyObject;
  readonly gatewayPublicKey: KeyObject;
  readonly paymentId: string;
  stop(): Promise<void>;
}

type Variables = Readonly<Record<string, string>>;

const run = promisify(execFile);
const main = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url));
const password = randomBytes(12).toString("hex");
const paymentId = "20260301123450000000000000000000001";
const startTimeoutMs = 30_000;

/** Serves on port 443, because one of the published libraries knows no other. */
export async function startGateway(folder: string): Promise<RunningGateway> {
  const postgres = await startThrowAwayPostgres({ durable: false });
  try {
    const certificate = await makeCertificate(folder);
    const variables = await settingsFor(postgres, folder, certificate);
    await prepareDatabase(postgres, variables);
    const merchant = await addMerchant(variables, folder);
    await insertPayment(postgres, merchant.clientId);
    const serving = await serve(variables);
    const stop = async (): Promise<void> => {
      await end(serving);
      await postgres.stop();
    };
    return { ...merchant, url: "https://127.0.0.1", certificateFile: certificate.file, paymentId, stop };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

interface Certificate {
  readonly file: string;
  readonly keyFile: string;
}

async function makeCertificate(folder: string): Promise<Certificate> {
  const file = join(folder, "certificate.pem");
  const keyFile = join(folder, "certificate-key.pem");
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  await run("openssl", ["req", ...kind, "-addext", names, "-out", file, "-keyout", keyFile]);
  return { file, keyFile };
}

async function settingsFor(
  postgres: ThrowAwayPostgres,
  folder: string,
  certificate: Certificate,
): Promise<Variables> {
  const keyFile = join(folder, "key-encryption-key");
  await writeFile(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const as = (role: string): string =>
    Object.assign(new URL(postgres.url("tollgate")), { username: role, password }).href;
  return {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: as("tollgate_owner"),
    TOLLGATE_DATABASE_URL: as("tollgate_server"),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_TLS_CERTIFICATE_FILE: certificate.file,
    TOLLGATE_TLS_KEY_FILE: certificate.keyFile,
    TOLLGATE_HOST: "127.0.0.1",
    TOLLGATE_PORT: "443",
    TOLLGATE_LOG_LEVEL: "warn",
  };
}

async function prepareDatabase(postgres: ThrowAwayPostgres, variables: Variables): Promise<void> {
  await statement(postgres, "postgres", `create role tollgate_owner login createrole password '${password}'`);
  await statement(postgres, "postgres", "create database tollgate owner tollgate_owner");
  await tollgate(variables, "migrate");
  await statement(
    postgres,
    "postgres",
    `create role tollgate_server login password '${password}' in role tollgate_app`,
  );
  await tollgate(variables, "gateway-key", "add");
}

async function addMerchant(
  variables: Variables,
  folder: string,
): Promise<Pick<RunningGateway, "clientId" | "privateKey" | "gatewayPublicKey">> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const publicKeyFile = join(folder, "merchant.pem");
  await writeFile(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
  const added = await tollgate(variables, "merchant", "add", "--public-key", publicKeyFile);
  const [pem = ""] = /-----BEGIN PUBLIC KEY-----[^]+-----END PUBLIC KEY-----/.exec(added.stderr) ?? [];
  return { clientId: added.stdout.trim(), privateKey, gatewayPublicKey: createPublicKey(pem) };
}

/** Past the walls of the database, because the libraries are asked to read, not to pay. */
async function insertPayment(postgres: ThrowAwayPostgres, clientId: string): Promise<void> {
  await statement(
    postgres,
    "tollgate",
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code,
       currency, amount_minor, paid_currency, paid_minor, created_at, paid_at)
     select bucket, $1, client_id, 'order-1001', 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS',
       'EUR', 1250, 'EUR', 1250, now(), now()
     from clients where client_id = $2`,
    [paymentId, clientId],
  );
}

async function statement(
  postgres: ThrowAwayPostgres,
  database: string,
  text: string,
  values: readonly string[] = [],
): Promise<void> {
  const client = new Client({ connectionString: postgres.url(database) });
  await client.connect();
  try {
    await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}

function tollgate(
  variables: Variables,
  ...command: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return run(process.execPath, [main, ...command], { env: { ...process.env, ...variables } });
}

function serve(variables: Variables): Promise<ChildProcess> {
  const server = spawn(process.execPath, [main, "serve"], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (): void => {
      server.kill("SIGKILL");
      reject(new Error(`The gateway did not start; port 443 has to be free and allowed.\n${said}`));
    };
    const timer = setTimeout(fail, startTimeoutMs);
    server.once("exit", fail);
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (!said.includes("Tollgate serves")) return;
      clearTimeout(timer);
      server.off("exit", fail);
      resolve(server);
    });
  });
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await ended;
}
