import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  consoleResults,
  consoleRefusal,
  type ConsoleCode,
  type ConsoleRefusal,
} from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { arrivalOf, type Arrival } from "../merchant-api/arrival.ts";
import { markAuthenticated } from "../limits/connections.ts";
import type { PersonRefusal } from "./identify-person.ts";
import type { PeopleEndpoint, PersonOutcome, PersonRoute } from "./people-endpoint.ts";

/** How to serve requests of one kind of person: admit the person, then answer. */
interface PeopleService<Admitted extends { readonly person: PersonToken }> {
  /** The path prefix, such as `/console/`. */
  readonly pathPrefix: string;
  admit(arrival: Arrival): Promise<Admitted | PersonRefusal>;
  run(arrival: Arrival, admitted: Admitted): Promise<PersonOutcome>;
}

type EndpointAccess = Pick<PeopleEndpoint<PersonRoute>, "origins" | "gateway">;

/**
 * The API for people: views and acts for merchants' people in `serve`, operators' commands for staff in `serve-staff`.
 */
export function serveConsole<Admitted extends { readonly person: PersonToken }>(
  app: FastifyInstance,
  endpoint: EndpointAccess,
  service: PeopleService<Admitted>,
): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    if (request.method === "OPTIONS") answerPreflight(endpoint, request.raw, reply.raw);
    else void handleRequest(endpoint, service, request.raw, reply.raw, request.originalUrl);
  };
  app.all(`${service.pathPrefix}*`, { onRequest }, () => assert.fail("The hook `onRequest` answers before."));
}

/** CORS preflight: the portal has another origin. Other origins get no CORS headers. */
function answerPreflight(endpoint: EndpointAccess, message: IncomingMessage, response: ServerResponse): void {
  const headers = corsHeaders(endpoint, message.headers.origin);
  const preflightHeaders = headers["access-control-allow-origin"] !== undefined && {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, client-id, content-type",
    "access-control-max-age": "600",
  };
  response.writeHead(204, { ...headers, ...preflightHeaders });
  response.end();
}

function corsHeaders(endpoint: EndpointAccess, origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined || !endpoint.origins.includes(origin)) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "request-id, retry-after",
  };
}

interface ConsoleResponse {
  readonly code: ConsoleCode;
  readonly body: Buffer;
  readonly person: PersonToken | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

async function handleRequest<Admitted extends { readonly person: PersonToken }>(
  endpoint: EndpointAccess,
  service: PeopleService<Admitted>,
  message: IncomingMessage,
  response: ServerResponse,
  url: string,
): Promise<void> {
  const { gateway } = endpoint;
  const requestId = `req_${randomUUID()}`;
  const arrival = arrivalOf(gateway, message, url, requestId);
  try {
    const consoleResponse = await answerPerson(endpoint, service, arrival);
    if (consoleResponse.person) markAuthenticated(message.socket);
    response.writeHead(200, {
      ...corsHeaders(endpoint, message.headers.origin),
      ...(consoleResponse.retryAfterSeconds && { "retry-after": String(consoleResponse.retryAfterSeconds) }),
      ...(arrival.leavesChunksUnread() && { connection: "close" }),
      "cache-control": "no-store",
      "request-id": requestId,
      "content-type": "application/json; charset=UTF-8",
      "content-length": consoleResponse.body.length,
    });
    response.end(consoleResponse.body);
    logRequest(endpoint, arrival, consoleResponse);
  } catch (error) {
    gateway.log.error({ err: error, requestId }, "Answering a console request failed.");
    response.destroy();
  } finally {
    arrival.slot.release();
  }
}

async function answerPerson<Admitted extends { readonly person: PersonToken }>(
  endpoint: EndpointAccess,
  service: PeopleService<Admitted>,
  arrival: Arrival,
): Promise<ConsoleResponse> {
  let person: PersonToken | undefined;
  try {
    const admitted = await service.admit(arrival);
    ({ person } = admitted);
    if ("refused" in admitted) return refusalResponse(admitted, person);
    const outcome = await service.run(arrival, admitted);
    if ("refused" in outcome) return refusalResponse(outcome, person);
    const { code, ...fields } = outcome.response;
    return { code, body: consoleBody({ refused: code }, fields), person };
  } catch (error) {
    // An act may have failed after its commit. The outcome is unknown, so the response must not be a final failure.
    endpoint.gateway.log.error({ err: error, requestId: arrival.requestId }, "The console failed.");
    return refusalResponse(consoleRefusal("UNKNOWN_EXCEPTION"), person);
  }
}

function refusalResponse(rejection: ConsoleRefusal, person: PersonToken | undefined): ConsoleResponse {
  const { refused: code, retryAfterSeconds } = rejection;
  return { code, body: consoleBody(rejection, {}), person, retryAfterSeconds };
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

function logRequest({ gateway }: EndpointAccess, arrival: Arrival, { code, person }: ConsoleResponse): void {
  const ms = Math.round((performance.now() - arrival.arrivedAtMs) * 100) / 100;
  const path = arrival.target.path.slice(0, 200);
  const line = { requestId: arrival.requestId, path, address: arrival.address, code, ms };
  if (person) gateway.log.info({ ...line, person: person.sub, role: person.role });
  else gateway.logUnauthenticated(line);
}
