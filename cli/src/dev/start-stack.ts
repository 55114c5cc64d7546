import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  createDataFolder,
  startLocalServer,
  type LocalServer,
} from "../../../server/src/postgres/local-server.ts";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { dataFilesIn, createSecrets, type DataFiles } from "./data-files.ts";
import type { DevState, DataFolder } from "./data-folder.ts";
import { waitUntilFree, choosePort, requirePort, defaultPort } from "./ports.ts";
import { walletMethods } from "./wallet-methods.ts";
import { findPostgres } from "./postgres-programs.ts";
import { accountsMigrationsFolder, migrationsFolder, portalFolder } from "./programs.ts";
import type { Ready } from "../running-file.ts";
import { accountsDatabase, database, buildLoginUrl, derivePassword, type Role } from "./database-logins.ts";
import {
  createStarter,
  portalOrigin,
  prepareHttps,
  startGateway,
  startPortalParts,
  startShop,
  startPointOfSale,
  startWallet,
} from "./start-parts.ts";
import type { Addresses, DevStack, StackOptions } from "./dev-stack.ts";

/**
 * Starts all parts of an installation as fast as possible: the keys are created while the database starts, and the
 * parts start at the same time. Each running part is put into `stack` at once, so that a cancelled start can stop it.
 */
export async function startStack(
  data: DataFolder,
  stack: DevStack,
  options: StackOptions,
  signal: AbortSignal,
): Promise<Ready> {
  const ports = await portsFor(data, options);
  const files = dataFilesIn(data.folder);
  const { secret } = data.state;
  const [postgres] = await Promise.all([startPostgres(data, stack, options, signal), createSecrets(files)]);
  signal.throwIfAborted();

  const addresses = addressesFor(options);
  const walletUrl = addresses.localUrl(ports.wallet);
  const { state, isUpdated } = await prepareDatabase(data, postgres, { files, walletUrl, ports, ...options });
  signal.throwIfAborted();

  const hasPortal = existsSync(join(portalFolder, "index.html"));
  options.onStep(`starting gateway, worker, wallet, shop, till${hasPortal ? " and portal" : ""}`);
  const baseUrl = addresses.localUrl(ports.gateway);
  const client = state.client ?? { clientId: "", keyVersion: 0 };
  const { serving, staff, working } = gatewayVariables(ports, files, {
    client,
    addresses,
    logLevel: options.logLevel,
    hasPortal,
    login: (role) => buildLoginUrl(postgres, secret, role),
  });
  const accountsSettings = {
    databaseUrl: buildLoginUrl(postgres, secret, "tollgate_people", accountsDatabase),
    port: ports.portal,
    operatorPort: ports.operator,
    clientId: client.clientId,
    gatewayUrl: baseUrl,
    staffUrl: addresses.localUrl(ports.staff),
    logLevel: options.logLevel,
  };
  const { https: httpsPort } = ports;
  const startHttps =
    httpsPort === undefined ? undefined : await prepareHttps(data.folder, serving, httpsPort);
  const start = createStarter(stack, options);
  const [{ controlSecret }, https, signInLinks, serveMetricsUrl, workMetricsUrl] = await Promise.all([
    startWallet(start, files, ports, addresses),
    startHttps?.(start) ?? {},
    hasPortal ? startPortalParts(start, files, accountsSettings, staff) : {},
    startGateway(start, "serve", {
      ...serving,
      TOLLGATE_PORT: String(ports.gateway),
      TOLLGATE_METRICS_PORT: String(ports.serveMetrics),
    }),
    startGateway(start, "work", { ...working, TOLLGATE_METRICS_PORT: String(ports.workMetrics) }),
    startShop(start, files, ports, addresses, client),
    startPointOfSale(start, files, ports, addresses, client),
    // Deletes expired isolated test merchants at each start, because `dev` has no timer for this. A failed deletion is
    // repeated at the next start.
    postgres.execute(database, sweepUniverses).catch(() => undefined),
  ]);
  if (isUpdated) await (await import("./set-up.ts")).storeWalletFacts(postgres, secret, files.keyFile);
  return {
    baseUrl,
    ...client,
    merchantPrivateKeyFile: files.merchantPrivateKeyFile,
    gatewayPublicKeyFile: files.gatewayPublicKeyFile,
    walletUrl,
    controlSecret,
    ...pageUrls(ports, addresses),
    docsUrl: `${baseUrl}/docs`,
    ...signInLinks,
    serveMetricsUrl,
    workMetricsUrl,
    effectsFile: files.effectsFile,
    ...https,
  };
}

/** The addresses of the pages for people. */
function pageUrls(
  { card, shop, till }: Ports,
  { localUrl, networkUrl }: Addresses,
): Pick<Ready, "cardUrl" | "shopUrl" | "tillUrl"> {
  return { cardUrl: networkUrl(card), shopUrl: networkUrl(shop), tillUrl: localUrl(till) };
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
  files: DataFiles,
  { client, addresses: { host, localUrl, networkUrl }, logLevel, hasPortal, login }: GatewaySettings,
): Readonly<Record<"serving" | "staff" | "working", Variables>> {
  const common = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    // The owner's login is only for commands. With it, a serving process could bypass row-level security.
    TOLLGATE_OWNER_DATABASE_URL: "",
    TOLLGATE_KEY_FILE: files.keyFile,
    TOLLGATE_HOST: host,
    TOLLGATE_PUBLIC_URL: networkUrl(ports.gateway),
    TOLLGATE_WALLET_PAGE: networkUrl(ports.wallet),
    TOLLGATE_SHOP_PAGE: networkUrl(ports.shop),
    TOLLGATE_TILL_PAGE: localUrl(ports.till),
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
  const visiblePath = (path: string): string => (host === loopback ? path : basename(path));
  const serving = {
    ...common,
    TOLLGATE_DATABASE_URL: login("tollgate_serve"),
    // The secret of the provider's control interface, which permits all test actions.
    TOLLGATE_CONTROL_SECRET_FILE: files.controlSecretFile,
    TOLLGATE_CONTROL_FROM: "loopback",
    TOLLGATE_DOCS_CLIENT_ID: client.clientId,
    // Every client that reaches the gateway can read /docs, so the page shows file names without their paths.
    TOLLGATE_DOCS_KEY_FILE: visiblePath(files.merchantPrivateKeyFile),
    TOLLGATE_DOCS_GATEWAY_KEY_FILE: visiblePath(files.gatewayPublicKeyFile),
    ...(hasPortal && portal),
  };
  // `serve-staff` listens on the loopback address, also when the merchants' processes are open to the local network.
  const staff = {
    ...common,
    TOLLGATE_HOST: "127.0.0.1",
    TOLLGATE_PORT: String(ports.staff),
    TOLLGATE_PUBLIC_URL: localUrl(ports.staff),
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

function addressesFor({ lanAddress }: StackOptions): Addresses {
  const urlOn = (host: string) => (port: number) => `http://${host}:${port}`;
  return {
    host: lanAddress === undefined ? loopback : "0.0.0.0",
    localUrl: urlOn(loopback),
    networkUrl: urlOn(lanAddress ?? loopback),
  };
}

/** Chooses all ports before any part starts, so that a port in use is reported at once. */
async function portsFor(
  { state, isPersistent, wasKilled }: DataFolder,
  { port, httpsPort }: StackOptions,
): Promise<Ports> {
  const patienceMs = wasKilled ? exitTimeoutMs : 0;
  const known = port ?? state.port;
  const gateway =
    known === undefined
      ? await choosePort(defaultPort, isPersistent)
      : await requirePort(known, "port", patienceMs);
  if (httpsPort !== undefined) await requirePort(httpsPort, "https-port", patienceMs);
  // Chooses a port that may change between starts, because developers' programs do not contain it.
  const choosePartPort = async (previous: number | undefined, preferred: number): Promise<number> =>
    previous !== undefined && (await waitUntilFree(previous, patienceMs))
      ? previous
      : choosePort(preferred, isPersistent);
  const [wallet, shop] = [
    await choosePartPort(state.walletPort, gateway + 1),
    await choosePartPort(state.shopPort, gateway + 2),
  ];
  const portal = await choosePartPort(state.portalPort, gateway + 3);
  const operator = await choosePartPort(state.operatorPort, gateway + 4);
  const serveMetrics = await choosePartPort(state.serveMetricsPort, gateway + 5);
  const workMetrics = await choosePartPort(state.workMetricsPort, gateway + 6);
  // The port of the operator console's API is chosen last, so that it can not take a default port that developers
  // already use for another part.
  const till = await choosePartPort(state.tillPort, gateway + 7);
  const card = await choosePartPort(state.cardPort, gateway + 8);
  const staff = await choosePartPort(state.staffPort, gateway + 9);
  const otherPorts = { portal, operator, staff, serveMetrics, workMetrics, https: httpsPort };
  return { gateway, wallet, card, shop, till, ...otherPorts };
}

async function startPostgres(
  { postgresFolder, state }: DataFolder,
  stack: DevStack,
  { postgres: requestedPrograms, onStep }: StackOptions,
  signal: AbortSignal,
): Promise<LocalServer> {
  const programs = await findPostgres(requestedPrograms, postgresFolder);
  const server = {
    binFolder: programs.binFolder,
    folder: postgresFolder,
    password: derivePassword(state.secret, "postgres"),
  };
  const isNew = !existsSync(join(postgresFolder, "data/PG_VERSION"));
  onStep(`${isNew ? "creating a database" : "starting the database"} (PostgreSQL ${programs.major})`);
  if (isNew) await createDataFolder(server, signal);
  signal.throwIfAborted();
  const postgres = await startLocalServer(server, { port: await findFreePort(), durable: true });
  stack.postgres = postgres;
  return postgres;
}

interface Preparation {
  readonly files: DataFiles;
  readonly walletUrl: string;
  readonly ports: Ports;
  readonly onStep: StackOptions["onStep"];
}

/**
 * Prepares database and keys with the owner's login. If the database, the provider's address and the payment methods
 * are unchanged since the last start, it does nothing and does not load this code.
 */
async function prepareDatabase(
  data: DataFolder,
  postgres: LocalServer,
  { files, walletUrl, ports, onStep }: Preparation,
): Promise<{ readonly state: DevState; readonly isUpdated: boolean }> {
  const migrations = await hashMigrations();
  const { client, prepared } = data.state;
  const methods = walletMethods.join();
  const isPreparedHere = prepared?.migrations === migrations && prepared.walletUrl === walletUrl;
  const isReady = client && isPreparedHere && prepared.methods === methods;
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
  const chosenPorts = { port, cardPort, shopPort, tillPort, portalPort, operatorPort, staffPort, ...metrics };
  const state = { ...data.state, ...chosenPorts, walletPort };
  const arePortsUnchanged = Object.entries(chosenPorts).every(
    ([name, known]) => known === data.state[name as keyof typeof chosenPorts],
  );
  if (isReady && arePortsUnchanged) return { state, isUpdated: false };
  if (isReady) {
    await data.saveState(state);
    return { state, isUpdated: false };
  }
  onStep(client ? "updating the database" : "creating tables, keys and a merchant");
  const { updateDatabase, setUpDatabase } = await import("./set-up.ts");
  const { secret } = state;
  const preparedClient = client ?? (await setUpDatabase(postgres, secret, files));
  await updateDatabase(postgres, secret, files, walletUrl);
  const preparedState = { ...state, client: preparedClient, prepared: { migrations, walletUrl, methods } };
  await data.saveState(preparedState);
  return { state: preparedState, isUpdated: true };
}

async function hashMigrations(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of [migrationsFolder, accountsMigrationsFolder]) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sql"));
    const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name))));
    for (const text of texts) hash.update(text);
  }
  return hash.digest("hex");
}

/** How long to wait until the parts of a killed start have stopped by themselves. */
const exitTimeoutMs = 3_000;
