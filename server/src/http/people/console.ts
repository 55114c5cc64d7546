import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  consoleResults,
  turnDown,
  type ConsoleCode,
  type ConsoleRefusal,
} from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { arrivalOf, type Arrival } from "../merchant-api/arrival.ts";
import { markAuthenticated } from "../limits/connections.ts";
import type { RefusedPerson } from "./identify-person.ts";
import type { PeopleEndpoint, PersonRan, PersonRoute } from "./people-endpoint.ts";

/** How to serve requests of one kind of person: admit the person, then answer. */
interface PeopleService<Admitted extends { readonly person: PersonToken }> {
  /** The path prefix, such as `/console/`. */
  readonly below: string;
  admit(arrival: Arrival): Promise<Admitted | RefusedPerson>;
  run(arrival: Arrival, admitted: Admitted): Promise<PersonRan>;
}

type Door = Pick<PeopleEndpoint<PersonRoute>, "origins" | "gateway">;

/**
 * The API for people: views and acts for merchants' people in `serve`, operators' commands for staff in `serve-staff`.
 */
export function serveConsole<Admitted extends { readonly person: PersonToken }>(
  app: FastifyInstance,
  door: Door,
  service: PeopleService<Admitted>,
): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    if (request.method === "OPTIONS") answerPreflight(door, request.raw, reply.raw);
    else void answer(door, service, request.raw, reply.raw, request.originalUrl);
  };
  app.all(`${service.below}*`, { onRequest }, () => assert.fail("The hook `onRequest` answers before."));
}

/** CORS preflight: the portal has another origin. Other origins get no CORS headers. */
function answerPreflight(door: Door, message: IncomingMessage, response: ServerResponse): void {
  const allowed = corsHeaders(door, message.headers.origin);
  const more = allowed["access-control-allow-origin"] !== undefined && {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, client-id, content-type",
    "access-control-max-age": "600",
  };
  response.writeHead(204, { ...allowed, ...more });
  response.end();
}

function corsHeaders(door: Door, origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined || !door.origins.includes(origin)) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "request-id, retry-after",
  };
}

interface Answered {
  readonly code: ConsoleCode;
  readonly body: Buffer;
  readonly person: PersonToken | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

async function answer<Admitted extends { readonly person: PersonToken }>(
  door: Door,
  service: PeopleService<Admitted>,
  message: IncomingMessage,
  response: ServerResponse,
  url: string,
): Promise<void> {
  const { gateway } = door;
  const requestId = `req_${randomUUID()}`;
  const arrival = arrivalOf(gateway, message, url, requestId);
  try {
    const answered = await answerPerson(door, service, arrival);
    if (answered.person) markAuthenticated(message.socket);
    response.writeHead(200, {
      ...corsHeaders(door, message.headers.origin),
      ...(answered.retryAfterSeconds && { "retry-after": String(answered.retryAfterSeconds) }),
      ...(arrival.leavesChunksUnread() && { connection: "close" }),
      "cache-control": "no-store",
      "request-id": requestId,
      "content-type": "application/json; charset=UTF-8",
      "content-length": answered.body.length,
    });
    response.end(answered.body);
    writeDown(door, arrival, answered);
  } catch (error) {
    gateway.log.error({ err: error, requestId }, "Answering a console request failed.");
    response.destroy();
  } finally {
    arrival.visit.leave();
  }
}

async function answerPerson<Admitted extends { readonly person: PersonToken }>(
  door: Door,
  service: PeopleService<Admitted>,
  arrival: Arrival,
): Promise<Answered> {
  let person: PersonToken | undefined;
  try {
    const admitted = await service.admit(arrival);
    ({ person } = admitted);
    if ("refused" in admitted) return refusal(admitted, person);
    const ran = await service.run(arrival, admitted);
    if ("refused" in ran) return refusal(ran, person);
    const { code, ...fields } = ran.answered;
    return { code, body: consoleBody({ refused: code }, fields), person };
  } catch (error) {
    // An act may have failed after its commit. The outcome is unknown, so the response must not be a final failure.
    door.gateway.log.error({ err: error, requestId: arrival.requestId }, "The console failed.");
    return refusal(turnDown("UNKNOWN_EXCEPTION"), person);
  }
}

function refusal(refused: ConsoleRefusal, person: PersonToken | undefined): Answered {
  const { refused: code, retryAfterSeconds } = refused;
  return { code, body: consoleBody(refused, {}), person, retryAfterSeconds };
}

/**
 * The body of a response, in the format of the API's responses. Hints are sent in live as well, because a person reads
 * them.
 */
function consoleBody({ refused: code, detail, hint, field }: ConsoleRefusal, fields: object): Buffer {
  const { status, message, advice } = consoleResults[code];
  const result = {
    resultCode: code,
    resultStatus: status,
    resultMessage: (detail ?? message).slice(0, 256),
    ...(status !== "S" && { ...(field !== undefined && { resultField: field }), resultHint: hint ?? advice }),
  };
  return Buffer.from(JSON.stringify({ result, ...fields }), "utf8");
}

function writeDown({ gateway }: Door, arrival: Arrival, { code, person }: Answered): void {
  const ms = Math.round((performance.now() - arrival.arrivedAtMs) * 100) / 100;
  const path = arrival.target.path.slice(0, 200);
  const line = { requestId: arrival.requestId, path, address: arrival.address, code, ms };
  if (person) gateway.log.info({ ...line, person: person.sub, role: person.role });
  else gateway.logStranger(line);
}
