import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { createServer } from "node:tls";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { startTestAccounts, type TestAccounts } from "../../accounts/test/test-accounts.ts";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { serve } from "../../server/src/processes/serve.ts";
import { readSettings } from "../../server/src/settings/settings.ts";
import {
  prepareTestGateway,
  newMerchant,
  writeTestFile,
  type PreparedGateway,
} from "../../server/test/start/test-gateway.ts";
import { connectTestProvider, gatewayProcesses, type TestStack } from "../../server/test/start/test-stack.ts";
import type { TestProcess } from "../../server/test/start/test-process.ts";
import { createTestCertificate } from "../../server/test/start/test-certificate.ts";
import { ensureBuiltPortal } from "./built-portal.ts";
import { compressPortal } from "../build/compress-portal.ts";

export interface TestPortal {
  readonly url: string;
  readonly accounts: TestAccounts;
  readonly browser: Browser;
  /** The address at which the pages expect the sandbox gateway. */
  readonly gatewayUrl: string;
  readonly liveUrl: string;
  /** The addresses at which the operator console expects `serve-staff`. */
  readonly staffUrls: Readonly<Record<"sandbox" | "live", string>>;
  /** Switches the TLS proxy in front of a secure portal to another accounts process. */
  leadTo(port: number): void;
}

interface PortalOptions {
  readonly isSecure?: boolean;
  /** True if the test serves compressed files, as in production. The compression takes a few seconds. */
  readonly isCompressed?: boolean;
  /** Additional settings of accounts. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * `startTestPortal` builds and serves the portal by accounts, and starts a browser. All of it stops with the test
 * file. The live gateway rejects pages without TLS, so a portal with live has a TLS proxy.
 */
export async function startTestPortal({
  isSecure = false,
  isCompressed = false,
  variables = {},
}: PortalOptions = {}): Promise<TestPortal> {
  const folder = isCompressed ? await compressedPortal() : await ensureBuiltPortal();
  const gatewayUrl = `http://127.0.0.1:${await findFreePort()}`;
  const liveUrl = `http://127.0.0.1:${await findFreePort()}`;
  const staffUrls = {
    sandbox: `http://127.0.0.1:${await findFreePort()}`,
    live: `http://127.0.0.1:${await findFreePort()}`,
  };
  const front = isSecure ? await startFront() : undefined;
  const accounts = await startTestAccounts({
    ...variables,
    ...(front && { ACCOUNTS_PUBLIC_URL: front.url }),
    ACCOUNTS_PORTAL_FOLDER: folder,
    ACCOUNTS_SANDBOX_URL: gatewayUrl,
    ACCOUNTS_LIVE_URL: liveUrl,
    ACCOUNTS_OPERATOR_SANDBOX_URL: staffUrls.sandbox,
    ACCOUNTS_OPERATOR_LIVE_URL: staffUrls.live,
  });
  front?.leadTo(Number(accounts.variables["ACCOUNTS_PORT"]));
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(front ? [`--ignore-certificate-errors-spki-list=${front.keyDigest}`] : []),
    ],
  });
  after(() => browser.close());
  const forwardTo = (port: number): void => front?.leadTo(port);
  return { url: accounts.url, accounts, browser, gatewayUrl, liveUrl, staffUrls, leadTo: forwardTo };
}

interface Front {
  readonly url: string;
  /** The digest of the certificate's key, which the browser trusts. */
  readonly keyDigest: string;
  leadTo(port: number): void;
}

/** `startFront` starts a TLS proxy in front of accounts. */
async function startFront(): Promise<Front> {
  const { cert, key } = await createTestCertificate("DNS:localhost");
  let target = 0;
  const server = createServer({ cert, key }, (socket) => {
    const inside = connect(target, "127.0.0.1");
    for (const end of [socket, inside]) end.on("error", () => undefined);
    socket.pipe(inside).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  const publicKey = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    keyDigest: createHash("sha256").update(publicKey).digest("base64"),
    leadTo(port) {
      target = port;
    },
  };
}

interface PortalStack extends TestStack {
  readonly serving: TestProcess;
  readonly working: TestProcess;
}

/**
 * `startGatewayFor` starts the sandbox gateway with worker, `serve-staff` and sandbox provider at the addresses that
 * portal and console expect.
 */
export async function startGatewayFor(
  { url, accounts, gatewayUrl, staffUrls }: TestPortal,
  more: Readonly<Record<string, string>> = {},
): Promise<PortalStack> {
  const { database, variables } = await prepareTestGateway("sandbox");
  const merchant = await newMerchant(database);
  const provider = await connectTestProvider(database);
  const pem = String(accounts.tokenPublicKey.export({ type: "spki", format: "pem" }));
  const processes = await gatewayProcesses(database, {
    ...variables,
    TOLLGATE_ACCOUNTS_KEYS_FILE: writeTestFile("accounts.pem", pem),
    TOLLGATE_CONSOLE_ORIGINS: url,
    ...more,
  });
  const { port } = new URL(gatewayUrl);
  const own = { TOLLGATE_PORT: port, TOLLGATE_PUBLIC_URL: gatewayUrl, ...more };
  const { process: serving } = await processes.serve({ variables: own });
  const working = await processes.work(own);
  await processes.serveStaff({
    ...more,
    TOLLGATE_PORT: new URL(staffUrls.sandbox).port,
    TOLLGATE_PUBLIC_URL: staffUrls.sandbox,
    TOLLGATE_STAFF_ORIGINS: accounts.operatorUrl,
  });
  return { database, merchant, provider, serving, working, ...processes };
}

async function compressedPortal(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-portal-"));
  after(() => rm(folder, { recursive: true, force: true }));
  await cp(await ensureBuiltPortal(), folder, { recursive: true });
  await compressPortal(folder);
  return folder;
}

/** `startLiveGatewayFor` starts the live gateway without a worker, for tests of going live. */
export async function startLiveGatewayFor({ url, accounts, liveUrl }: TestPortal): Promise<PreparedGateway> {
  const prepared = await prepareTestGateway("live");
  const pem = String(accounts.tokenPublicKey.export({ type: "spki", format: "pem" }));
  const serving = await serve(
    readSettings({
      ...prepared.variables,
      TOLLGATE_PORT: new URL(liveUrl).port,
      TOLLGATE_PUBLIC_URL: liveUrl,
      TOLLGATE_ACCOUNTS_KEYS_FILE: writeTestFile("accounts-live.pem", pem),
      TOLLGATE_CONSOLE_ORIGINS: url,
    }),
  );
  after(() => serving.stop());
  return prepared;
}

export interface Visitor {
  readonly page: Page;
  /** Errors of the page, messages of the browser console, and failed requests. */
  readonly consoleErrors: string[];
  /** All origins to which the browser sent a request. */
  readonly requestedOrigins: ReadonlySet<string>;
  readonly device: Device;
}

/** `newVisitor` opens a browser with a virtual authenticator that confirms at once. */
export async function newVisitor(
  { browser }: TestPortal,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: "en",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const consoleErrors: string[] = [];
  const requestedOrigins = new Set<string>();
  page.on("request", (request) => requestedOrigins.add(new URL(request.url()).origin));
  page.on("console", (message) => consoleErrors.push(message.text()));
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  return { page, consoleErrors, requestedOrigins, device: await addDevice(page, "internal") };
}

/** A virtual authenticator for passkeys. */
export interface Device {
  /** Sets whether the authenticator confirms requests. */
  letTouch(enabled: boolean): Promise<void>;
}

export async function addDevice(page: Page, transport: "internal" | "usb"): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    letTouch: (enabled) =>
      session
        .send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })
        .then(() => undefined),
  };
}

/** `linkTo` returns the link in the next email to an address. */
export async function linkTo({ accounts }: TestPortal, email: string): Promise<string> {
  const { text } = await accounts.smtp.emailTo(email);
  const link = /https?:\/\/\S+#[\w-]+/.exec(text)?.[0];
  if (!link) throw new Error(`No link in the email: ${text}`);
  return link;
}

/** `registerWithPasskey` registers a person, opens the link from the email, and creates a passkey. */
export async function registerWithPasskey(
  portal: TestPortal,
  { page }: Visitor,
  { name, email, organisation }: Readonly<Record<"name" | "email" | "organisation", string>>,
): Promise<void> {
  await page.goto(`${portal.url}/register`);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Work email").fill(email);
  await page.getByLabel("Organisation").fill(organisation);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByRole("heading", { name: "Check your email" }).waitFor();
  await page.goto(await linkTo(portal, email));
  await page.getByRole("button", { name: "Confirm my email address" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: `Hello, ${organisation}` }).waitFor();
}
