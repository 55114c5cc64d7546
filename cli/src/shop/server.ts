import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { SignatureVerificationError } from "../../../clients/typescript/src/errors.ts";
import { notePage, orderPage, shopPage } from "./page.ts";
import { ask, buy, findOrder, hear, refund, type Shop } from "./shop.ts";
import type { Watchers } from "./watchers.ts";

export interface ShopServerOptions {
  readonly shop: Shop;
  readonly watchers: Watchers;
  /** The origin of the gateway's pages, to which an order redirects the buyer. */
  readonly pagesAt: string;
  readonly log: (message: string) => void;
}

interface Exchange extends ShopServerOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The values of the groups in brackets of the route's pattern. */
  readonly parts: readonly string[];
}

type Handler = (exchange: Exchange) => Promise<void> | void;

const bodyBytesMax = 1_024 ** 2;
const besidePage = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), "utf8");
const [style, script] = [besidePage("style.css"), besidePage("script.js")];

/** The shop's HTTP server: pages for buyers, and the webhook address for the gateway. */
export function newShopServer(options: ShopServerOptions): Server {
  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    const exchange = { ...options, request, response, path: request.url ?? "/", parts: [] };
    void answer(exchange).catch((error: unknown) => {
      options.log(`${request.method} ${request.url}: ${String(error)}`);
      if (response.headersSent) return response.destroy();
      return sendNote(exchange, 502, "The request failed", error instanceof Error ? error.message : "");
    });
  });
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, path } = exchange;
  const line = `${request.method === "HEAD" ? "GET" : request.method} ${path.split("?")[0]}`;
  const [form, handle] = routes.find(([each]) => each.test(line)) ?? [];
  if (!form || !handle) return sendMissing(exchange);
  // Protects from cross-site request forgery (CSRF): another site in this browser must not order or refund.
  const site = request.headers["sec-fetch-site"];
  if (request.method === "POST" && site !== undefined && site !== "same-origin")
    return sendNote(exchange, 403, "Request rejected", "Orders can only be made on the shop’s own page.");
  return handle({ ...exchange, parts: (form.exec(line)?.slice(1) ?? []).map(decoded) });
}

const routes: readonly (readonly [RegExp, Handler])[] = [
  [/^GET \/$/, (exchange) => send(exchange, 200, "text/html", shopPage(exchange.shop.book.newest()))],
  [/^GET \/style\.css$/, (exchange) => send(exchange, 200, "text/css", style)],
  [/^GET \/script\.js$/, (exchange) => send(exchange, 200, "text/javascript", script)],
  [/^POST \/orders$/, takeOrder],
  [/^GET \/orders\/([^/]+)$/, showOrder],
  [/^GET \/orders\/([^/]+)\/changes$/, watchOrder],
  [/^POST \/orders\/([^/]+)\/(ask|refund)$/, changeOrder],
  [/^POST \/notifications$/, takeNotification],
];

async function takeOrder(exchange: Exchange): Promise<void> {
  const product = (await formIn(exchange.request)).get("product") ?? "";
  redirect(exchange, await buy(exchange.shop, product));
}

async function showOrder(exchange: Exchange): Promise<void> {
  const {
    shop,
    parts: [id = ""],
  } = exchange;
  const order = await findOrder(shop, id);
  if (!order) return sendMissing(exchange);
  send(exchange, 200, "text/html", orderPage(order, shop.book.stepsOf(id)));
}

function watchOrder({ response, watchers, pagesAt, parts: [id = ""] }: Exchange): void {
  response.writeHead(200, { ...headersFor(pagesAt), "content-type": "text/event-stream" });
  watchers.add(id, response);
}

async function changeOrder(exchange: Exchange): Promise<void> {
  const {
    shop,
    request,
    parts: [id = "", verb],
  } = exchange;
  const form = await formIn(request);
  const order = await findOrder(shop, id);
  if (!order) return sendMissing(exchange);
  await (verb === "ask" ? ask(shop, order) : refund(shop, order, form.get("amount") ?? ""));
  redirect(exchange, `/orders/${encodeURIComponent(id)}`);
}

/** Receives a webhook. The gateway sends the webhook again after any response except the acknowledgement. */
async function takeNotification(exchange: Exchange): Promise<void> {
  const { shop, request, response, path, log } = exchange;
  const body = await bytesIn(request);
  try {
    await hear(shop, { method: request.method, path, headers: request.headers, body });
    send(exchange, 200, "application/json", shop.client.webhooks.ack());
  } catch (error) {
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) log(`A webhook was rejected: ${String(error)}`);
    response.writeHead(isForged ? 401 : 500).end();
  }
}

function send({ response, pagesAt }: Exchange, status: number, type: string, text: string): void {
  response.writeHead(status, { ...headersFor(pagesAt), "content-type": `${type}; charset=utf-8` }).end(text);
}

function redirect({ response, pagesAt }: Exchange, location: string): void {
  response.writeHead(303, { ...headersFor(pagesAt), location }).end();
}

function sendNote(exchange: Exchange, status: number, heading: string, text: string): void {
  send(exchange, status, "text/html", notePage(heading, text));
}

function sendMissing(exchange: Exchange): void {
  sendNote(exchange, 404, "Page not found", "There is no order or page at this address.");
}

/** Browsers apply `form-action` to redirects as well, so it must list the origin of the gateway's pages. */
function headersFor(pagesAt: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; " +
      `form-action 'self' ${new URL(pagesAt).origin}; base-uri 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

async function bytesIn(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) throw new Error("The request body is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function formIn(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams((await bytesIn(request)).toString("utf8"));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
