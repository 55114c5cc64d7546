import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Directory } from "../cells/directory.ts";
import type { HomeBook } from "../cells/home-book.ts";
import { acceptedLanguages, languageOf } from "../checkout/language.ts";
import { faultPage } from "../checkout/page.ts";
import { addressOf } from "../core/id.ts";
import { refuse } from "../core/result.ts";
import { isWellFormedClientId } from "../merchants/client.ts";
import { consoleResults } from "../people/console-result.ts";
import { turnAway } from "./answer-arrival.ts";
import { arrivalOf } from "./arrival.ts";
import { secretHeaders } from "./checkout-answer.ts";
import type { Gateway } from "./gateway.ts";
import { callerAddress } from "./network-address.ts";
import type { PeerCells } from "./peer-cells.ts";
import { isOperationTarget, readTarget } from "./target.ts";

/** A cell among others: who lives where, and the way there. */
export interface Fleet {
  readonly homes: HomeBook;
  readonly peers: PeerCells;
  readonly directory: () => Directory | undefined;
  /** Where pages of the portal and the console come from: their browsers may read that nobody knows. */
  readonly pageOrigins: readonly string[];
}

/** The kinds of address that name a client. */
type Kind = "operation" | "checkout" | "callback" | "console";

/**
 * Leads calls in the name of a client that lives elsewhere to its home, before anything else is looked at: there the same
 * front door checks them. All that is decided here is who answers; a lone installation has no fleet, and no such hook.
 */
export function leadElsewhere(
  app: FastifyInstance,
  gateway: Gateway,
  { homes, peers, directory, pageOrigins }: Fleet,
): void {
  app.addHook("onRequest", async (request, reply) => {
    const named = clientNamedBy(request);
    if (!named) return;
    const path = readTarget(request.originalUrl).signedPath;
    const isForwarded = peers.isForwarded(request.raw, path);
    const answerer = await homes.whoAnswers(named.clientId, isForwarded).catch(() => "later" as const);
    // "Nobody" is for the front door to say, in its order, and only the owner of the bucket comes that far.
    if (answerer === "serve" || answerer === "nobody") return;
    const url = answerer === "later" ? undefined : directory()?.cells.get(answerer.forward)?.url;
    reply.hijack();
    const { remoteAddress = "" } = request.raw.socket;
    const through = request.headers["x-forwarded-for"] as string | undefined;
    const address = callerAddress(remoteAddress, through, gateway.proxies);
    const isPassed =
      url !== undefined && (await peers.forward({ url, path, address }, request.raw, reply.raw));
    gateway.meter.add("forwarded", [named.kind, isPassed ? "answered" : "later"]);
    if (isPassed) return;
    if (named.kind === "console") sayLaterToPerson(pageOrigins, request, reply);
    else await sayLater(gateway, named.kind, request, reply);
  });
}

function clientNamedBy(
  request: FastifyRequest,
): { readonly kind: Kind; readonly clientId: string } | undefined {
  const url = request.originalUrl;
  if (isOperationTarget(url)) {
    // Two of them come joined, and are no client id: the front door says so.
    const clientId = String(request.headers["client-id"] ?? "");
    return isWellFormedClientId(clientId) ? { kind: "operation", clientId } : undefined;
  }
  const [, place, first = "", middle, fourth = ""] = readTarget(url).path.split("/");
  if (place === "console") {
    // A browser's question whether it may ask names nobody, and is answered by any cell.
    const clientId = String(request.headers["client-id"] ?? "");
    return isWellFormedClientId(clientId) ? { kind: "console", clientId } : undefined;
  }
  if (place === "checkout") {
    const [clientId = "", paymentId = ""] = first.split(".");
    return isWellFormedClientId(clientId) && addressOf(paymentId)
      ? { kind: "checkout", clientId }
      : undefined;
  }
  if (place !== "wallets" || middle !== "callbacks") return undefined;
  return isWellFormedClientId(fourth) ? { kind: "callback", clientId: fourth } : undefined;
}

/** The portal shows this as it shows that a view has failed, with a button to try again. */
function sayLaterToPerson(
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

/** Nothing has happened, and it may be asked again: the same call, the page by itself, the wallet by its own schedule. */
async function sayLater(
  gateway: Gateway,
  kind: Exclude<Kind, "console">,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const response = reply.raw;
  if (kind === "callback") {
    response.writeHead(503, { "retry-after": "1", "content-length": "0" }).end();
    return;
  }
  if (kind === "checkout") {
    const page = Buffer.from(faultPage(languageOf(acceptedLanguages(request.headers["accept-language"]))));
    const type = { "content-type": "text/html; charset=utf-8", "content-length": page.length };
    response.writeHead(503, { ...secretHeaders, ...type, "retry-after": "2" }).end(page);
    return;
  }
  const arrival = arrivalOf(gateway, request.raw, request.originalUrl, `req_${randomUUID()}`);
  try {
    const away = { ...refuse("UNKNOWN_EXCEPTION"), retryAfterSeconds: 1 };
    const { headers, body } = await turnAway(gateway, arrival, away);
    const type = { "content-type": "application/json; charset=UTF-8", "content-length": body.length };
    response.writeHead(200, { ...headers, "request-id": arrival.requestId, ...type }).end(body);
  } finally {
    arrival.visit.leave();
  }
}
