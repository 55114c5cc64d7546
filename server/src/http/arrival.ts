import type { IncomingMessage } from "node:http";
import { inTime } from "../core/in-time.ts";
import { announcedBytes, leavesChunksUnread, type BodyReader, type UnreadBody } from "./body-reader.ts";
import { hasCrowded } from "./connections.ts";
import { callerAddress, networkOf, type Proxies } from "./network-address.ts";
import { readTarget, type Target } from "./target.ts";
import type { OverloadGuard, Visit } from "./overload.ts";

/** A request as it came in, before anything about it is believed. */
export interface Arrival {
  readonly requestId: string;
  readonly arrivedAtMs: number;
  readonly method: string;
  readonly target: Target;
  /** Lower-case name → every value, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly headerCount: number;
  /** The caller's address, past the operator's own proxies. */
  readonly address: string;
  /** The network of that address: the key of strangers' rate limits. */
  readonly network: string;
  /** The announced length of the body; Infinity when it is chunked. */
  readonly announcedBytes: number;
  readonly readBody: (bytesMax: number) => Promise<Buffer | UnreadBody>;
  /** True when the rest of a chunked body is not worth reading. */
  readonly leavesChunksUnread: () => boolean;
  /** Its place in the concurrency limit. */
  readonly visit: Visit;
}

/**
 * Overall deadline: single timeouts add up to more than callers wait. The operation goes on after it; a retry
 * of the call finds its outcome.
 */
const answerWithinMs = 9_000;
const tooLong = `Not done ${answerWithinMs} ms after it was asked for.`;

/** Waits for a part of the answer until the caller's deadline, and throws when that has passed. */
export function inAnswerTime<Value>({ arrivedAtMs }: Arrival, work: Promise<Value>): Promise<Value> {
  return inTime(arrivedAtMs + answerWithinMs - performance.now(), work, tooLong);
}

/** What a request has to pass on its way in. */
export interface Entrance {
  readonly bodies: BodyReader;
  readonly proxies: Proxies;
  readonly guard: OverloadGuard;
}

export function arrivalOf(
  { bodies, proxies, guard }: Entrance,
  message: IncomingMessage,
  url: string,
  requestId: string,
): Arrival {
  const forwarded = message.headers["x-forwarded-for"];
  const connected = message.socket.remoteAddress ?? "";
  const address = callerAddress(connected, forwarded as string | undefined, proxies);
  const network = networkOf(address);
  const visit = guard.arrive(network);
  return {
    requestId,
    arrivedAtMs: performance.now(),
    method: message.method ?? "",
    target: readTarget(url),
    headers: headersOf(message.rawHeaders),
    headerCount: message.rawHeaders.length / 2,
    address,
    network,
    announcedBytes: announcedBytes(message),
    readBody: async (bytesMax) => {
      const body = await visit.idle(bodies.read(message, network, bytesMax));
      if (body === "no room") hasCrowded(message.socket);
      return body;
    },
    leavesChunksUnread: () => leavesChunksUnread(message),
    visit,
  };
}

/** From the raw list, because Node's own map joins or drops duplicate headers. */
function headersOf(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? "";
    const value = raw[index + 1] ?? "";
    const earlier = headers.get(name);
    if (earlier) earlier.push(value);
    else headers.set(name, [value]);
  }
  return headers;
}
