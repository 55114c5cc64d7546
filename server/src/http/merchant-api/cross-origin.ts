import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gateway } from "./gateway.ts";

/**
 * CORS for operations. In the sandbox the portal's pages may call them from a browser, signed with a key that the
 * browser stores. CORS does not authenticate a request: the signature does. CORS only lets the page read the response.
 * Other callers, and live, get no CORS headers: published libraries search all headers for the words `signature` and
 * `response-time`, and none of them sends an `Origin` header.
 */
export function answerPreflight(
  { pageOrigins }: Pick<Gateway, "pageOrigins">,
  { method, headers: { origin } }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (origin === undefined || !pageOrigins.includes(origin)) return false;
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-origin", origin);
  if (method !== "OPTIONS") {
    response.setHeader("access-control-expose-headers", "request-id, response-time, retry-after, signature");
    return false;
  }
  response.writeHead(204, {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "client-id, content-type, request-time, signature",
    "access-control-max-age": "600",
  });
  response.end();
  return true;
}
