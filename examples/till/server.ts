import { once, type EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { newRequestId, SignatureVerificationError } from "../../clients/typescript/src/generated/package.ts";
import type { LoggedRequest } from "./request-log.ts";
import { repeatRefund } from "./refund-sale.ts";
import { buyerPage, messagePage, sideBySidePage, stickerPage, thanksPage, tillPage } from "./page.ts";
import { qrImage } from "./qr.ts";
import type { Sale } from "./sale.ts";
import {
  cancelSale,
  chargeCode,
  chargeVisitor,
  checkSale,
  clearScreen,
  closeShift,
  handleWebhook,
  refundSale,
  showOrderCode,
  type Problem,
  type Till,
} from "./till.ts";
import { viewOf } from "./view.ts";

export interface TillServerOptions {
  readonly till: Till;
  /** "change" after any change, "call" for each request. */
  readonly events: EventEmitter;
  /** Public address of the pages behind the stickers. */
  readonly publicUrl: string;
  /** The sandbox provider to show next to the point of sale, if any. */
  readonly walletUrl: string | undefined;
}

interface Exchange extends TillServerOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** Values of the route's parameters. */
  readonly parts: readonly string[];
}

type Handler = (exchange: Exchange) => Promise<void> | void;

const bodyBytesMax = 64 * 1_024;
/** How long a buyer waits for the provider's page. After this time the buyer gets a page that asks them to wait. */
const openTimeoutMs = 20_000;

const readPageFile = (name: string): string =>
  readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8");
const files = {
  style: readPageFile("style.css"),
  tillStyle: readPageFile("till.css"),
  script: readPageFile("script.js"),
  print: readPageFile("print.js"),
};

/** Pages for the cashier, pages for buyers, and the webhook endpoint. */
export function newTillServer(options: TillServerOptions): Server {
  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    const exchange = { ...options, request, response, path: request.url ?? "/", parts: [] };
    void handleRequest(exchange).catch((error: unknown) => {
      options.till.log(`${request.method} ${request.url}: ${String(error)}`);
      if (response.headersSent) return response.destroy();
      return sendMessagePage(
        exchange,
        500,
        "Something went wrong",
        "The log of the point of sale has the reason.",
      );
    });
  });
}

async function handleRequest(exchange: Exchange): Promise<void> {
  const { request, path } = exchange;
  const requestLine = `${request.method === "HEAD" ? "GET" : request.method} ${path.split("?")[0]}`;
  const isPublic = publicRoutes.some(([pattern]) => pattern.test(requestLine));
  // Security: everyone who can open the cashier's pages can refund payments.
  if (!isPublic && !isLocalRequest(request))
    return sendMessagePage(
      exchange,
      403,
      "Not from there",
      "The point of sale is available only on its own machine.",
    );
  const [pattern, handle] = [...publicRoutes, ...routes].find(([each]) => each.test(requestLine)) ?? [];
  if (!pattern || !handle)
    return sendMessagePage(exchange, 404, "Page not found", "There is no page at this address.");
  // Prevents cross-site request forgery (CSRF): a page of another site in this browser must not sell or refund.
  const fetchSite = request.headers["sec-fetch-site"];
  if (request.method === "POST" && fetchSite !== undefined && fetchSite !== "same-origin")
    return sendMessagePage(
      exchange,
      403,
      "Not from there",
      "This action is available only on the page of the point of sale.",
    );
  return handle({ ...exchange, parts: pattern.exec(requestLine)?.slice(1) ?? [] });
}

const publicRoutes: readonly (readonly [RegExp, Handler])[] = [
  [/^GET \/style\.css$/, (exchange) => send(exchange, 200, "text/css", files.style)],
  [/^GET \/t\/([a-z0-9-]{1,24})$/, showBuyerPage],
  [/^POST \/t\/([a-z0-9-]{1,24})$/, chargeBuyer],
  [/^GET \/t\/([a-z0-9-]{1,24})\/([a-z0-9-]{1,64})$/, showThanks],
  [/^POST \/notifications$/, receiveWebhook],
];

const routes: readonly (readonly [RegExp, Handler])[] = [
  [/^GET \/$/, showTill],
  [/^GET \/till\.css$/, (exchange) => send(exchange, 200, "text/css", files.tillStyle)],
  [/^GET \/script\.js$/, (exchange) => send(exchange, 200, "text/javascript", files.script)],
  [/^GET \/print\.js$/, (exchange) => send(exchange, 200, "text/javascript", files.print)],
  [/^GET \/side$/, showSideBySide],
  [/^GET \/stickers\/([a-z0-9-]{1,24})$/, showSticker],
  [/^GET \/stickers\/([a-z0-9-]{1,24})\.svg$/, sendStickerImage],
  [/^GET \/codes\/([\w-]+)\.svg$/, sendCodeImage],
  [/^GET \/changes$/, streamChanges],
  [/^POST \/sales$/, beginSale],
  [/^POST \/sales\/([\w-]+)\/(cancel|check|refund)$/, changeSale],
  [/^POST \/sales\/([\w-]+)\/refunds\/([\w-]+)\/check$/, retryRefund],
  [/^POST \/next$/, (exchange) => sendOutcome(exchange, clearScreen(exchange.till))],
  [/^POST \/shift$/, (exchange) => sendOutcome(exchange, closeShift(exchange.till))],
];

function showTill(exchange: Exchange): void {
  const { till, walletUrl } = exchange;
  const { shop, currency } = till;
  send(exchange, 200, "text/html", tillPage({ shop, currency, hasProvider: walletUrl !== undefined }));
}

function showSideBySide(exchange: Exchange): void {
  const { walletUrl } = exchange;
  if (walletUrl === undefined)
    return sendMessagePage(
      exchange,
      404,
      "There is no provider here",
      "Start the point of sale with --wallet-url.",
    );
  send(exchange, 200, "text/html", sideBySidePage(walletUrl));
}

/** Sends the whole state now and after each change, and each new request in its own event. */
function streamChanges({ till, events, response, ...rest }: Exchange): void {
  response.writeHead(200, { ...headersFor(rest), "content-type": "text/event-stream" });
  const write = (event: string, value: object): void =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
  const sendState = (): void => write("till", viewOf(till));
  const sendRequest = (call: LoggedRequest): void => write("call", call);
  sendState();
  till.requestLog.list().forEach(sendRequest);
  events.on("change", sendState).on("call", sendRequest);
  response.once("close", () => events.off("change", sendState).off("call", sendRequest));
}

async function beginSale(exchange: Exchange): Promise<void> {
  const { till, request } = exchange;
  const { value = "", code } = await readJsonFields(request);
  sendOutcome(exchange, code === undefined ? showOrderCode(till, value) : chargeCode(till, value, code));
}

async function changeSale(exchange: Exchange): Promise<void> {
  const {
    till,
    request,
    parts: [id = "", verb],
  } = exchange;
  const { amount = "" } = await readJsonFields(request);
  const sale = till.saleStore.find(id);
  if (!sale) return sendOutcome(exchange, { problem: "The sale does not exist." });
  if (verb === "check") checkSale(till, id);
  if (verb === "cancel") return sendOutcome(exchange, cancelSale(till, sale));
  return sendOutcome(exchange, verb === "refund" ? refundSale(till, sale, amount) : undefined);
}

function retryRefund(exchange: Exchange): void {
  const {
    till,
    parts: [id = "", refundId],
  } = exchange;
  const sale = till.saleStore.find(id);
  const refund = sale?.refunds.find((each) => each.id === refundId && each.state === "unknown");
  if (sale && refund) repeatRefund(till, sale, refund);
  sendOutcome(exchange, undefined);
}

function sendCodeImage(exchange: Exchange): void {
  const { shown } = exchange.till.saleStore.find(exchange.parts[0] ?? "") ?? {};
  if (shown === undefined)
    return sendMessagePage(exchange, 404, "Page not found", "There is no code with this name.");
  send(exchange, 200, "image/svg+xml", qrImage(shown));
}

function sendStickerImage(exchange: Exchange): void {
  send(exchange, 200, "image/svg+xml", qrImage(`${exchange.publicUrl}/t/${exchange.parts[0]}`));
}

function showSticker(exchange: Exchange): void {
  const { till, publicUrl, parts } = exchange;
  const [place = ""] = parts;
  send(exchange, 200, "text/html", stickerPage(till.shop, place, `${publicUrl}/t/${place}`));
}

function showBuyerPage(exchange: Exchange): void {
  const { till, parts } = exchange;
  const [place = ""] = parts;
  const { shop, currency } = till;
  // The page of a sticker has a new visit id each time it is opened, so that pressing twice pays only once
  // (idempotency).
  send(exchange, 200, "text/html", buyerPage({ shop, currency, place, visit: newRequestId(place) }));
}

async function chargeBuyer(exchange: Exchange): Promise<void> {
  const { till, request, publicUrl, parts } = exchange;
  const [place = ""] = parts;
  const form = new URLSearchParams((await readBody(request)).toString("utf8"));
  const visit = form.get("visit") ?? "";
  if (!/^[a-z0-9-]{1,24}-[0-9a-f]{32}$/.test(visit) || !visit.startsWith(`${place}-`))
    return sendMessagePage(exchange, 400, "Something went wrong", "Scan the sticker again.");
  const thanksUrl = `${publicUrl}/t/${place}/${visit}`;
  const userAgent = (request.headers["user-agent"] ?? "unknown").slice(0, 256);
  const sale = chargeVisitor(till, { visit, place, decimal: form.get("amount") ?? "", userAgent, thanksUrl });
  if ("problem" in sale) {
    const { shop, currency } = till;
    const { problem } = sale;
    return send(exchange, 422, "text/html", buyerPage({ shop, currency, place, visit, problem }));
  }
  redirect(exchange, (await waitForProviderPage(exchange, visit)) ?? thanksUrl);
}

/** Waits until the provider's page for the buyer is known, and returns its address. */
async function waitForProviderPage({ till, events }: Exchange, id: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(openTimeoutMs);
  const isPending = ({ state, shown }: Sale): boolean =>
    shown === undefined && (state === "waiting" || state === "checking");
  for (let sale = till.saleStore.find(id); sale && !signal.aborted; sale = till.saleStore.find(id)) {
    if (!isPending(sale)) return sale.state === "shows" ? sale.shown : undefined;
    await once(events, "change", { signal }).catch(() => undefined);
  }
  return undefined;
}

function showThanks(exchange: Exchange): void {
  const [place = "", visit = ""] = exchange.parts;
  const sale = exchange.till.saleStore.find(visit);
  if (sale?.way !== "entry" || sale.place !== place)
    return sendMessagePage(exchange, 404, "Page not found", "Scan the sticker again.");
  send(exchange, 200, "text/html", thanksPage(exchange.till.shop, sale));
}

/** Receives a webhook. The gateway sends the webhook again if it gets no acknowledgement. */
async function receiveWebhook(exchange: Exchange): Promise<void> {
  const { till, request, response, path } = exchange;
  const body = await readBody(request);
  try {
    await handleWebhook(till, { method: request.method, path, headers: request.headers, body });
    send(exchange, 200, "application/json", till.client.webhooks.ack());
  } catch (error) {
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) till.log(`A webhook was not processed: ${String(error)}`);
    response.writeHead(isForged ? 401 : 500).end();
  }
}

function sendOutcome(exchange: Exchange, problem: Problem | undefined): void {
  exchange.events.emit("change");
  send(exchange, problem ? 409 : 200, "application/json", JSON.stringify(problem ?? {}));
}

function send(exchange: Exchange, status: number, type: string, text: string): void {
  const headers = { ...headersFor(exchange), "content-type": `${type}; charset=utf-8` };
  exchange.response.writeHead(status, headers).end(text);
}

function redirect(exchange: Exchange, location: string): void {
  exchange.response.writeHead(303, { ...headersFor(exchange), location }).end();
}

function sendMessagePage(exchange: Exchange, status: number, heading: string, text: string): void {
  send(exchange, status, "text/html", messagePage(heading, text));
}

/** Browsers apply `form-action` to redirects, too, so the provider's pages are listed. */
function headersFor({ walletUrl }: Pick<Exchange, "walletUrl">): Readonly<Record<string, string>> {
  const wallet = walletUrl === undefined ? "https:" : new URL(walletUrl).origin;
  return {
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      `form-action 'self' ${wallet}; frame-src 'self' ${wallet}; base-uri 'none'; frame-ancestors 'self'`,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

/**
 * Rejects requests from the network, and requests to a foreign host name that resolves to this machine (DNS rebinding).
 */
function isLocalRequest({ socket, headers: { host = "" } }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? "";
  return (
    /^(?:::1|(?:::ffff:)?127\.)/.test(address) && /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) throw new Error("The request body is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The text fields of a JSON object. */
async function readJsonFields(
  request: IncomingMessage,
): Promise<Readonly<Record<string, string | undefined>>> {
  const value: unknown = JSON.parse((await readBody(request)).toString("utf8") || "{}");
  const entries = Object.entries(value ?? {}).filter(([, each]) => typeof each === "string");
  return Object.fromEntries(entries);
}
