import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";
import { requestReader } from "../../contract/read-request.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { isUniverseId } from "../../core/universe-id.ts";
import { cacheTtlMs } from "../../merchants/client-directory.ts";
import { isWellFormedClientId } from "../../merchants/client.ts";
import { requireCommitted, systemScope } from "../../postgres/database.ts";
import { newBatchWriter } from "../../postgres/batcher.ts";
import type { IsControlSecret } from "../../signing/control-secret.ts";
import { exportDer, isKeyProblem, readPublicKey, type KeyProblem } from "../../signing/public-key.ts";
import { insertUniverses, listUniverses, updateUniverseClosed } from "../../universes/universe.sql.ts";
import type { NewUniverse, CreatedUniverse } from "../../universes/universe.ts";
import { arrivalOf, type Arrival } from "./arrival.ts";
import { markAuthenticated } from "../limits/connections.ts";
import { newInvalidSignatureLimiter } from "../limits/invalid-signature-limiter.ts";
import type { Gateway } from "./gateway.ts";
import { isLoopbackHost } from "../listeners/loopback.ts";

export interface UniverseOptions {
  /** Checks the control secret; undefined if the operator has set none, and then universes are switched off. */
  readonly isSecret: IsControlSecret | undefined;
  readonly controlFrom: "anywhere" | "loopback";
  /** The gateway's public address. */
  readonly publicUrl: string;
}

const universesPath = "/sandbox/universes";
const bodyBytesMax = 16 * 1024;

/**
 * Opens, lists and closes isolated test merchants (universes), for callers with the control secret. The endpoints exist
 * only in the sandbox. Requests are not signed, because the caller has no client yet.
 */
export function serveUniverses(app: FastifyInstance, gateway: Gateway, options: UniverseOptions): void {
  if (gateway.environment !== "sandbox") return;
  const { isSecret, controlFrom } = options;
  if (!isSecret) {
    app.all(universesPath, async (_request, reply) => send(reply, switchedOff));
    return;
  }
  const withSecret = requireSecret(gateway, isSecret, controlFrom);
  const open = newOpenHandler(gateway, options);
  app.post(universesPath, withSecret(open));
  app.get(
    universesPath,
    withSecret(async () => listOpen(gateway)),
  );
  app.delete(
    `${universesPath}/:clientId`,
    withSecret((arrival, clientId) => close(gateway, arrival, clientId)),
  );
}

interface UniverseResponse {
  readonly status: number;
  readonly body: object;
}

function problemResponse(status: number, text: string): UniverseResponse {
  return { status, body: { problem: text } };
}

const switchedOff = problemResponse(
  404,
  "Universes are switched off here: set TOLLGATE_CONTROL_SECRET_FILE.",
);
const retryLater = problemResponse(503, "The gateway is busy. Retry in a second.");
const notFromLoopback = problemResponse(
  403,
  "Control requests are accepted only from this machine (TOLLGATE_CONTROL_FROM).",
);
const missingSecret = problemResponse(401, "Send the sandbox's control secret: Authorization: Bearer …");

type UniverseHandler = (arrival: Arrival, clientId: string) => Promise<UniverseResponse>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Rejects callers without the control secret. Wrong secrets are counted by network, like invalid signatures. */
function requireSecret(
  gateway: Gateway,
  isSecret: IsControlSecret,
  controlFrom: UniverseOptions["controlFrom"],
): (handle: UniverseHandler) => Handler {
  const secretLimiter = newInvalidSignatureLimiter(gateway.runner.monotonicMs);

  function refusal(arrival: Arrival): UniverseResponse | undefined {
    if (controlFrom === "loopback" && !isLoopbackHost(arrival.address)) return notFromLoopback;
    if (!gateway.guard.hasFreeSlot("new work") || !secretLimiter.mayVerify(arrival.network))
      return retryLater;
    const [authorization = "", ...others] = arrival.headers.get("authorization") ?? [];
    if (others.length === 0 && isSecret(authorization)) return undefined;
    secretLimiter.recordFailure(arrival.network);
    gateway.logUnauthenticated({ universe: "refused", address: arrival.address });
    return missingSecret;
  }

  return (handle) => async (request, reply) => {
    const arrival = arrivalOf(gateway, request.raw, request.originalUrl, request.id);
    try {
      const rejection = refusal(arrival);
      if (rejection) return await send(reply, rejection);
      markAuthenticated(request.raw.socket);
      const { clientId = "" } = request.params as { readonly clientId?: string };
      return await send(reply, await handle(arrival, clientId));
    } catch (error) {
      gateway.log.error({ err: error }, "Opening or closing an isolated test merchant (universe) failed.");
      return await send(reply, retryLater);
    } finally {
      arrival.slot.release();
    }
  };
}

function send(reply: FastifyReply, { status, body }: UniverseResponse): FastifyReply {
  if (status === 503) void reply.header("retry-after", "1");
  return reply.code(status).header("cache-control", "no-store").type("application/json").send(body);
}

const OpenUniverseRequest = Type.Object({
  publicKey: Type.String({ minLength: 1, maxLength: 8_192 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  lifetimeSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_592_000 })),
});

/** A request to open a universe that waits for its batch, with its outcome. */
interface PendingUniverse extends NewUniverse {
  opened?: CreatedUniverse | undefined;
}

function newOpenHandler(gateway: Gateway, { publicUrl }: UniverseOptions): UniverseHandler {
  const readOpening = requestReader(OpenUniverseRequest);
  const readKey = keyReader();
  const pemOf = gatewayKeysAsPem(gateway);
  const openings = newBatchWriter<PendingUniverse>(gateway.database, async (tx, universes) => {
    const openedUniverses = await insertUniverses(tx, universes);
    for (const [index, each] of universes.entries()) each.opened = openedUniverses[index];
    return openedUniverses.map((each) => each !== undefined);
  });

  return async (arrival) => {
    const bytes = await arrival.readBody(bodyBytesMax);
    if (bytes === "no room" || !arrival.slot.take("new work")) return retryLater;
    if (typeof bytes === "string")
      return problemResponse(400, `The body is longer than ${bodyBytesMax} bytes.`);
    const parsed = parseStrictJson(bytes);
    if ("problem" in parsed) return problemResponse(400, `The body is not JSON: ${parsed.problem}`);
    const read = readOpening(parsed.value);
    if (!("request" in read)) return problemResponse(400, read.detail ?? "The body is invalid.");
    const {
      publicKey,
      name = "A test merchant",
      lifetimeSeconds,
    } = read.request as Static<typeof OpenUniverseRequest>;
    const key = readKey(publicKey);
    if ("problem" in key) return problemResponse(400, `publicKey: ${key.problem}`);

    const pendingUniverse: PendingUniverse = { name, publicKey: key, lifetimeSeconds };
    const [scope = ""] = systemScope;
    const written = await arrival.slot.idle(openings.write(scope, pendingUniverse));
    if (written === "nothing") return tooMany;
    if (written !== "written" || !pendingUniverse.opened) return retryLater;
    const gatewayPublicKey = await pemOf(pendingUniverse.opened.gatewayKeyVersion);
    return {
      status: 201,
      body: await openedUniverseBody(gateway, { publicUrl, gatewayPublicKey }, pendingUniverse.opened),
    };
  };
}

const tooMany = problemResponse(
  429,
  "The limit of open or unswept universes is reached. Close one. An operator can sweep closed ones " +
    "with `universe sweep`, and change the limits with `universe limits`.",
);

const keysMax = 100;

/**
 * Caches parsed public keys: a test suite opens all universes with the same key, and parsing it takes longer than the
 * rest.
 */
function keyReader(): (text: string) => Uint8Array | KeyProblem {
  const keys = new Map<string, Uint8Array>();
  return (text) => {
    const cachedDer = keys.get(text);
    if (cachedDer) return cachedDer;
    const key = readPublicKey(text);
    if (isKeyProblem(key)) return key;
    if (keys.size >= keysMax) keys.clear();
    const der = exportDer(key);
    keys.set(text, der);
    return der;
  };
}

/** The response for a new universe: everything that a caller needs for its first signed request. */
async function openedUniverseBody(
  { connectors, log }: Gateway,
  { publicUrl: baseUrl, gatewayPublicKey }: { readonly publicUrl: string; readonly gatewayPublicKey: string },
  { clientId, gatewayKeyVersion, closesAt }: CreatedUniverse,
): Promise<object> {
  log.info({ universe: "opened", clientId, closesAt });
  const loadedConnectors = await Promise.all(
    connectors.capacities().map(({ connector }) => connectors.find(connector)),
  );
  return {
    clientId,
    keyVersion: 1,
    gatewayKeyVersion,
    gatewayPublicKey,
    baseUrl,
    // Only a simulated provider has control endpoints for tests.
    walletUrl: loadedConnectors.find((connector) => connector?.simulator)?.url,
    closesAt,
  };
}

/** Caches the PEM text of each version of the gateway key: otherwise each concurrent request would wait for it. */
function gatewayKeysAsPem({ signer }: Gateway): (version: number) => Promise<string> {
  const texts = new Map<number, string>();
  return async (version) => {
    const cachedText = texts.get(version);
    if (cachedText !== undefined) return cachedText;
    if (!signer.publicKeys().has(version)) await signer.refresh();
    const text = String(signer.publicKeys().get(version)?.export({ format: "pem", type: "spki" }));
    texts.set(version, text);
    return text;
  };
}

/**
 * The list is read in a transaction, because a plain reader may not call the function that sets up the scope (row-level
 * security).
 */
async function listOpen({ database }: Gateway): Promise<UniverseResponse> {
  const universes = requireCommitted(await database.transaction(systemScope, listUniverses));
  return { status: 200, body: { universes } };
}

async function close(gateway: Gateway, { slot }: Arrival, clientId: string): Promise<UniverseResponse> {
  const isUniverse = isWellFormedClientId(clientId) && isUniverseId(clientId);
  const done =
    isUniverse &&
    (await gateway.database.transaction([clientId], (tx) => updateUniverseClosed(tx, clientId)));
  const closedAt = done && requireCommitted(done);
  if (!closedAt) return problemResponse(404, "This universe does not exist, or was swept.");
  gateway.log.info({ universe: "closed", clientId });
  // The response waits until the cached client has expired in every process. Before the wait, the jobs are deleted, and
  // the place is free.
  const leftMs = closedAt.getTime() + cacheTtlMs - gateway.clock.now().getTime();
  await slot.idle(delay(Math.max(0, leftMs)));
  return { status: 200, body: { clientId, closedAt } };
}
