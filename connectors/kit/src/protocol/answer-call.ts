import { parseStrictJson } from "../../../../server/src/core/strict-json.ts";
import type { Engine } from "../engine.ts";
import { errorPlace } from "../error-place.ts";
import { malformed, toAnswerBody, unknownOutcome, type Answer } from "./answer.ts";
import { calls } from "./calls.ts";
import { findInvalidField } from "./messages.schema.ts";
import { isFresh, toWireTime } from "./wire-time.ts";

const version = "1.1";
const prefix = `/provider/${version}/`;

/** A request of the gateway. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** The value of a header; undefined if it is absent or stands more than once. */
  readonly header: (name: string) => string | undefined;
  /** Undefined if the body is too long. */
  readonly body: Buffer | undefined;
}

export interface SignedAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Authenticates a request of the gateway, acts, and returns the signed response. */
export async function answerCall(engine: Engine, request: GatewayRequest): Promise<SignedAnswer> {
  const { keys, now, meter, log } = engine;
  const startedAt = performance.now();
  const [path = ""] = request.url.split("?", 1);
  const name = path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
  const answer = await decideAnswer(engine, request, name);
  const label = name !== undefined && calls.has(name) ? name : "unknown";
  meter.add("gateway_calls", `${label} ${answer.code}`);
  const ms = Math.round(performance.now() - startedAt);
  log("info", "call", { call: label, resultCode: answer.code, ms, ...traceOf(request) });
  const body = toAnswerBody(answer);
  const time = toWireTime(now().getTime());
  const { method, url } = request;
  const signature = await keys.sign({ method, path: url, clientId: keys.partnerId, time, body });
  return {
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": keys.partnerId,
      "response-time": time,
      signature,
    },
    body,
  };
}

function traceOf({ header }: GatewayRequest): { readonly traceId?: string } {
  const traceId = /^00-([0-9a-f]{32})-/.exec(header("traceparent") ?? "")?.[1];
  return traceId === undefined ? {} : { traceId };
}

/** The order of the checks is a part of the protocol. */
async function decideAnswer(
  engine: Engine,
  { method, url, header, body }: GatewayRequest,
  name: string | undefined,
): Promise<Answer> {
  const { keys, now, log } = engine;
  const isServed = !name?.startsWith("disputes/") || engine.connector.disputes !== undefined;
  const known = name === undefined || !isServed ? undefined : calls.get(name);
  if (!known)
    return {
      code: "NO_INTERFACE_DEF",
      ...(name === undefined && { detail: `Version ${version} is served, at ${prefix}.` }),
    };
  if (method !== "POST") return { code: "METHOD_NOT_SUPPORTED" };
  if (header("client-id") !== keys.partnerId) return { code: "UNKNOWN_CLIENT" };
  if (!body) return { code: "PARAM_ILLEGAL", detail: "The body is too long." };
  const time = header("request-time") ?? "";
  const signature = header("signature");
  if (
    signature === undefined ||
    !keys.isFromGateway({ path: url, clientId: keys.partnerId, time, body }, signature)
  )
    return { code: "INVALID_SIGNATURE" };
  if (!isFresh(time, now().getTime()))
    return { code: "PARAM_ILLEGAL", detail: "request-time is too far from our clock." };
  const parsed = parseStrictJson(body.length === 0 ? Buffer.from("{}") : body);
  if ("problem" in parsed) return { code: "PARAM_ILLEGAL", detail: parsed.problem };
  const invalidField = findInvalidField(known.schema, parsed.value);
  if (invalidField !== undefined) return malformed(invalidField);
  try {
    return await known.answer(engine, parsed.value as never);
  } catch (error) {
    // The message may have taken effect, so the outcome is unknown.
    log("error", "A call failed.", { call: name ?? "", reason: errorPlace(error) });
    return unknownOutcome;
  }
}
