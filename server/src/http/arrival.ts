import type { IncomingMessage } from "node:http";
import { readTarget, type Target } from "./target.ts";

/** A request as it came in, before anything about it is believed. */
export interface Arrival {
  readonly requestId: string;
  readonly arrivedAtMs: number;
  readonly method: string;
  readonly target: Target;
  /** Lower-case name → every value, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly headerCount: number;
  /** The network address of whoever sent it. */
  readonly address: string;
  /** Reads the body, or undefined when it is longer than allowed. */
  readonly readBody: (bytesMax: number) => Promise<Buffer | undefined>;
}

export function arrivalOf(
  message: IncomingMessage,
  url: string,
  requestId: string,
  arrivedAtMs: number,
): Arrival {
  return {
    requestId,
    arrivedAtMs,
    method: message.method ?? "",
    target: readTarget(url),
    headers: headersOf(message.rawHeaders),
    headerCount: message.rawHeaders.length / 2,
    address: message.socket.remoteAddress ?? "",
    readBody: (bytesMax) => readBody(message, bytesMax),
  };
}

/** From the raw list, because Node's own map joins or drops what stands twice. */
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

function readBody(message: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  if (Number(message.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error("The caller went away in the middle of its request."));
    // Who went before anybody listened does not go again.
    if (message.destroyed) gone();
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else resolve(undefined);
    });
    message.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    message.on("error", reject);
    // Every request closes in the end, and an error costs more than reading the body did.
    message.on("close", () => void (message.complete || gone()));
  });
}
