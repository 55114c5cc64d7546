import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  makeDataFolder,
  startLocalServer,
  type LocalServer,
} from "../../../server/src/postgres/local-server.ts";
import { freePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { filesIn, makeSecrets, type PlaceFiles } from "./files.ts";
import type { Kept, Place } from "./data-folder.ts";
import { waitUntilFree, choosePort, requirePort, usualPort } from "./ports.ts";
import { walletMethods } from "./wallet-methods.ts";
import { findPostgres } from "./postgres-programs.ts";
import { accountsMigrationsFolder, migrationsFolder, portalFolder } from "./programs.ts";
import type { Ready } from "../running.ts";
import { accountsDatabase, database, loginOf, passwordOf, type Role } from "./roles.ts";
import {
  newStarter,
  portalOrigin,
  prepareHttps,
  startGateway,
  startPortalParts,
  startShop,
  startTill,
  startWallet,
} from "./start-parts.ts";
import type { Addresses, World, WorldOptions } from "./world.ts";

/**
 * Starts all parts of an installation as fast as possible: the keys are created while the database starts, and the
 * parts start at the same time. Each running part is put into `world` at once, so that a cancelled start can stop it.
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
  const { local } = addresses;
  const walletUrl = local(ports.wallet);
  const kept = await prepare(place, postgres, { files, walletUrl, ports, onStep: options.onStep });
  signal.throwIfAborted();

  const hasPortal = existsSync(join(portalFolder, "index.html"));
  options.onStep(`starting gateway, worker, wallet, shop, till${hasPortal ? " and portal" : ""}`);
  const baseUrl = local(ports.gateway);
  const client = kept.client ?? { clientId: "", keyVersion: 0 };
  const { serving, staff, working } = gatewayVariables(ports, files, {
    client,
    addresses,
    logLevel: options.logLevel,
    hasPortal,
    login: (role) => loginOf(postgres, secret, role),
  });
  const people = {
    databaseUrl: loginOf(postgres, secret, "tollgate_people", accountsDatabase),
    port: ports.portal,
    operatorPort: ports.operator,
    clientId: client.clientId,
    gatewayUrl: baseUrl,
    staffUrl: local(ports.staff),
    logLevel: options.logLevel,
  };
  const { https: httpsPort } = ports;
  const startHttps =
    httpsPort === undefined ? undefined : await prepareHttps(place.folder, serving, httpsPort);
  const start = newStarter(world, options);
  const [{ controlSecret }, https, doors, serveMetricsUrl, workMetricsUrl] = await Promise.all([
    startWallet(start, files, ports, addresses),
    startHttps?.(start) ?? {},
    hasPortal ? startPortalParts(start, files, people, staff) : {},
    startGateway(start, "serve", {
      ...serving,
      TOLLGATE_PORT: String(ports.gateway),
      TOLLGATE_METRICS_PORT: String(ports.serveMetrics),
    }),
    startGateway(start, "work", { ...working, TOLLGATE_METRICS_PORT: String(ports.workMetrics) }),
    startShop(start, files, ports, addresses, client),
    startTill(start, files, ports, addresses, client),
    // Deletes expired isolated test merchants at each start, because `dev` has no timer for this. A failed deletion is
    // repeated at the next start.
    postgres.execute(database, sweepUniverses).catch(() => undefined),
  ]);
  return {
    baseUrl,
    ...client,
    merchantPrivateKeyFile: files.merchantPrivateKeyFile,
    gatewayPublicKeyFile: files.gatewayPublicKeyFile,
    walletUrl,
    controlSecret,
    ...pagesAt(ports, addresses),
    docsUrl: `${baseUrl}/docs`,
    ...doors,
    serveMetricsUrl,
    workMetricsUrl,
    effectsFile: files.effectsFile,
    ...https,
  };
}

/** The addresses of the pages for people. */
function pagesAt(
  { card, shop, till }: Ports,
  { local, seen }: Addresses,
): Pick<Ready, "cardUrl" | "shopUrl" | "tillUrl"> {
  return { cardUrl: seen(card), shopUrl: seen(shop), tillUrl: local(till) };
}

type Variables = Readonly<Record<string, string>>;

interface GatewaySettings {
  readonly client: { readonly clientId: string };
  readonly addresses: Addresses;
  readonly logLevel: string;
  readonly hasPortal: boolean;
  readonly login: (role: Role) => string;
}

/** The settings of the gateway's processes, as an operator would set them. */
function gatewayVariables(
  ports: Ports,
  files: PlaceFiles,
  { client, addresses: { host, local, seen }, logLevel, hasPortal, login }: GatewaySettings,
): Readonly<Record<"serving" | "staff" | "working", Variables>> {
  const common = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    // The owner's login is only for commands. With it, a serving process could bypass row-level security.
    TOLLGATE_OWNER_DATABASE_URL: "",
    TOLLGATE_KEY_FILE: files.keyFile,
    TOLLGATE_HOST: host,
    TOLLGATE_PUBLIC_URL: seen(ports.gateway),
    TOLLGATE_WALLET_PAGE: seen(ports.wallet),
    TOLLGATE_SHOP_PAGE: seen(ports.shop),
    TOLLGATE_TILL_PAGE: local(ports.till),
    TOLLGATE_LOG_LEVEL: logLevel,
    // The gateway may send webhooks to the loopback address, because a developer runs the shop on the same machine.
    TOLLGATE_EGRESS_LOOPBACK: "allow",
  };
  // Settings of `serve` for requests from the portal, whose pages have their own origin.
  const portal = {
    TOLLGATE_ACCOUNTS_KEYS_FILE: files.tokenPublicKeyFile,
    TOLLGATE_CONSOLE_ORIGINS: portalOrigin(ports.portal),
    // The portal's address does not contain the secret of the sign-in link, because every client that reaches the
    // gateway can read its home page.
    TOLLGATE_PORTAL_PAGE: `${portalOrigin(ports.portal)}/developer`,
  };
  const shownPath = (path: string): string => (host === loopback ? path : basename(path));
  const serving = {
    ...common,
    TOLLGATE_DATABASE_URL: login("tollgate_serve"),
    // The secret of the provider's control interface, which permits all test actions.
    TOLLGATE_CONTROL_SECRET_FILE: files.controlSecretFile,
    TOLLGATE_CONTROL_FROM: "loopback",
    TOLLGATE_DOCS_CLIENT_ID: client.clientId,
    // Every client that reaches the gateway can read /docs, so the page shows file names without their paths.
    TOLLGATE_DOCS_KEY_FILE: shownPath(files.merchantPrivateKeyFile),
    TOLLGATE_DOCS_GATEWAY_KEY_FILE: shownPath(files.gatewayPublicKeyFile),
    ...(hasPortal && portal),
  };
  // `serve-staff` listens on the loopback address, also when the merchants' processes are open to the local network.
  const staff = {
    ...common,
    TOLLGATE_HOST: "127.0.0.1",
    TOLLGATE_PORT: String(ports.staff),
    TOLLGATE_PUBLIC_URL: local(ports.staff),
    TOLLGATE_DATABASE_URL: login("tollgate_serve"),
    TOLLGATE_ACCOUNTS_KEYS_FILE: files.tokenPublicKeyFile,
    TOLLGATE_STAFF_ORIGINS: portalOrigin(ports.operator),
    TOLLGATE_STAFF_DATABASE_URL: login("tollgate_staff"),
  };
  return { serving, staff, working: { ...common, TOLLGATE_DATABASE_URL: login("tollgate_worker") } };
}

const sweepUniverses = "do $$ begin while sweep_universes('0 s') > 0 loop end loop; end $$";

interface Ports {
  readonly gateway: number;
  readonly wallet: number;
  /** The port of the page for cards, which is separate from the wallet's own pages. */
  readonly card: number;
  readonly shop: number;
  readonly till: number;
  readonly portal: number;
  readonly operator: number;
  /** The port of the operator console's API. */
  readonly staff: number;
  readonly serveMetrics: number;
  readonly workMetrics: number;
  readonly https: number | undefined;
}

const loopback = "127.0.0.1";

function addressesFor({ lanAddress }: WorldOptions): Addresses {
  const on = (host: string) => (port: number) => `http://${host}:${port}`;
  return {
    host: lanAddress === undefined ? loopback : "0.0.0.0",
    local: on(loopback),
    seen: on(lanAddress ?? loopback),
  };
}

/** Chooses all ports before any part starts, so that a port in use is reported at once. */
async function portsFor(
  { kept, isKept, wasKilled }: Place,
  { port, httpsPort }: WorldOptions,
): Promise<Ports> {
  const patienceMs = wasKilled ? leaveTimeoutMs : 0;
  const known = port ?? kept.port;
  const gateway =
    known === undefined ? await choosePort(usualPort, isKept) : await requirePort(known, "port", patienceMs);
  if (httpsPort !== undefined) await requirePort(httpsPort, "https-port", patienceMs);
  // Chooses a port that may change between starts, because developers' programs do not contain it.
  const beside = async (before: number | undefined, usual: number): Promise<number> =>
    before !== undefined && (await waitUntilFree(before, patienceMs)) ? before : choosePort(usual, isKept);
  const [wallet, shop] = [
    await beside(kept.walletPort, gateway + 1),
    await beside(kept.shopPort, gateway + 2),
  ];
  const portal = await beside(kept.portalPort, gateway + 3);
  const operator = await beside(kept.operatorPort, gateway + 4);
  const serveMetrics = await beside(kept.serveMetricsPort, gateway + 5);
  const workMetrics = await beside(kept.workMetricsPort, gateway + 6);
  // The port of the operator console's API is chosen last, so that it can not take a default port that developers
  // already use for another part.
  const till = await beside(kept.tillPort, gateway + 7);
  const card = await beside(kept.cardPort, gateway + 8);
  const staff = await beside(kept.staffPort, gateway + 9);
  const beyond = { portal, operator, staff, serveMetrics, workMetrics, https: httpsPort };
  return { gateway, wallet, card, shop, till, ...beyond };
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
  onStep(`${isNew ? "creating a database" : "starting the database"} (PostgreSQL ${found.major})`);
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

/**
 * Prepares database and keys with the owner's login. If the database, the provider's address and the payment methods
 * are unchanged since the last start, it does nothing and does not load this code.
 */
async function prepare(
  place: Place,
  postgres: LocalServer,
  { files, walletUrl, ports, onStep }: Preparation,
): Promise<Kept> {
  const migrations = await hashOfMigrations();
  const { client, prepared } = place.kept;
  const methods = walletMethods.join();
  const isSame = prepared?.migrations === migrations && prepared.walletUrl === walletUrl;
  const isReady = client && isSame && prepared.methods === methods;
  const {
    gateway: port,
    wallet: walletPort,
    card: cardPort,
    shop: shopPort,
    till: tillPort,
    portal: portalPort,
    operator: operatorPort,
    staff: staffPort,
    serveMetrics: serveMetricsPort,
    workMetrics: workMetricsPort,
  } = ports;
  const metrics = { serveMetricsPort, workMetricsPort };
  const own = { port, cardPort, shopPort, tillPort, portalPort, operatorPort, staffPort, ...metrics };
  const kept = { ...place.kept, ...own, walletPort };
  const isWhereItWas = Object.entries(own).every(
    ([name, known]) => known === place.kept[name as keyof typeof own],
  );
  if (isReady && isWhereItWas) return kept;
  if (isReady) {
    await place.keep(kept);
    return kept;
  }
  onStep(client ? "updating the database" : "creating tables, keys and a merchant");
  const { bringUpToDate, setUp } = await import("./set-up.ts");
  const { secret } = kept;
  const added = client ?? (await setUp(postgres, secret, files));
  await bringUpToDate(postgres, secret, files, walletUrl);
  const done = { ...kept, client: added, prepared: { migrations, walletUrl, methods } };
  await place.keep(done);
  return done;
}

async function hashOfMigrations(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of [migrationsFolder, accountsMigrationsFolder]) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sql"));
    const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name))));
    for (const text of texts) hash.update(text);
  }
  return hash.digest("hex");
}

/** How long to wait until the parts of a killed start have stopped by themselves. */
const leaveTimeoutMs = 3_000;
