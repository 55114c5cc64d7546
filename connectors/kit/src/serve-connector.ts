import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { openDatabase, systemScope } from "../../../server/src/postgres/database.ts";
import { deliverCallbacks } from "./callbacks/deliver-callbacks.ts";
import type { Connector } from "./connector.ts";
import type { Engine } from "./engine.ts";
import { countOpenWork, type OpenWork } from "./open-work.sql.ts";
import { errorPlace } from "./error-place.ts";
import { newLog, type Log } from "./log.ts";
import { newConnectorMeter } from "./meter.ts";
import { startLoop } from "./loop.ts";
import { inTransaction } from "./orders/leased-order.ts";
import { poll } from "./poll.ts";
import { answerCall } from "./protocol/answer-call.ts";
import { readGatewayKeys } from "./protocol/gateway-keys.ts";
import { newSecretsOf } from "./provider/account-secrets.ts";
import { newCallProvider } from "./provider/call-provider.ts";
import type { ConnectorSettings } from "./settings.ts";
import { handleEvents } from "./webhooks/handle-events.ts";
import { deleteOldEvents } from "./webhooks/inbox.sql.ts";
import { receiveWebhook } from "./webhooks/receive-webhook.ts";

export interface ConnectorServer {
  /** For the gateway: `…/provider/1.1/`. */
  readonly url: string;
  /** For the provider: `…/webhooks/<account>`. */
  readonly webhooksUrl: string;
  readonly metricsUrl: string;
  /** Graceful shutdown: completes open requests and jobs. */
  stop(): Promise<void>;
}

const bodyBytesMax = 1_572_864;
const requestTimeoutMs = 30_000;
const idleMs = 200;
const sweepEveryMs = 3_600_000;
/** Providers repeat webhooks for days; Stripe for three, Adyen for up to a week, PayPal for three. */
const eventIdLifetimeMs = 60 * 24 * 3600 * 1000;

/** Serves the gateway and the provider, and runs the jobs. Several processes can serve one database. */
export async function serveConnector(
  connector: Connector,
  settings: ConnectorSettings,
  now: () => Date = () => new Date(),
): Promise<ConnectorServer> {
  const log = newLog((line) => process.stderr.write(line));
  const database = openDatabase({
    url: settings.databaseUrl,
    applicationName: `connector ${connector.name}`,
    connectionsMax: settings.databaseConnectionsMax,
    onFault: () => log("warn", "A connection to the database failed."),
  });
  const engine: Engine = {
    connector,
    database,
    keys: readGatewayKeys(settings),
    secretsOf: newSecretsOf(settings.secretsFolder),
    callProvider: newCallProvider(settings.providerTimeoutMs),
    log,
    meter: newConnectorMeter(),
    now,
  };
  const loops = [handleEvents, deliverCallbacks, poll].map((job) =>
    startLoop(() => job(engine), { idleMs, onError: (reason) => log("error", "A job failed.", { reason }) }),
  );
  const sweep = (): Promise<number> => sweepEvents(engine);
  loops.push(
    startLoop(sweep, {
      idleMs: sweepEveryMs,
      onError: (reason) => log("error", "A sweep failed.", { reason }),
    }),
  );

  const [gatewayApp, webhookApp, metricsApp] = [
    newGatewayApp(engine),
    newWebhookApp(engine),
    newMetricsApp(engine),
  ];
  const { host, port, webhookPort, metricsPort } = settings;
  const url = await gatewayApp.listen({ host, port });
  const webhooksUrl = await webhookApp.listen({ host, port: webhookPort });
  const metricsUrl = await metricsApp.listen({ host, port: metricsPort });
  return {
    url,
    webhooksUrl: `${webhooksUrl}/webhooks`,
    metricsUrl: `${metricsUrl}/metrics`,
    async stop() {
      await Promise.all([gatewayApp, webhookApp, metricsApp].map((app) => app.close()));
      await Promise.all(loops.map((loop) => loop.stop()));
      await database.close();
    },
  };
}

/** Answers the calls of the gateway. */
function newGatewayApp(engine: Engine): FastifyInstance {
  const app = newApp(engine.log);
  app.all("/*", async (request, reply) => {
    const { method, url } = request;
    const answer = await answerCall(engine, {
      method,
      url,
      header: headerOf(request),
      body: bodyOf(request),
    });
    return reply.headers(answer.headers).send(answer.body);
  });
  return app;
}

/** Receives the webhooks of the provider, which come from outside. */
function newWebhookApp(engine: Engine): FastifyInstance {
  const app = newApp(engine.log);
  app.post<{ Params: { account: string } }>("/webhooks/:account", async (request, reply) => {
    const { account } = request.params;
    const status = await receiveWebhook(engine, {
      account,
      body: bodyOf(request),
      header: headerOf(request),
    });
    return reply.status(status).send(status === 200 ? "[accepted]" : "");
  });
  return app;
}

function newMetricsApp(engine: Engine): FastifyInstance {
  const app = newApp(engine.log);
  app.get("/metrics", async (_, reply) => {
    await countWork(engine);
    return reply.type("text/plain; version=0.0.4").send(engine.meter.text());
  });
  app.get("/healthz", () => "ok");
  return app;
}

/** Bodies stay raw bytes, because signatures cover them. */
function newApp(log: Log): FastifyInstance {
  const app = fastify({
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: "idle",
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  // The message of an error stays inside: it could contain a secret.
  app.setErrorHandler((error, _, reply) => {
    log("error", "A request failed.", { reason: errorPlace(error) });
    return reply.status(500).send();
  });
  return app;
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function headerOf({ raw }: FastifyRequest): (name: string) => string | undefined {
  return (name) => {
    const values = raw.headersDistinct[name.toLowerCase()];
    return values?.length === 1 ? values[0] : undefined;
  };
}

async function sweepEvents(engine: Engine): Promise<number> {
  const before = new Date(engine.now().getTime() - eventIdLifetimeMs);
  await inTransaction(engine, async (tx) => tx.write(deleteOldEvents(before)));
  return 0;
}

async function countWork({ database, meter }: Engine): Promise<void> {
  const [work] = await database.reader(systemScope).query<OpenWork>(countOpenWork());
  if (!work) return;
  meter.set("open_callbacks", work.callbacks);
  meter.set("open_webhook_events", work.events);
  meter.set("unknown_sends", work.unknownSends);
}
