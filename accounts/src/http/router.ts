import assert from "node:assert/strict";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Clean } from "typebox/value";
import { sha256 } from "../../../server/src/core/digest.ts";
import { newLimiter } from "../../../server/src/resilience/limits.ts";
import { parseStrictJson } from "../../../server/src/core/strict-json.ts";
import { callerAddress, networkOf, type Proxies } from "../../../server/src/core/network-address.ts";
import { committed, systemScope } from "../../../server/src/postgres/database.ts";
import type { Engine } from "../engine.ts";
import type { Letter } from "../mail/emails.ts";
import type { Door } from "../people/site.ts";
import { isAlive, lastsMs, seenEveryMs, type Caller } from "../sessions/session.ts";
import { findCaller, touchSession } from "../sessions/session.sql.ts";
import { callerRefusal } from "./admit-caller.ts";
import { checkApproval } from "./check-approval.ts";
import { deviceIn, setCookie, setDevice, setState, stateIn, tokenIn } from "./cookie.ts";
import { refusals, refuse, type Refusal } from "../api/refusal.ts";
import type { Call, Handled, Route } from "../api/route.ts";

/** Rate limit of requests without a session, for each network and process. */
const unauthenticatedRate = { ratePerSecond: 10, burst: 40 };

/**
 * `serveRoutes` mounts all routes. Each request passes the same checks in the same order: origin, caller, schema, and
 * then the route.
 */
export function serveRoutes(
  app: FastifyInstance,
  engine: Engine,
  { routes, proxies }: { readonly routes: readonly Route[]; readonly proxies: Proxies },
): void {
  takeJsonAlone(app);
  const { origin } = new URL(engine.publicUrl);
  // CSRF: this hook checks the origin before the body is read.
  app.addHook("onRequest", async (request, reply) =>
    request.method === "GET" || isOwnPage(request, origin)
      ? undefined
      : answer(reply, refuse("FOREIGN_ORIGIN")),
  );
  app.setNotFoundHandler((_, reply) => answer(reply, refuse("NOT_FOUND")));
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) =>
    answerFault(error, request, reply),
  );
  const unauthenticated = newLimiter(() => engine.now().getTime());
  const visits = new WeakMap<FastifyRequest, Visit>();
  const { door } = engine;
  for (const route of routes.filter(({ doors }) => doors.includes(door))) {
    const isWellFormed = formOf(route.request);
    app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
      // The hook checks the caller before the body is read, so that the process reads a large body only from callers
      // who may send it.
      async onRequest(request, reply) {
        const visit = { call: callOf(engine, request, proxies), beganAtMs: performance.now() };
        // The rate limit is checked in memory before any database query, so that a flood from one network uses no
        // database connections.
        const isFlood =
          route.who === "anyone" && unauthenticated.take(visit.call.network, unauthenticatedRate) > 0;
        const caller = isFlood ? undefined : await callerOf(visit.call, request);
        const refusal = isFlood ? refuse("TRY_LATER") : callerRefusal(route, caller, visit.call.now);
        visits.set(request, { ...visit, caller });
        return refusal && conclude(request, reply, refusal);
      },
      async handler(request, reply) {
        const { call, caller } = visitOf(request);
        const given: unknown = route.method === "GET" ? { ...(request.query as object) } : request.body;
        const checked = isWellFormed(given)
          ? await checkApproval(route, { ...call, caller }, request.headers["approval"], given)
          : refuse("INVALID_REQUEST");
        const handled =
          "refusal" in checked ? checked : await route.handle({ ...call, ...checked, caller }, given);
        if (!("refusal" in handled))
          for (const letter of call.letters) engine.later(() => engine.send(letter));
        return conclude(request, reply, handled);
      },
    });

    const visitOf = (request: FastifyRequest): Visit => {
      const visit = visits.get(request);
      assert(visit, "A request is handled after it was admitted.");
      return visit;
    };

    const conclude = (request: FastifyRequest, reply: FastifyReply, handled: Handled): FastifyReply => {
      const { call, beganAtMs } = visitOf(request);
      const outcome = "refusal" in handled ? handled.refusal : "done";
      const ms = Math.round(performance.now() - beganAtMs);
      // Headers and bodies are not logged, because they contain cookies, passwords and codes.
      request.log.info({ path: route.path, outcome, ms, network: call.network });
      return answer(reply, handled, { door, schema: route.response });
    };
  }
}

/** The state of a request: admitted, or rejected before the route. */
interface Visit {
  readonly call: Omit<Call, "isApproved"> & { readonly letters: readonly Letter[] };
  readonly caller: Caller | undefined;
  readonly beganAtMs: number;
}

/** CSRF: the Origin header must be ours. A request without it is rejected too. */
function isOwnPage({ headers }: FastifyRequest, origin: string): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin === origin && (site === undefined || site === "same-origin");
}

/** CSRF: a form of another site can send every content type except JSON. */
function takeJsonAlone(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    const read = parseStrictJson(body as Buffer);
    if ("value" in read) done(null, read.value);
    else done(Object.assign(new Error(read.problem), { statusCode: 400 }));
  });
}

function formOf(schema: TSchema): (given: unknown) => boolean {
  const validator = Compile(schema);
  return (given) => validator.Check(given);
}

function callOf(engine: Engine, request: FastifyRequest, proxies: Proxies): Visit["call"] {
  const { database } = engine;
  const forwarded = request.headers["x-forwarded-for"];
  const address = callerAddress(
    request.socket.remoteAddress ?? "",
    Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    proxies,
  );
  const letters: Letter[] = [];
  return {
    engine,
    letters,
    tell: (more) => void letters.push(...more),
    now: engine.now(),
    network: networkOf(address),
    browser: (request.headers["user-agent"] ?? "").replaceAll(/[^\x20-\x7e]/g, "").slice(0, 200),
    state: stateIn(engine.door, request.headers.cookie),
    device: deviceIn(engine.door, request.headers.cookie),
    read: database.reader(systemScope),
    transaction: async (work) => committed(await database.transaction(systemScope, work)),
  };
}

async function callerOf(call: Visit["call"], request: FastifyRequest): Promise<Caller | undefined> {
  const { door } = call.engine;
  const token = tokenIn(door, request.headers.cookie);
  const caller = token && (await findCaller(call.read, sha256(token), door));
  if (!caller || !isAlive(caller.session, call.now.getTime())) return undefined;
  const { sessionId, seenAt } = caller.session;
  if (call.now.getTime() - seenAt.getTime() >= seenEveryMs)
    await call.transaction((tx) => touchSession(tx, sessionId, call.now));
  return caller;
}

/** Fields that the response schema does not declare are removed, whatever a route returns. */
function answer(
  reply: FastifyReply,
  handled: Handled,
  served?: { readonly door: Door; readonly schema: TSchema },
): FastifyReply {
  void reply.header("cache-control", "no-store");
  if ("refusal" in handled) return sendRefusal(reply, handled);
  if (!served) return reply.send(handled.answer);
  const { cookie, state, device, redirect } = handled;
  const { door } = served;
  // Fastify sends one header for each cookie.
  if (cookie) void reply.header("set-cookie", setCookie(door, cookie, lastsMs));
  if (state !== undefined) void reply.header("set-cookie", setState(door, state));
  if (device !== undefined) void reply.header("set-cookie", setDevice(door, device));
  if (redirect !== undefined) return reply.redirect(redirect, 303);
  return reply.send(Clean(served.schema, handled.answer));
}

function sendRefusal(reply: FastifyReply, { refusal, detail }: Refusal): FastifyReply {
  const [status, message] = refusals[refusal];
  return reply.status(status).send({ refusal, message: detail ?? message });
}

function answerFault(
  error: Error & { readonly statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode = 500 } = error;
  if (statusCode === 413) return answer(reply, refuse("TOO_LARGE"));
  if (statusCode === 415) return answer(reply, refuse("UNSUPPORTED_MEDIA_TYPE"));
  if (statusCode < 500) return answer(reply, refuse("INVALID_REQUEST"));
  request.log.error({ err: error, path: request.routeOptions.url }, "A request failed.");
  return reply
    .status(500)
    .header("cache-control", "no-store")
    .send({ refusal: "FAULT", message: "That did not work, and it is our fault. Try again." });
}
