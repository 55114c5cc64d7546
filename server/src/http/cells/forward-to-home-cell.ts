import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Directory } from "../../cells/directory.ts";
import type { HomeCache } from "../../cells/home-cache.ts";
import { acceptedLanguages, selectLanguage } from "../../checkout/language.ts";
import { faultPage } from "../../checkout/checkout-page.ts";
import { parseId } from "../../core/id.ts";
import { refuse } from "../../core/result.ts";
import { isWellFormedClientId } from "../../merchants/client.ts";
import { consoleResults } from "../../people/console-result.ts";
import { rejectRequest } from "../merchant-api/answer-arrival.ts";
import { arrivalOf } from "../merchant-api/arrival.ts";
import { secretPageHeaders } from "../pages/checkout-response.ts";
import type { Gateway } from "../merchant-api/gateway.ts";
import { callerAddress } from "../../core/network-address.ts";
import type { PeerCells } from "./peer-cells.ts";
import { isOperationTarget, readTarget } from "../merchant-api/target.ts";

/** A cell's view of the fleet: home cells of clients, the other cells, and the directory. */
export interface Fleet {
  readonly homes: HomeCache;
  readonly peers: PeerCells;
  readonly directory: () => Directory | undefined;
  /** Origins of the portal and the operator console: their pages may read a "retry later" response (CORS). */
  readonly pageOrigins: readonly string[];
}

/** The kinds of address that name a client. */
type TargetKind = "operation" | "checkout" | "callback" | "console";

/**
 * Forwards requests of a client whose home is another cell to that cell, before any other check. The home cell then
 * runs the usual request validation. An installation with a single cell has no fleet and no such hook.
 */
export function forwardToHomeCell(
  app: FastifyInstance,
  gateway: Gateway,
  { homes, peers, directory, pageOrigins }: Fleet,
): void {
  app.addHook("onRequest", async (request, reply) => {
    const targetClient = findTargetClient(request);
    if (!targetClient) return;
    const path = readTarget(request.originalUrl).signedPath;
    const isForwarded = peers.isForwarded(request.raw, path);
    const routing = await homes
      .routeRequest(targetClient.clientId, isForwarded)
      .catch(() => "later" as const);
    // The usual request validation rejects unknown clients. Only the cell that owns the client's bucket returns
    // `unknown-client`.
    if (routing === "serve" || routing === "unknown-client") return;
    const url = routing === "later" ? undefined : directory()?.cells.get(routing.forward)?.url;
    reply.hijack();
    const { remoteAddress = "" } = request.raw.socket;
    const forwardedFor = request.headers["x-forwarded-for"] as string | undefined;
    const address = callerAddress(remoteAddress, forwardedFor, gateway.proxies);
    const isAnswered =
      url !== undefined && (await peers.forward({ url, path, address }, request.raw, reply.raw));
    gateway.meter.add("forwarded", [targetClient.kind, isAnswered ? "answered" : "later"]);
    if (isAnswered) return;
    if (targetClient.kind === "console") sendRetryLaterToPerson(pageOrigins, request, reply);
    else await sendRetryLater(gateway, targetClient.kind, request, reply);
  });
}

function findTargetClient(
  request: FastifyRequest,
): { readonly kind: TargetKind; readonly clientId: string } | undefined {
  const url = request.originalUrl;
  if (isOperationTarget(url)) {
    // Node joins duplicate headers with a comma. The result is no client id, and the request validation rejects it.
    const clientId = String(request.headers["client-id"] ?? "");
    return isWellFormedClientId(clientId) ? { kind: "operation", clientId } : undefined;
  }
  const [, area, secondPart = "", thirdPart, fourthPart = ""] = readTarget(url).path.split("/");
  if (area === "console") {
    // A CORS preflight has no client id, so any cell answers it.
    const clientId = String(request.headers["client-id"] ?? "");
    return isWellFormedClientId(clientId) ? { kind: "console", clientId } : undefined;
  }
  if (area === "checkout") {
    const [clientId = "", paymentId = ""] = secondPart.split(".");
    return isWellFormedClientId(clientId) && parseId(paymentId) ? { kind: "checkout", clientId } : undefined;
  }
  if (area !== "providers" || thirdPart !== "callbacks") return undefined;
  return isWellFormedClientId(fourthPart) ? { kind: "callback", clientId: fourthPart } : undefined;
}

/** Sends a "retry later" result in the console's format; the portal shows it with a retry button. */
function sendRetryLaterToPerson(
  origins: readonly string[],
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, message, advice } = consoleResults.UNKNOWN_EXCEPTION;
  const result = {
    resultCode: "UNKNOWN_EXCEPTION",
    resultStatus: status,
    resultMessage: message,
    resultHint: advice,
  };
  const body = JSON.stringify({ result });
  const { origin } = headers;
  reply.raw
    .writeHead(200, {
      vary: "origin",
      ...(origin !== undefined && origins.includes(origin) && { "access-control-allow-origin": origin }),
      "access-control-expose-headers": "request-id, retry-after",
      "retry-after": "1",
      "cache-control": "no-store",
      "content-type": "application/json; charset=UTF-8",
      "content-length": Buffer.byteLength(body),
    })
    .end(body);
}

/** Sends a "retry later" response. No data has changed, so the caller, the checkout page or the provider can retry. */
async function sendRetryLater(
  gateway: Gateway,
  kind: Exclude<TargetKind, "console">,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const response = reply.raw;
  if (kind === "callback") {
    response.writeHead(503, { "retry-after": "1", "content-length": "0" }).end();
    return;
  }
  if (kind === "checkout") {
    const page = Buffer.from(
      faultPage(selectLanguage(acceptedLanguages(request.headers["accept-language"]))),
    );
    const type = { "content-type": "text/html; charset=utf-8", "content-length": page.length };
    response.writeHead(503, { ...secretPageHeaders, ...type, "retry-after": "2" }).end(page);
    return;
  }
  const arrival = arrivalOf(gateway, request.raw, request.originalUrl, `req_${randomUUID()}`);
  try {
    const rejection = { ...refuse("UNKNOWN_EXCEPTION"), retryAfterSeconds: 1 };
    const { headers, body } = await rejectRequest(gateway, arrival, rejection);
    const type = { "content-type": "application/json; charset=UTF-8", "content-length": body.length };
    response.writeHead(200, { ...headers, "request-id": arrival.requestId, ...type }).end(body);
  } finally {
    arrival.slot.release();
  }
}
