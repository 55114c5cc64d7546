import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { consoleResults, turnDown, type ConsoleCode, type ConsoleRefusal } from "../people/console-result.ts";
import type { PersonToken } from "../people/person-token.ts";
import { admitPerson, originsFor, type PersonAdmission, type StaffAdmission } from "./admit-person.ts";
import { arrivalOf, type Arrival } from "./arrival.ts";
import { hasProven } from "./connections.ts";
import type { ConsoleDoor } from "./console-door.ts";
import { runAct, runForStaff, runView, type PersonRan } from "./run-for-person.ts";

/**
 * The second front door, for people: views, which only ask, and acts, which are operations of the API. For staff also what
 * operators' commands do.
 */
export function serveConsole(app: FastifyInstance, door: ConsoleDoor): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    if (request.method === "OPTIONS") answerPreflight(door, request.raw, reply.raw);
    else void answer(door, request.raw, reply.raw, request.originalUrl);
  };
  app.all("/console/*", { onRequest }, () => assert.fail("The console's door answers before."));
}

/** CORS: the portal comes from another origin, and its browser asks first. Others are told nothing. */
function answerPreflight(door: ConsoleDoor, message: IncomingMessage, response: ServerResponse): void {
  const allowed = corsHeaders(door, message.headers.origin);
  const more = allowed["access-control-allow-origin"] !== undefined && {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, client-id, content-type",
    "access-control-max-age": "600",
  };
  response.writeHead(204, { ...allowed, ...more });
  response.end();
}

function corsHeaders(door: ConsoleDoor, origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined || !originsFor(door).includes(origin)) return { vary: "origin" };
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

async function answer(
  door: ConsoleDoor,
  message: IncomingMessage,
  response: ServerResponse,
  url: string,
): Promise<void> {
  const { gateway } = door;
  const requestId = `req_${randomUUID()}`;
  const arrival = arrivalOf(gateway, message, url, requestId);
  try {
    const answered = await answerPerson(door, arrival);
    if (answered.person) hasProven(message.socket);
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
    gateway.log.error({ err: error, requestId }, "No answer could be given.");
    response.destroy();
  } finally {
    arrival.visit.leave();
  }
}

async function answerPerson(door: ConsoleDoor, arrival: Arrival): Promise<Answered> {
  let person: PersonToken | undefined;
  try {
    const admitted = await admitPerson(door, arrival);
    ({ person } = admitted);
    if ("refused" in admitted) return refusal(admitted, person);
    const ran = await runFor(door, arrival, admitted);
    if ("refused" in ran) return refusal(ran, person);
    const { code, ...fields } = ran.answered;
    return { code, body: consoleBody({ refused: code }, fields), person };
  } catch (error) {
    // An act may have failed after its commit: the outcome is unknown, and the person must not read it as "no".
    door.gateway.log.error({ err: error, requestId: arrival.requestId }, "The console failed.");
    return refusal(turnDown("UNKNOWN_EXCEPTION"), person);
  }
}

async function runFor(
  door: ConsoleDoor,
  arrival: Arrival,
  admitted: PersonAdmission | StaffAdmission,
): Promise<PersonRan> {
  if (!("client" in admitted)) return runForStaff(admitted);
  const { route } = admitted;
  return "view" in route
    ? runView(door, { ...admitted, route })
    : runAct(door, arrival, { ...admitted, route });
}

function refusal(refused: ConsoleRefusal, person: PersonToken | undefined): Answered {
  const { refused: code, retryAfterSeconds } = refused;
  return { code, body: consoleBody(refused, {}), person, retryAfterSeconds };
}

/** The shape of the API's answers. What to do about a refusal is said in live as well: it is a person who reads it. */
function consoleBody({ refused: code, detail, field }: ConsoleRefusal, fields: object): Buffer {
  const { status, message, advice } = consoleResults[code];
  const result = {
    resultCode: code,
    resultStatus: status,
    resultMessage: (detail ?? message).slice(0, 256),
    ...(status !== "S" && { ...(field !== undefined && { resultField: field }), resultHint: advice }),
  };
  return Buffer.from(JSON.stringify({ result, ...fields }), "utf8");
}

function writeDown({ gateway }: ConsoleDoor, arrival: Arrival, { code, person }: Answered): void {
  const ms = Math.round((performance.now() - arrival.arrivedAtMs) * 100) / 100;
  const path = arrival.target.path.slice(0, 200);
  const line = { requestId: arrival.requestId, path, address: arrival.address, code, ms };
  if (person) gateway.log.info({ ...line, person: person.sub, role: person.role });
  else gateway.logStranger(line);
}
