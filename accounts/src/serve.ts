import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import fastify, { LogController, type FastifyInstance } from "fastify";
import { sha256 } from "../../server/src/core/digest.ts";
import { newSemaphore } from "../../server/src/resilience/limits.ts";
import { securityHeaders } from "../../server/src/http/merchant-api/security-headers.ts";
import {
  requireCommitted,
  openDatabase,
  systemScope,
  type Database,
} from "../../server/src/postgres/database.ts";
import { readKeyEncryptionKey } from "../../server/src/signing/wrapping-keys.ts";
import { wrap } from "../../server/src/signing/wrapping.ts";
import { serveRoutes } from "./http/router.ts";
import { deleteOldKnownDevices } from "./credentials/known-device.sql.ts";
import { deviceLifetimeMs, otpAdditionalData } from "./credentials/verify-password.ts";
import { hashPassword } from "./credentials/password.ts";
import { secretBytes } from "./credentials/totp.ts";
import type { Engine } from "./engine.ts";
import { openMailer } from "./mail/send-email.ts";
import { openIdentityProvider } from "./oidc/identity-provider.ts";
import { deleteExpiredAttempts } from "./sign-in/oidc.sql.ts";
import { loginProblem } from "./preflight.sql.ts";
import { routes } from "./routes.ts";
import { idleMs, sessionLifetimeMs } from "./sessions/session.ts";
import { deleteExpiredRows } from "./sessions/session.sql.ts";
import { servePortal } from "./portal/serve-portal.ts";
import type { Settings } from "./settings.ts";
import { readTokenKey } from "./tokens/token-key.ts";

export interface AccountsServer {
  readonly url: string;
  /** The address of the operator console; undefined if this process serves none. */
  readonly operatorUrl: string | undefined;
  /** Graceful shutdown: completes open requests, sends pending emails, and returns. */
  stop(): Promise<void>;
}

const bodyBytesMax = 64 * 1024;
/** Allows the upload of a document of four megabytes on a slow network. */
const requestTimeoutMs = 60_000;
const sweepEveryMs = 10 * 60_000;
const emailConcurrency = 4;
const drainMs = 5_000;

/**
 * `serve` creates all dependencies once and passes them on (dependency injection without a framework). Tests pass
 * their own clock.
 */
export async function serve(settings: Settings, now: () => Date = () => new Date()): Promise<AccountsServer> {
  const app = newServer(settings, settings.publicUrl);
  const onFault = (err: unknown): void => app.log.error({ err }, "A background task failed.");
  const [wrappingKey, tokenKey] = await Promise.all([
    readKeyEncryptionKey(settings.keyFile),
    readTokenKey(settings.tokenKeyFile),
  ]);
  const database = openDatabase({
    url: settings.databaseUrl,
    applicationName: "tollgate accounts",
    connectionsMax: settings.databaseConnectionsMax,
    onFault,
  });
  const problem = await loginProblem(database.reader(systemScope));
  if (problem) throw new Error(`Accounts cannot start: ${problem}`);
  const mailer = openMailer({ url: settings.smtpUrl, from: settings.mailFrom });
  const background = newBackgroundQueue(onFault);
  const decoyId = "nobody";
  const engine: Engine = {
    database,
    now,
    wrappingKey,
    tokenKey,
    site: "portal",
    publicUrl: settings.publicUrl,
    siteUrls: { portal: settings.publicUrl, operator: settings.operator?.publicUrl ?? settings.publicUrl },
    audiences: settings.audiences,
    allowsLivePasswords: settings.allowsLivePasswords,
    approvalRules: settings.approvalRules,
    oidc: await openOidc(settings),
    developer: await readDeveloper(settings),
    decoy: {
      personId: decoyId,
      hash: await hashPassword(randomBytes(32).toString("base64url")),
      wrappedOtp: wrap(randomBytes(secretBytes), wrappingKey, otpAdditionalData(decoyId)),
    },
    sendEmail: (email) => mailer.send(email),
    runInBackground: background.runInBackground,
  };
  const { operator, gateways } = settings;
  await serveSite(app, engine, settings, gateways);
  const operatorApp = operator && newServer(settings, operator.publicUrl);
  if (operatorApp)
    await serveSite(
      operatorApp,
      { ...engine, site: "operator", publicUrl: operator.publicUrl },
      settings,
      operator.gateways,
    );
  await deleteExpired(database, now());
  const timer = setInterval(() => void deleteExpired(database, now()).catch(onFault), sweepEveryMs).unref();
  const { host } = settings;
  const operatorUrl = await operatorApp?.listen({ host, port: operator?.port ?? 0 });
  const url = await app.listen({ host, port: settings.port });
  const apps = [app, ...(operatorApp ? [operatorApp] : [])];
  return {
    url,
    operatorUrl,
    async stop() {
      clearInterval(timer);
      // Drain timeout: a browser can keep an idle connection open.
      const closeConnections = (): void => apps.forEach(({ server }) => server.closeAllConnections());
      const drainTimer = setTimeout(closeConnections, drainMs).unref();
      await Promise.all(apps.map((each) => each.close()));
      clearTimeout(drainTimer);
      await background.done();
      mailer.close();
      await database.close();
    },
  };
}

/** `serveSite` serves the routes and pages of one site. */
async function serveSite(
  app: FastifyInstance,
  engine: Engine,
  { trustedProxies, portalFolder: folder }: Settings,
  gateways: Settings["gateways"],
): Promise<void> {
  serveRoutes(app, engine, { routes, proxies: trustedProxies });
  const page = engine.site === "operator" ? "operator.html" : "index.html";
  if (folder !== "") await servePortal(app, { folder, page, gateways });
}

async function openOidc({ oidc }: Settings): Promise<Engine["oidc"]> {
  if (!oidc) return undefined;
  const { clientSecretFile, ...providerSettings } = oidc;
  const clientSecret = (await readFile(clientSecretFile, "utf8")).trim();
  return openIdentityProvider({ ...providerSettings, clientSecret });
}

async function readDeveloper({ developer }: Settings): Promise<Engine["developer"]> {
  if (!developer) return undefined;
  const secret = (await readFile(developer.secretFile, "utf8")).trim();
  if (secret.length < 32)
    throw new Error("The file of ACCOUNTS_DEVELOPER_SECRET_FILE has fewer than 32 characters.");
  return { secretHash: sha256(secret), clientId: developer.clientId };
}

function newServer({ logLevel }: Settings, publicUrl: string): FastifyInstance {
  const app = fastify({
    logger: { level: logLevel, base: null, redact: ["req.headers"] },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: "idle",
  });
  const headers = headersOf(publicUrl);
  app.addHook("onRequest", async (_, reply) => void reply.headers(headers));
  // Liveness only. The check does not query the database.
  app.get("/livez", async () => ({ status: "alive" }));
  return app;
}

/** Only our own pages may use passkeys; pages of the gateway never do. */
function headersOf(publicUrl: string): Readonly<Record<string, string>> {
  const headers = securityHeaders({ isSecure: publicUrl.startsWith("https:") });
  const policy = headers["permissions-policy"] ?? "";
  return {
    ...headers,
    "permissions-policy": policy.replace("publickey-credentials-get=()", "publickey-credentials-get=(self)"),
  };
}

/** `newBackgroundQueue` runs work after the response, with a concurrency limit. */
function newBackgroundQueue(onFault: (cause: unknown) => void): {
  runInBackground(work: () => Promise<void>): void;
  done(): Promise<void>;
} {
  const runLimited = newSemaphore(emailConcurrency);
  const running = new Set<Promise<void>>();
  return {
    runInBackground(work) {
      const task = runLimited(work)
        .catch(onFault)
        .finally(() => running.delete(task));
      running.add(task);
    },
    async done() {
      await Promise.all(running);
    },
  };
}

async function deleteExpired(database: Database, now: Date): Promise<void> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const times = { now, seenBefore: before(idleMs), createdBefore: before(sessionLifetimeMs) };
  requireCommitted(
    await database.transaction(systemScope, async (tx) => {
      await deleteExpiredRows(tx, times);
      await deleteExpiredAttempts(tx, now);
      await deleteOldKnownDevices(tx, before(deviceLifetimeMs));
    }),
  );
}
