import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  makeDataFolder,
  startLocalServer,
  type LocalServer,
} from "../../../server/src/postgres/local-server.ts";
import { freePort } from "../../../server/src/postgres/throw-away.ts";
import { makeCertificate } from "./certificate.ts";
import { filesIn, makeSecrets, type PlaceFiles } from "./files.ts";
import type { Kept, Place } from "./place.ts";
import { choosePort, demandPort, isFree } from "./ports.ts";
import { findPostgres } from "./postgres-programs.ts";
import { firstLineOf, startProcess, type Running } from "./processes.ts";
import { migrationsFolder, programs } from "./programs.ts";
import type { Ready } from "./ready.ts";
import { database, loginOf, passwordOf } from "./roles.ts";

/** What was asked for, and who hears of it. */
export interface WorldOptions {
  readonly port: number | undefined;
  readonly httpsPort: number | undefined;
  readonly postgres: string | undefined;
  readonly logLevel: string;
  readonly compileCache: string;
  /** Hears each step while it starts. */
  readonly onStep: (step: string) => void;
  /** Hears a part as soon as it is a process, before it says anything. */
  readonly onPart: (part: Running) => void;
  /** Hears what a part says on standard error; otherwise it goes to ours. */
  readonly onLine?: (name: string, line: string) => void;
}

/** The parts that run, in the order in which they were started, and the way to end them. */
export interface World {
  readonly parts: Running[];
  postgres?: LocalServer;
}

/**
 * Starts everything in a place, with as little waiting as possible: the keys are made beside the database, and the parts
 * start together. What runs is put into `world` at once, so that whoever cancels can end it.
 */
export async function startWorld(
  place: Place,
  world: World,
  options: WorldOptions,
  signal: AbortSignal,
): Promise<Ready> {
  const ports = await portsFor(place, options);
  const files = filesIn(place.folder);
  const { secret } = place.kept;
  const [postgres] = await Promise.all([startPostgres(place, world, options, signal), makeSecrets(files)]);
  signal.throwIfAborted();

  const walletUrl = `http://127.0.0.1:${ports.wallet}`;
  const kept = await prepare(place, postgres, { files, walletUrl, ports, onStep: options.onStep });
  signal.throwIfAborted();

  options.onStep("starting gateway, worker and wallet");
  const baseUrl = `http://127.0.0.1:${ports.gateway}`;
  const common = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    // The owner's login is for commands. With it, a serving process could bypass row-level security.
    TOLLGATE_OWNER_DATABASE_URL: "",
    TOLLGATE_KEY_FILE: files.keyFile,
    TOLLGATE_PUBLIC_URL: baseUrl,
    TOLLGATE_LOG_LEVEL: options.logLevel,
    // A developer runs the shop on the same machine.
    TOLLGATE_EGRESS_LOOPBACK: "allow",
  };
  const start = newStarter(world, options);
  const serving = {
    ...common,
    TOLLGATE_DATABASE_URL: loginOf(postgres, secret, "tollgate_serve"),
    // The wallet's own: one secret opens all that tests may do.
    TOLLGATE_CONTROL_SECRET_FILE: files.controlSecretFile,
  };
  const working = { ...common, TOLLGATE_DATABASE_URL: loginOf(postgres, secret, "tollgate_worker") };
  const [{ controlSecret }, https] = await Promise.all([
    startWallet(start, files, ports.wallet),
    ports.https === undefined ? {} : startHttps(start, place.folder, serving, ports.https),
    startGateway(start, "serve", { ...serving, TOLLGATE_PORT: String(ports.gateway) }),
    startGateway(start, "work", working),
    // An operator has a timer for it. What could not be swept is tried again at the next start.
    postgres.execute(database, sweepUniverses).catch(() => undefined),
  ]);
  return {
    baseUrl,
    ...(kept.client ?? { clientId: "", keyVersion: 0 }),
    merchantPrivateKeyFile: files.merchantPrivateKeyFile,
    gatewayPublicKeyFile: files.gatewayPublicKeyFile,
    walletUrl,
    controlSecret,
    docsUrl: `${baseUrl}/docs`,
    effectsFile: files.effectsFile,
    ...https,
  };
}

const sweepUniverses = "do $$ begin while sweep_universes('0 s') > 0 loop end loop; end $$";

interface Ports {
  readonly gateway: number;
  readonly wallet: number;
  readonly https: number | undefined;
}

/** Before anything is started: a port that is taken is told at once. */
async function portsFor(
  { kept, isKept, wasKilled }: Place,
  { port, httpsPort }: WorldOptions,
): Promise<Ports> {
  const patienceMs = wasKilled ? leaveTimeoutMs : 0;
  const known = port ?? kept.port;
  const gateway =
    known === undefined ? await choosePort("gateway", isKept) : await demandPort(known, "port", patienceMs);
  if (httpsPort !== undefined) await demandPort(httpsPort, "https-port", patienceMs);
  const isSame = kept.walletPort !== undefined && (await isFree(kept.walletPort));
  // Nobody has written the wallet's port down, so another one does as well.
  const wallet = isSame && kept.walletPort ? kept.walletPort : await choosePort("wallet", isKept);
  return { gateway, wallet, https: httpsPort };
}

async function startPostgres(
  { postgresFolder, kept }: Place,
  world: World,
  { postgres: wanted, onStep }: WorldOptions,
  signal: AbortSignal,
): Promise<LocalServer> {
  const found = await findPostgres(wanted, postgresFolder);
  const server = {
    binFolder: found.binFolder,
    folder: postgresFolder,
    password: passwordOf(kept.secret, "postgres"),
  };
  const isNew = !existsSync(join(postgresFolder, "data/PG_VERSION"));
  onStep(`${isNew ? "making a database" : "starting the database"} (PostgreSQL ${found.major})`);
  if (isNew) await makeDataFolder(server, signal);
  signal.throwIfAborted();
  const postgres = await startLocalServer(server, { port: await freePort(), durable: true });
  world.postgres = postgres;
  return postgres;
}

interface Preparation {
  readonly files: PlaceFiles;
  readonly walletUrl: string;
  readonly ports: Ports;
  readonly onStep: WorldOptions["onStep"];
}

/** The owner's work, where there is any; a start that finds all as it was does none, and does not load it. */
async function prepare(
  place: Place,
  postgres: LocalServer,
  { files, walletUrl, ports, onStep }: Preparation,
): Promise<Kept> {
  const migrations = await hashOfMigrations();
  const { client, prepared } = place.kept;
  const isReady = client && prepared?.migrations === migrations && prepared.walletUrl === walletUrl;
  const kept = { ...place.kept, port: ports.gateway, walletPort: ports.wallet };
  if (isReady && kept.port === place.kept.port) return kept;
  if (isReady) {
    await place.keep(kept);
    return kept;
  }
  onStep(client ? "bringing the database up to date" : "making tables, keys and a merchant");
  const { bringUpToDate, setUp } = await import("./set-up.ts");
  const { secret } = kept;
  const added = client ?? (await setUp(postgres, secret, files));
  await bringUpToDate(postgres, secret, { url: walletUrl, publicKeyFile: files.walletPublicKeyFile });
  const done = { ...kept, client: added, prepared: { migrations, walletUrl } };
  await place.keep(done);
  return done;
}

async function hashOfMigrations(): Promise<string> {
  const names = (await readdir(migrationsFolder, { recursive: true })).filter((name) =>
    name.endsWith(".sql"),
  );
  const texts = await Promise.all(names.sort().map((name) => readFile(join(migrationsFolder, name))));
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  return hash.digest("hex");
}

type Variables = Readonly<Record<string, string>>;
type Starter = (name: string, words: readonly string[], variables: Variables) => Running;

/** Timeout for the parts of a start that was killed, which leave by themselves. */
const leaveTimeoutMs = 3_000;
/** A part is drained for a moment only: whatever it leaves undone is done by the next start. */
const stopTimeoutMs = 600;

function newStarter(world: World, { onPart, onLine, compileCache }: WorldOptions): Starter {
  // Settings of another Tollgate, which the developer may have in the environment, are not meant for this one.
  const foreign = Object.keys(process.env).filter((name) => name.startsWith("TOLLGATE_"));
  const none = Object.fromEntries(foreign.map((name) => [name, undefined]));
  return (name, words, variables) => {
    const given = { ...none, NODE_COMPILE_CACHE: compileCache, ...variables };
    const part = startProcess(name, words, given, {
      stopTimeoutMs,
      leavesWithUs: true,
      ...(onLine && { onLine: (line: string) => onLine(name, line) }),
    });
    world.parts.push(part);
    onPart(part);
    return part;
  };
}

/** Starts a part and waits until it reports that it is ready. */
async function startGateway(start: Starter, command: "serve" | "work", variables: Variables): Promise<void> {
  // Without the flag, every process of this user could open the inspector, and with it the private keys.
  const part = start(command, ["--disable-sigusr1", programs.gateway, command], variables);
  await firstLineOf(part, "stderr", /^Tollgate /);
}

async function startWallet(
  start: Starter,
  files: PlaceFiles,
  port: number,
): Promise<{ readonly controlSecret: string }> {
  const options = {
    port: String(port),
    data: files.walletFolder,
    "partner-id": "tollgate",
    "gateway-public-key": files.gatewayPublicKeyFile,
    "control-secret-file": files.controlSecretFile,
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const wallet = start("wallet", [programs.wallet, ...words], {});
  return JSON.parse(await firstLineOf(wallet, "stdout")) as { readonly controlSecret: string };
}

async function startHttps(
  start: Starter,
  folder: string,
  serving: Variables,
  port: number,
): Promise<Pick<Ready, "httpsBaseUrl" | "certificateFile">> {
  const { certificateFile, keyFile } = await makeCertificate(folder);
  await startGateway(start, "serve", {
    ...serving,
    TOLLGATE_PORT: String(port),
    TOLLGATE_TLS_CERTIFICATE_FILE: certificateFile,
    TOLLGATE_TLS_KEY_FILE: keyFile,
  });
  return { httpsBaseUrl: `https://127.0.0.1:${port}`, certificateFile };
}
