import type { IncomingMessage } from "node:http";
import { withTimeout } from "../../resilience/with-timeout.ts";
import { announcedBytes, leavesChunksUnread, type BodyReader, type UnreadBody } from "./body-reader.ts";
import { reportMemoryAbuse } from "../limits/connections.ts";
import { callerAddress, networkOf, type Proxies } from "../../core/network-address.ts";
import { readTarget, type Target } from "./target.ts";
import type { OverloadGuard, RequestSlot } from "../limits/overload-guard.ts";

/** A request as received, before any check. */
export interface Arrival {
  readonly requestId: string;
  readonly arrivedAtMs: number;
  readonly method: string;
  readonly target: Target;
  /** Headers: lower-case name → all values, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly headerCount: number;
  /** The caller's address, as the first of the operator's proxies sees it. */
  readonly address: string;
  /** The network of the address: the key of rate limits for unauthenticated clients. */
  readonly network: string;
  /** The announced length of the body; Infinity when it is chunked. */
  readonly announcedBytes: number;
  readonly readBody: (bytesMax: number) => Promise<Buffer | UnreadBody>;
  /** Whether the server leaves the rest of a chunked body unread. */
  readonly leavesChunksUnread: () => boolean;
  /** The request's slot in the concurrency limit. */
  readonly slot: RequestSlot;
}

/**
 * Overall deadline of a response in milliseconds: single timeouts add up to more than callers wait. The operation
 * continues after the deadline, and a retry finds its outcome.
 */
const responseDeadlineMs = 9_000;
const deadlineMessage = `Not done ${responseDeadlineMs} ms after the request arrived.`;

/** Waits for a step of the response until the caller's deadline, then throws. */
export function withinResponseDeadline<Value>(
  { arrivedAtMs }: Arrival,
  work: Promise<Value>,
): Promise<Value> {
  return withTimeout(arrivedAtMs + responseDeadlineMs - performance.now(), work, deadlineMessage);
}

/** Dependencies of reading a request. */
export interface RequestReader {
  readonly bodies: BodyReader;
  readonly proxies: Proxies;
  readonly guard: OverloadGuard;
}

export function arrivalOf(
  { bodies, proxies, guard }: RequestReader,
  message: IncomingMessage,
  url: string,
  requestId: string,
): Arrival {
  const forwarded = message.headers["x-forwarded-for"];
  const connected = message.socket.remoteAddress ?? "";
  const address = callerAddress(connected, forwarded as string | undefined, proxies);
  const network = networkOf(address);
  const slot = guard.register(network);
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
      const body = await slot.idle(bodies.read(message, network, bytesMax));
      if (body === "no room") reportMemoryAbuse(message.socket);
      return body;
    },
    leavesChunksUnread: () => leavesChunksUnread(message),
    slot,
  };
}

/** All headers from the raw list, because Node's own map joins or drops duplicate headers. */
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
