import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";
import { requestReader } from "../../contract/read-request.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { isUniverseId } from "../../core/universe-id.ts";
import { trustedForMs } from "../../merchants/client-directory.ts";
import { isWellFormedClientId } from "../../merchants/client.ts";
import { committed, systemScope } from "../../postgres/database.ts";
import { batchWrites } from "../../postgres/batcher.ts";
import type { IsControlSecret } from "../../signing/control-secret.ts";
import { derOf, isKeyProblem, readPublicKey, type KeyProblem } from "../../signing/public-key.ts";
import { insertUniverses, listUniverses, updateUniverseClosed } from "../../universes/universe.sql.ts";
import type { NewUniverse, OpenedUniverse } from "../../universes/universe.ts";
import { arrivalOf, type Arrival } from "./arrival.ts";
import { markAuthenticated } from "../limits/connections.ts";
import { newInvalidSignatureLimiter } from "../limits/invalid-signature-limiter.ts";
import type { Gateway } from "./gateway.ts";
import { isThisMachine } from "../listeners/this-machine.ts";

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
  const withSecret = demandSecret(gateway, isSecret, controlFrom);
  const open = opener(gateway, options);
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

interface Answer {
  readonly status: number;
  readonly body: object;
}

function problem(status: number, text: string): Answer {
  return { status, body: { problem: text } };
}

const switchedOff = problem(404, "Universes are switched off here: set TOLLGATE_CONTROL_SECRET_FILE.");
const later = problem(503, "The gateway is busy. Retry in a second.");
const notFromHere = problem(
  403,
  "Control requests are accepted only from this machine (TOLLGATE_CONTROL_FROM).",
);
const noSecret = problem(401, "Send the sandbox's control secret: Authorization: Bearer …");

type Answering = (arrival: Arrival, clientId: string) => Promise<Answer>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Rejects callers without the control secret. Wrong secrets are counted by network, like invalid signatures. */
function demandSecret(
  gateway: Gateway,
  isSecret: IsControlSecret,
  controlFrom: UniverseOptions["controlFrom"],
): (answering: Answering) => Handler {
  const guesses = newInvalidSignatureLimiter(gateway.runner.monotonicMs);

  function refusal(arrival: Arrival): Answer | undefined {
    if (controlFrom === "loopback" && !isThisMachine(arrival.address)) return notFromHere;
    if (!gateway.guard.hasRoom("new work") || !guesses.mayTry(arrival.network)) return later;
    const [authorization = "", ...others] = arrival.headers.get("authorization") ?? [];
    if (others.length === 0 && isSecret(authorization)) return undefined;
    guesses.failed(arrival.network);
    gateway.logStranger({ universe: "refused", address: arrival.address });
    return noSecret;
  }

  return (answering) => async (request, reply) => {
    const arrival = arrivalOf(gateway, request.raw, request.originalUrl, request.id);
    try {
      const refused = refusal(arrival);
      if (refused) return await send(reply, refused);
      markAuthenticated(request.raw.socket);
      const { clientId = "" } = request.params as { readonly clientId?: string };
      return await send(reply, await answering(arrival, clientId));
    } catch (error) {
      gateway.log.error({ err: error }, "Opening or closing an isolated test merchant (universe) failed.");
      return await send(reply, later);
    } finally {
      arrival.visit.leave();
    }
  };
}

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  if (status === 503) void reply.header("retry-after", "1");
  return reply.code(status).header("cache-control", "no-store").type("application/json").send(body);
}

const Opening = Type.Object({
  publicKey: Type.String({ minLength: 1, maxLength: 8_192 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  lifetimeSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_592_000 })),
});

/** A request to open a universe that waits for its batch, with its outcome. */
interface Asked extends NewUniverse {
  opened?: OpenedUniverse | undefined;
}

function opener(gateway: Gateway, { publicUrl }: UniverseOptions): Answering {
  const readOpening = requestReader(Opening);
  const readKey = keyReader();
  const pemOf = gatewayKeysAsPem(gateway);
  const openings = batchWrites<Asked>(gateway.database, async (tx, asked) => {
    const opened = await insertUniverses(tx, asked);
    for (const [index, each] of asked.entries()) each.opened = opened[index];
    return opened.map((each) => each !== undefined);
  });

  return async (arrival) => {
    const bytes = await arrival.readBody(bodyBytesMax);
    if (bytes === "no room" || !arrival.visit.take("new work")) return later;
    if (typeof bytes === "string") return problem(400, `The body is longer than ${bodyBytesMax} bytes.`);
    const parsed = parseStrictJson(bytes);
    if ("problem" in parsed) return problem(400, `The body is not JSON: ${parsed.problem}`);
    const read = readOpening(parsed.value);
    if (!("request" in read)) return problem(400, read.detail ?? "The body is invalid.");
    const { publicKey, name = "A test merchant", lifetimeSeconds } = read.request as Static<typeof Opening>;
    const key = readKey(publicKey);
    if ("problem" in key) return problem(400, `publicKey: ${key.problem}`);

    const asked: Asked = { name, publicKey: key, lifetimeSeconds };
    const [scope = ""] = systemScope;
    const written = await arrival.visit.idle(openings.write(scope, asked));
    if (written === "nothing") return tooMany;
    if (written !== "written" || !asked.opened) return later;
    const gatewayPublicKey = await pemOf(asked.opened.gatewayKeyVersion);
    return { status: 201, body: await introduce(gateway, { publicUrl, gatewayPublicKey }, asked.opened) };
  };
}

const tooMany = problem(
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
    const known = keys.get(text);
    if (known) return known;
    const key = readPublicKey(text);
    if (isKeyProblem(key)) return key;
    if (keys.size >= keysMax) keys.clear();
    const der = derOf(key);
    keys.set(text, der);
    return der;
  };
}

/** The response for a new universe: everything that a caller needs for its first signed request. */
async function introduce(
  { connectors, log }: Gateway,
  { publicUrl: baseUrl, gatewayPublicKey }: { readonly publicUrl: string; readonly gatewayPublicKey: string },
  { clientId, gatewayKeyVersion, closesAt }: OpenedUniverse,
): Promise<object> {
  log.info({ universe: "opened", clientId, closesAt });
  const known = await Promise.all(connectors.rooms().map(({ connector }) => connectors.find(connector)));
  return {
    clientId,
    keyVersion: 1,
    gatewayKeyVersion,
    gatewayPublicKey,
    baseUrl,
    // Only a simulated provider has control endpoints for tests.
    walletUrl: known.find((connector) => connector?.simulator)?.url,
    closesAt,
  };
}

/** Caches the PEM text of each version of the gateway key: otherwise each concurrent request would wait for it. */
function gatewayKeysAsPem({ signer }: Gateway): (version: number) => Promise<string> {
  const texts = new Map<number, string>();
  return async (version) => {
    const known = texts.get(version);
    if (known !== undefined) return known;
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
async function listOpen({ database }: Gateway): Promise<Answer> {
  const universes = committed(await database.transaction(systemScope, listUniverses));
  return { status: 200, body: { universes } };
}

async function close(gateway: Gateway, { visit }: Arrival, clientId: string): Promise<Answer> {
  const isOne = isWellFormedClientId(clientId) && isUniverseId(clientId);
  const done =
    isOne && (await gateway.database.transaction([clientId], (tx) => updateUniverseClosed(tx, clientId)));
  const closedAt = done && committed(done);
  if (!closedAt) return problem(404, "This universe does not exist, or was swept.");
  gateway.log.info({ universe: "closed", clientId });
  // The response waits until the cached client has expired in every process. Before the wait, the jobs are deleted, and
  // the place is free.
  const leftMs = closedAt.getTime() + trustedForMs - gateway.clock.now().getTime();
  await visit.idle(delay(Math.max(0, leftMs)));
  return { status: 200, body: { clientId, closedAt } };
}
