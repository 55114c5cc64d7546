import type { IncomingMessage, ServerResponse } from "node:http";

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const bodyBytesMax = 64 * 1024;

/** Reads the whole body of a request; returns undefined if the body is too long. */
export async function readBody(
  request: IncomingMessage,
  bytesMax = bodyBytesMax,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bytesMax) chunks.push(chunk);
  }
  return length > bytesMax ? undefined : Buffer.concat(chunks);
}

/** Parses a JSON object. Returns an empty object for an empty body, and undefined for anything else. */
export function readObject(bytes: Buffer | undefined): Readonly<Record<string, unknown>> | undefined {
  if (!bytes) return undefined;
  if (bytes.length === 0) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

export function sendCsv(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/csv; charset=UTF-8", "cache-control": "no-store" });
  response.end(text);
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=UTF-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify(body));
}
