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
import { filesIn, makeSecrets, type PlaceFiles } from "./files.ts";
import type { Kept, Place } from "./place.ts";
import { becomesFree, choosePort, demandPort, usualPort } from "./ports.ts";
import { findPostgres } from "./postgres-programs.ts";
import { migrationsFolder } from "./programs.ts";
import type { Ready } from "./ready.ts";
import { database, loginOf, passwordOf } from "./roles.ts";
import { newStarter, startGateway, startHttps, startShop, startWallet } from "./start-parts.ts";
import type { Addresses, World, WorldOptions } from "./world.ts";

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

  const addresses = addressesFor(options);
  const { local, seen } = addresses;
  const walletUrl = local(ports.wallet);
  const kept = await prepare(place, postgres, { files, walletUrl, ports, onStep: options.onStep });
  signal.throwIfAborted();

  options.onStep("starting gateway, worker, wallet and shop");
  const baseUrl = local(ports.gateway);
  const client = kept.client ?? { clientId: "", keyVersion: 0 };
  const common = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    // The owner's login is for commands. With it, a serving process could bypass row-level security.
    TOLLGATE_OWNER_DATABASE_URL: "",
    TOLLGATE_KEY_FILE: files.keyFile,
    TOLLGATE_HOST: addresses.host,
    TOLLGATE_PUBLIC_URL: seen(ports.gateway),
    TOLLGATE_WALLET_PAGE: seen(ports.wallet),
    TOLLGATE_SHOP_PAGE: seen(ports.shop),
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
    TOLLGATE_DOCS_CLIENT_ID: client.clientId,
    TOLLGATE_DOCS_KEY_FILE: files.merchantPrivateKeyFile,
  };
  const working = { ...common, TOLLGATE_DATABASE_URL: loginOf(postgres, secret, "tollgate_worker") };
  const [{ controlSecret }, https] = await Promise.all([
    startWallet(start, files, ports.wallet, addresses),
    ports.https === undefined ? {} : startHttps(start, place.folder, serving, ports.https),
    startShop(start, files, ports, addresses, client),
    startGateway(start, "serve", { ...serving, TOLLGATE_PORT: String(ports.gateway) }),
    startGateway(start, "work", working),
    // An operator has a timer for it. What could not be swept is tried again at the next start.
    postgres.execute(database, sweepUniverses).catch(() => undefined),
  ]);
  return {
    baseUrl,
    ...client,
    merchantPrivateKeyFile: files.merchantPrivateKeyFile,
    gatewayPublicKeyFile: files.gatewayPublicKeyFile,
    walletUrl,
    controlSecret,
    shopUrl: seen(ports.shop),
    docsUrl: `${baseUrl}/docs`,
    effectsFile: files.effectsFile,
    ...https,
  };
}

const sweepUniverses = "do $$ begin while sweep_universes('0 s') > 0 loop end loop; end $$";

interface Ports {
  readonly gateway: number;
  readonly wallet: number;
  readonly shop: number;
  readonly https: number | undefined;
}

function addressesFor({ lanAddress }: WorldOptions): Addresses {
  const on = (host: string) => (port: number) => `http://${host}:${port}`;
  const loopback = "127.0.0.1";
  return {
    host: lanAddress === undefined ? loopback : "0.0.0.0",
    local: on(loopback),
    seen: on(lanAddress ?? loopback),
  };
}

/** Before anything is started: a port that is taken is told at once. */
async function portsFor(
  { kept, isKept, wasKilled }: Place,
  { port, httpsPort }: WorldOptions,
): Promise<Ports> {
  const patienceMs = wasKilled ? leaveTimeoutMs : 0;
  const known = port ?? kept.port;
  const gateway =
    known === undefined ? await choosePort(usualPort, isKept) : await demandPort(known, "port", patienceMs);
  if (httpsPort !== undefined) await demandPort(httpsPort, "https-port", patienceMs);
  // Nobody has written these ports down, so others do as well.
  const beside = async (before: number | undefined, usual: number): Promise<number> =>
    before !== undefined && (await becomesFree(before, patienceMs)) ? before : choosePort(usual, isKept);
  const [wallet, shop] = [
    await beside(kept.walletPort, gateway + 1),
    await beside(kept.shopPort, gateway + 2),
  ];
  return { gateway, wallet, shop, https: httpsPort };
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
  const kept = { ...place.kept, port: ports.gateway, walletPort: ports.wallet, shopPort: ports.shop };
  const isSame = kept.port === place.kept.port && kept.shopPort === place.kept.shopPort;
  if (isReady && isSame) return kept;
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

/** Timeout for the parts of a start that was killed, which leave by themselves. */
const leaveTimeoutMs = 3_000;
