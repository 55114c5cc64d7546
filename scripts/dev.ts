import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  freePort,
  startThrowAwayPostgres,
  type ThrowAwayPostgres,
} from "../server/src/postgres/throw-away.ts";
import { firstLineOf, run, startProcess, type Running } from "./processes.ts";
import { makeCertificate } from "./certificate.ts";
import { welcome, type Ready } from "./ready.ts";
import { showLog } from "./show-log.ts";

/** The whole of Tollgate on this machine: real parts, free ports, and nothing left behind. */
const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    "https-port": { type: "string" },
    port: { type: "string" },
  },
});

let leaving = false;
const told = new Promise<void>((resolve) => {
  const leave = (): void => {
    leaving = true;
    resolve();
  };
  // Ctrl-C under npm arrives twice, from the terminal and from npm: the second must not cut the cleaning short.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, leave);
});
const folder = await mkdtemp(join(tmpdir(), "tollgate-dev-"));
const running: Running[] = [];
let postgres: ThrowAwayPostgres | undefined;

const starting = start();
try {
  const ready = await Promise.race([starting, told]);
  if (ready) {
    process.stdout.write(options.json ? `${JSON.stringify(ready)}\n` : welcome(ready));
    await Promise.race([told, untilOneEnds()]);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  leaving = true;
  // What is being started would be left behind if it were not waited for.
  await starting.catch(() => undefined);
  await Promise.all(running.map((part) => part.stop()));
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Whatever ends by itself takes the rest along: what is left would answer, and do nothing right. */
async function untilOneEnds(): Promise<never> {
  const parts = [...running, ...(postgres ? [{ name: "PostgreSQL", exited: postgres.exited }] : [])];
  const ended = await Promise.race(
    parts.map(async ({ name, exited }) => `${name} has ended with ${await exited}; the rest leaves, too.`),
  );
  throw new Error(ended);
}

async function start(): Promise<Ready> {
  postgres = await startThrowAwayPostgres({ durable: true });
  const port = options.port ? Number(options.port) : await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const settings = await prepare(postgres, baseUrl);
  const gatewayPublicKeyFile = join(folder, "gateway-public.pem");
  const merchant = await addMerchant(settings, gatewayPublicKeyFile);

  const wallet = await startWallet(gatewayPublicKeyFile);
  await tollgate(
    settings,
    "connector",
    "add",
    "--name",
    "sandbox-wallet",
    "--simulator",
    "--partner-id",
    "tollgate",
    "--url",
    wallet.walletUrl,
    "--public-key",
    wallet.publicKeyFile,
  );
  // The owner's login is for commands: a process that serves could lift every wall with it.
  const serving = { ...settings, TOLLGATE_OWNER_DATABASE_URL: "" };
  await startPart("serve", { ...serving, TOLLGATE_PORT: String(port) });
  await startPart("work", {
    ...serving,
    TOLLGATE_DATABASE_URL: settings["TOLLGATE_WORK_DATABASE_URL"] ?? "",
  });
  const https = options["https-port"] ? await startHttps(serving, options["https-port"]) : {};
  return {
    baseUrl,
    ...merchant,
    gatewayPublicKeyFile,
    walletUrl: wallet.walletUrl,
    controlSecret: wallet.controlSecret,
    docsUrl: `${baseUrl}/docs`,
    effectsFile: join(folder, "wallet", "effects.jsonl"),
    ...https,
  };
}

type Variables = Readonly<Record<string, string>>;

/** A database with its roles as an operator would make them, migrated, with the gateway's first key. */
async function prepare(server: ThrowAwayPostgres, publicUrl: string): Promise<Variables> {
  const password = randomBytes(18).toString("base64url");
  const url = (role: string): string =>
    server.url("sandbox").replace(/\/\/postgres:[^@]*@/, `//${role}:${password}@`);
  await server.execute("postgres", `create role tollgate_owner login createrole password '${password}'`);
  await server.execute("postgres", "create database sandbox owner tollgate_owner");
  const keyFile = join(folder, "key");
  await writeFile(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const settings = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: url("tollgate_owner"),
    TOLLGATE_DATABASE_URL: url("tollgate_serve"),
    TOLLGATE_WORK_DATABASE_URL: url("tollgate_worker"),
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PUBLIC_URL: publicUrl,
    TOLLGATE_LOG_LEVEL: process.env["TOLLGATE_LOG_LEVEL"] ?? "warn",
    // Whoever tries it out has the shop on the same machine.
    TOLLGATE_EGRESS_LOOPBACK: "allow",
  };
  await tollgate(settings, "migrate");
  for (const [role, group] of [
    ["tollgate_serve", "tollgate_app"],
    ["tollgate_worker", "tollgate_work"],
  ]) {
    await server.execute("postgres", `create role ${role} login password '${password}' in role ${group}`);
  }
  await server.execute("postgres", "revoke connect, temporary on database sandbox from public");
  await server.execute("postgres", "grant connect on database sandbox to tollgate_serve, tollgate_worker");
  await tollgate(settings, "gateway-key", "add");
  return settings;
}

async function addMerchant(
  settings: Variables,
  gatewayPublicKeyFile: string,
): Promise<Pick<Ready, "clientId" | "keyVersion" | "merchantPrivateKeyFile">> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const merchantPrivateKeyFile = join(folder, "merchant-private.pem");
  const publicKeyFile = join(folder, "merchant-public.pem");
  await writeFile(merchantPrivateKeyFile, privateKey.export({ format: "pem", type: "pkcs8" }), {
    mode: 0o600,
  });
  await writeFile(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
  const added = await tollgate(
    settings,
    "merchant",
    "add",
    "--name",
    "Coffee Lab",
    "--public-key",
    publicKeyFile,
    "--json",
  );
  const { clientId, keyVersion, gatewayPublicKey } = JSON.parse(added) as Record<string, string>;
  await writeFile(gatewayPublicKeyFile, gatewayPublicKey ?? "");
  return { clientId: clientId ?? "", keyVersion: Number(keyVersion), merchantPrivateKeyFile };
}

async function startWallet(
  gatewayPublicKeyFile: string,
): Promise<Record<"walletUrl" | "publicKeyFile" | "controlSecret", string>> {
  const wallet = startProcess(
    "wallet",
    [
      "sandbox/src/main.ts",
      "--port",
      "0",
      "--data",
      join(folder, "wallet"),
      "--partner-id",
      "tollgate",
      "--gateway-public-key",
      gatewayPublicKeyFile,
    ],
    {},
  );
  running.push(wallet);
  return JSON.parse(await firstLineOf(wallet, "stdout")) as Record<
    "walletUrl" | "publicKeyFile" | "controlSecret",
    string
  >;
}

async function startHttps(
  settings: Variables,
  port: string,
): Promise<Pick<Ready, "httpsBaseUrl" | "certificateFile">> {
  const { certificateFile, keyFile } = await makeCertificate(folder);
  const httpsBaseUrl = `https://127.0.0.1:${port}`;
  await startPart("serve", {
    ...settings,
    TOLLGATE_PORT: port,
    TOLLGATE_TLS_CERTIFICATE_FILE: certificateFile,
    TOLLGATE_TLS_KEY_FILE: keyFile,
  });
  return { httpsBaseUrl, certificateFile };
}

/** Starts a part and waits until it says that it is there. */
async function startPart(command: "serve" | "work", variables: Variables): Promise<void> {
  if (leaving) throw new Error("Told to leave while starting.");
  // Without the flag, every process of this user could open the inspector, and with it the private keys.
  const words = ["--disable-sigusr1", "server/src/main.ts", command];
  const part = startProcess(command, words, variables);
  running.push(part);
  if (part.child.stdout) showLog(command, part.child.stdout, process.stderr);
  await firstLineOf(part, "stderr", /^Tollgate /);
}

async function tollgate(settings: Variables, ...words: readonly string[]): Promise<string> {
  if (leaving) throw new Error("Told to leave while starting.");
  return run(["server/src/main.ts", ...words], settings);
}
