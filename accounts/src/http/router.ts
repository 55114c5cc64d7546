import assert from "node:assert/strict";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Clean } from "typebox/value";
import { sha256 } from "../../../server/src/core/digest.ts";
import { newRateLimiter } from "../../../server/src/resilience/limits.ts";
import { parseStrictJson } from "../../../server/src/core/strict-json.ts";
import { callerAddress, networkOf, type Proxies } from "../../../server/src/core/network-address.ts";
import { requireCommitted, systemScope } from "../../../server/src/postgres/database.ts";
import type { Engine } from "../engine.ts";
import type { EmailMessage } from "../mail/email-templates.ts";
import type { Site } from "../people/site.ts";
import { isAlive, sessionLifetimeMs, touchIntervalMs, type Caller } from "../sessions/session.ts";
import { findCaller, touchSession } from "../sessions/session.sql.ts";
import { callerRefusal } from "./caller-refusal.ts";
import { checkApproval } from "./check-approval.ts";
import {
  readDeviceToken,
  sessionCookieHeader,
  deviceCookieHeader,
  stateCookieHeader,
  readState,
  readSessionToken,
} from "./cookie.ts";
import { refusals, refuse, type Refusal } from "../api/refusal.ts";
import type { Call, RouteResult, Route } from "../api/route.ts";

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
  acceptOnlyJson(app);
  const { origin } = new URL(engine.publicUrl);
  // CSRF: this hook checks the origin before the body is read.
  app.addHook("onRequest", async (request, reply) =>
    request.method === "GET" || isSameOrigin(request, origin)
      ? undefined
      : sendResponse(reply, refuse("FOREIGN_ORIGIN")),
  );
  app.setNotFoundHandler((_, reply) => sendResponse(reply, refuse("NOT_FOUND")));
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) =>
    sendFault(error, request, reply),
  );
  const unauthenticatedLimiter = newRateLimiter(() => engine.now().getTime());
  const requestStates = new WeakMap<FastifyRequest, RequestState>();
  const { site } = engine;
  for (const route of routes.filter(({ sites }) => sites.includes(site))) {
    const isValidRequest = compileSchema(route.request);
    app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
      // The hook checks the caller before the body is read, so that the process reads a large body only from callers
      // who may send it.
      async onRequest(request, reply) {
        const requestState = { call: createCall(engine, request, proxies), beganAtMs: performance.now() };
        // The rate limit is checked in memory before any database query, so that a flood from one network uses no
        // database connections.
        const isFlood =
          route.access === "anyone" &&
          unauthenticatedLimiter.take(requestState.call.network, unauthenticatedRate) > 0;
        const caller = isFlood ? undefined : await callerOf(requestState.call, request);
        const refusal = isFlood ? refuse("TRY_LATER") : callerRefusal(route, caller, requestState.call.now);
        requestStates.set(request, { ...requestState, caller });
        return refusal && sendResult(request, reply, refusal);
      },
      async handler(request, reply) {
        const { call, caller } = requestStateOf(request);
        const input: unknown = route.method === "GET" ? { ...(request.query as object) } : request.body;
        const checked = isValidRequest(input)
          ? await checkApproval(route, { ...call, caller }, request.headers["approval"], input)
          : refuse("INVALID_REQUEST");
        const result =
          "refusal" in checked ? checked : await route.handle({ ...call, ...checked, caller }, input);
        if (!("refusal" in result))
          for (const email of call.emails) engine.runInBackground(() => engine.sendEmail(email));
        return sendResult(request, reply, result);
      },
    });

    const requestStateOf = (request: FastifyRequest): RequestState => {
      const requestState = requestStates.get(request);
      assert(requestState, "A request is handled after it was admitted.");
      return requestState;
    };

    const sendResult = (request: FastifyRequest, reply: FastifyReply, result: RouteResult): FastifyReply => {
      const { call, beganAtMs } = requestStateOf(request);
      const outcome = "refusal" in result ? result.refusal : "done";
      const ms = Math.round(performance.now() - beganAtMs);
      // Headers and bodies are not logged, because they contain cookies, passwords and codes.
      request.log.info({ path: route.path, outcome, ms, network: call.network });
      return sendResponse(reply, result, { site, schema: route.response });
    };
  }
}

/** The state of a request: admitted, or rejected before the route. */
interface RequestState {
  readonly call: Omit<Call, "isApproved"> & { readonly emails: readonly EmailMessage[] };
  readonly caller: Caller | undefined;
  readonly beganAtMs: number;
}

/** CSRF: the Origin header must be ours. A request without it is rejected too. */
function isSameOrigin({ headers }: FastifyRequest, origin: string): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin === origin && (site === undefined || site === "same-origin");
}

/** CSRF: a form of another site can send every content type except JSON. */
function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    const read = parseStrictJson(body as Buffer);
    if ("value" in read) done(null, read.value);
    else done(Object.assign(new Error(read.problem), { statusCode: 400 }));
  });
}

function compileSchema(schema: TSchema): (input: unknown) => boolean {
  const validator = Compile(schema);
  return (input) => validator.Check(input);
}

function createCall(engine: Engine, request: FastifyRequest, proxies: Proxies): RequestState["call"] {
  const { database } = engine;
  const forwarded = request.headers["x-forwarded-for"];
  const address = callerAddress(
    request.socket.remoteAddress ?? "",
    Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    proxies,
  );
  const emails: EmailMessage[] = [];
  return {
    engine,
    emails,
    sendAfterCommit: (more) => void emails.push(...more),
    now: engine.now(),
    network: networkOf(address),
    browser: (request.headers["user-agent"] ?? "").replaceAll(/[^\x20-\x7e]/g, "").slice(0, 200),
    state: readState(engine.site, request.headers.cookie),
    device: readDeviceToken(engine.site, request.headers.cookie),
    read: database.reader(systemScope),
    transaction: async (work) => requireCommitted(await database.transaction(systemScope, work)),
  };
}

async function callerOf(call: RequestState["call"], request: FastifyRequest): Promise<Caller | undefined> {
  const { site } = call.engine;
  const token = readSessionToken(site, request.headers.cookie);
  const caller = token && (await findCaller(call.read, sha256(token), site));
  if (!caller || !isAlive(caller.session, call.now.getTime())) return undefined;
  const { sessionId, seenAt } = caller.session;
  if (call.now.getTime() - seenAt.getTime() >= touchIntervalMs)
    await call.transaction((tx) => touchSession(tx, sessionId, call.now));
  return caller;
}

/** Fields that the response schema does not declare are removed, whatever a route returns. */
function sendResponse(
  reply: FastifyReply,
  result: RouteResult,
  served?: { readonly site: Site; readonly schema: TSchema },
): FastifyReply {
  void reply.header("cache-control", "no-store");
  if ("refusal" in result) return sendRefusal(reply, result);
  if (!served) return reply.send(result.answer);
  const { cookie, state, device, redirect } = result;
  const { site } = served;
  // Fastify sends one header for each cookie.
  if (cookie) void reply.header("set-cookie", sessionCookieHeader(site, cookie, sessionLifetimeMs));
  if (state !== undefined) void reply.header("set-cookie", stateCookieHeader(site, state));
  if (device !== undefined) void reply.header("set-cookie", deviceCookieHeader(site, device));
  if (redirect !== undefined) return reply.redirect(redirect, 303);
  return reply.send(Clean(served.schema, result.answer));
}

function sendRefusal(reply: FastifyReply, { refusal, detail }: Refusal): FastifyReply {
  const [status, message] = refusals[refusal];
  return reply.status(status).send({ refusal, message: detail ?? message });
}

function sendFault(
  error: Error & { readonly statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode = 500 } = error;
  if (statusCode === 413) return sendResponse(reply, refuse("TOO_LARGE"));
  if (statusCode === 415) return sendResponse(reply, refuse("UNSUPPORTED_MEDIA_TYPE"));
  if (statusCode < 500) return sendResponse(reply, refuse("INVALID_REQUEST"));
  request.log.error({ err: error, path: request.routeOptions.url }, "A request failed.");
  return reply
    .status(500)
    .header("cache-control", "no-store")
    .send({ refusal: "FAULT", message: "That did not work, and it is our fault. Try again." });
}
