import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { createCertificate, type Certificate } from "./certificate.ts";
import type { DataFiles } from "./data-files.ts";
import { waitForFirstLine, startProcess, type RunningPart } from "./processes.ts";
import { portalFolder, programs } from "./programs.ts";
import type { Ready } from "../running-file.ts";
import type { Addresses, DevStack, StackOptions } from "./dev-stack.ts";

type Variables = Readonly<Record<string, string>>;
type Starter = (name: string, programOptions: readonly string[], variables: Variables) => RunningPart;

/** The drain timeout of a part. It is short, because the next start continues the part's unfinished work. */
const stopTimeoutMs = 600;

export function createStarter(stack: DevStack, { onPart, onLine, compileCache }: StackOptions): Starter {
  // The environment may contain settings of another Tollgate, which must not be used here.
  const inheritedSettings = Object.keys(process.env).filter((name) => name.startsWith("TOLLGATE_"));
  const clearedSettings = Object.fromEntries(inheritedSettings.map((name) => [name, undefined]));
  return (name, programOptions, variables) => {
    const environment = { ...clearedSettings, NODE_COMPILE_CACHE: compileCache, ...variables };
    const part = startProcess(name, programOptions, environment, {
      stopTimeoutMs,
      stopsWithParent: true,
      ...(onLine && { onLine: (line: string) => onLine(name, line) }),
    });
    stack.parts.push(part);
    onPart(part);
    return part;
  };
}

/** Starts a part, waits until it reports that it is ready, and returns the address of its metrics. */
export async function startGateway(
  start: Starter,
  command: "serve" | "serve-staff" | "work",
  variables: Variables,
): Promise<string> {
  // Without `--disable-sigusr1`, every process of this user could open the part's inspector, and read the private keys
  // through it.
  const part = start(command, ["--disable-sigusr1", programs.gateway, command], variables);
  const line = await waitForFirstLine(part, "stderr", /^Tollgate /);
  return /metrics at (\S+)$/.exec(line)?.[1] ?? "";
}

export async function startWallet(
  start: Starter,
  files: DataFiles,
  ports: { readonly wallet: number; readonly card: number; readonly till: number },
  { host, localUrl, networkUrl }: Addresses,
): Promise<{ readonly controlSecret: string }> {
  const options = {
    host,
    port: String(ports.wallet),
    "public-url": networkUrl(ports.wallet),
    "card-port": String(ports.card),
    "card-public-url": networkUrl(ports.card),
    // The demo point of sale shows the wallet's pages in a frame.
    "framed-by": localUrl(ports.till),
    "till-url": localUrl(ports.till),
    data: files.walletFolder,
    "partner-id": "tollgate",
    "gateway-public-key": files.walletGatewayKeyFile,
    "control-secret-file": files.controlSecretFile,
  };
  const programOptions = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const wallet = start("wallet", [programs.wallet, "--list-orders", ...programOptions], {});
  return JSON.parse(await waitForFirstLine(wallet, "stdout")) as { readonly controlSecret: string };
}

/** Creates the certificate before any part starts, so that a missing openssl leaves no part running. */
export async function prepareHttps(
  folder: string,
  serving: Variables,
  port: number,
): Promise<(start: Starter) => Promise<Pick<Ready, "httpsBaseUrl" | "certificateFile">>> {
  const { hostname } = new URL(serving["TOLLGATE_PUBLIC_URL"] ?? "http://127.0.0.1");
  const certificate = await createCertificate(folder, hostname);
  return (start) => startHttps(start, serving, { ...certificate, port });
}

async function startHttps(
  start: Starter,
  serving: Variables,
  { certificateFile, keyFile, port }: Certificate & { readonly port: number },
): Promise<Pick<Ready, "httpsBaseUrl" | "certificateFile">> {
  await startGateway(start, "serve", {
    ...serving,
    TOLLGATE_PORT: String(port),
    TOLLGATE_TLS_CERTIFICATE_FILE: certificateFile,
    TOLLGATE_TLS_KEY_FILE: keyFile,
  });
  return { httpsBaseUrl: `https://127.0.0.1:${port}`, certificateFile };
}

/** Browsers keep cookies and passkeys of an http page only for localhost, not for 127.0.0.1. */
export function portalOrigin(port: number): string {
  return `http://localhost:${port}`;
}

interface AccountsSettings {
  readonly databaseUrl: string;
  readonly port: number;
  /** The port of the operator console's pages. */
  readonly operatorPort: number;
  readonly clientId: string;
  readonly gatewayUrl: string;
  /** The address of `serve-staff`. */
  readonly staffUrl: string;
  readonly logLevel: string;
}

/** The links that sign the developer in. */
interface SignInLinks {
  readonly portalUrl: string;
  readonly operatorUrl: string;
}

/** Starts the parts for people: accounts with the pages of portal and operator console, and `serve-staff`. */
export async function startPortalParts(
  start: Starter,
  files: DataFiles,
  accountsSettings: AccountsSettings,
  staff: Variables,
): Promise<SignInLinks & { readonly staffUrl: string }> {
  const [signInLinks] = await Promise.all([
    startAccounts(start, files, accountsSettings),
    startGateway(start, "serve-staff", staff),
  ]);
  return { ...signInLinks, staffUrl: accountsSettings.staffUrl };
}

async function startAccounts(
  start: Starter,
  files: DataFiles,
  { databaseUrl, port, operatorPort, clientId, gatewayUrl, staffUrl, logLevel }: AccountsSettings,
): Promise<SignInLinks> {
  const [origin, operatorOrigin] = [portalOrigin(port), portalOrigin(operatorPort)];
  const part = start("accounts", ["--disable-sigusr1", programs.accounts, "serve"], {
    ACCOUNTS_DATABASE_URL: databaseUrl,
    ACCOUNTS_KEY_FILE: files.keyFile,
    ACCOUNTS_TOKEN_KEY_FILE: files.tokenKeyFile,
    ACCOUNTS_PORT: String(port),
    ACCOUNTS_PUBLIC_URL: origin,
    ACCOUNTS_OPERATOR_PORT: String(operatorPort),
    ACCOUNTS_OPERATOR_URL: operatorOrigin,
    ACCOUNTS_SMTP_URL: pathToFileURL(files.mailFolder).href,
    ACCOUNTS_MAIL_FROM: "Tollgate <accounts@localhost>",
    ACCOUNTS_PORTAL_FOLDER: portalFolder,
    ACCOUNTS_SANDBOX_URL: gatewayUrl,
    ACCOUNTS_OPERATOR_SANDBOX_URL: staffUrl,
    ACCOUNTS_DEVELOPER_SECRET_FILE: files.portalSecretFile,
    ACCOUNTS_DEVELOPER_CLIENT_ID: clientId,
    ACCOUNTS_LOG_LEVEL: logLevel,
  });
  const secret = await readFile(files.portalSecretFile, "utf8");
  await waitForFirstLine(part, "stderr", /^Tollgate/);
  return {
    portalUrl: `${origin}/developer#${secret}`,
    operatorUrl: `${operatorOrigin}/developer#${secret}`,
  };
}

type Client = Pick<Ready, "clientId" | "keyVersion">;

/** The settings of a merchant's program, with the names that the client libraries read. */
function merchantVariables(files: DataFiles, baseUrl: string, { clientId, keyVersion }: Client): Variables {
  return {
    TOLLGATE_BASE_URL: baseUrl,
    TOLLGATE_CLIENT_ID: clientId,
    TOLLGATE_KEY_VERSION: String(keyVersion),
    TOLLGATE_PRIVATE_KEY_FILE: files.merchantPrivateKeyFile,
    TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: files.gatewayPublicKeyFile,
  };
}

export async function startShop(
  start: Starter,
  files: DataFiles,
  ports: { readonly gateway: number; readonly shop: number },
  { host, localUrl, networkUrl }: Addresses,
  client: Client,
): Promise<void> {
  const options = {
    host,
    port: String(ports.shop),
    data: files.shopFile,
    "public-url": networkUrl(ports.shop),
    "pages-at": networkUrl(ports.gateway),
  };
  const programOptions = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const variables = merchantVariables(files, localUrl(ports.gateway), client);
  // `--disable-warning` hides Node's warning that its SQLite is experimental, because developers do not need it.
  const shop = start(
    "shop",
    ["--disable-warning=ExperimentalWarning", programs.shop, ...programOptions],
    variables,
  );
  await waitForFirstLine(shop, "stdout");
}

/**
 * Only this machine can open the pages of the demo point of sale. The pages behind its QR stickers are reachable from
 * the same devices as the wallet.
 */
export async function startPointOfSale(
  start: Starter,
  files: DataFiles,
  ports: { readonly gateway: number; readonly wallet: number; readonly till: number },
  { host, localUrl, networkUrl }: Addresses,
  client: Client,
): Promise<void> {
  const options = {
    host,
    port: String(ports.till),
    data: files.tillFile,
    "public-url": networkUrl(ports.till),
    "wallet-url": networkUrl(ports.wallet),
  };
  const programOptions = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const till = start(
    "till",
    [programs.till, ...programOptions],
    merchantVariables(files, localUrl(ports.gateway), client),
  );
  await waitForFirstLine(till, "stdout");
}
