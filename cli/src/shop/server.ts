import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { SignatureVerificationError } from "../../../clients/typescript/src/errors.ts";
import { notePage, orderPage, shopPage } from "./page.ts";
import { queryStatus, createOrder, findOrder, receiveWebhook, refund, type Shop } from "./shop.ts";
import type { Watchers } from "./watchers.ts";

export interface ShopServerOptions {
  readonly shop: Shop;
  readonly watchers: Watchers;
  /** The origin of the gateway's pages, to which an order redirects the buyer. */
  readonly gatewayPageOrigin: string;
  readonly log: (message: string) => void;
}

interface ShopRequest extends ShopServerOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The values of the groups in brackets of the route's pattern. */
  readonly parts: readonly string[];
}

type Handler = (shopRequest: ShopRequest) => Promise<void> | void;

const bodyBytesMax = 1_024 ** 2;
const readAsset = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), "utf8");
const [style, script] = [readAsset("style.css"), readAsset("script.js")];

/** The shop's HTTP server: pages for buyers, and the webhook address for the gateway. */
export function createShopServer(options: ShopServerOptions): Server {
  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    const shopRequest = { ...options, request, response, path: request.url ?? "/", parts: [] };
    void answer(shopRequest).catch((error: unknown) => {
      options.log(`${request.method} ${request.url}: ${String(error)}`);
      if (response.headersSent) return response.destroy();
      return sendNote(shopRequest, 502, "The request failed", error instanceof Error ? error.message : "");
    });
  });
}

async function answer(shopRequest: ShopRequest): Promise<void> {
  const { request, path } = shopRequest;
  const line = `${request.method === "HEAD" ? "GET" : request.method} ${path.split("?")[0]}`;
  const [pattern, handle] = routes.find(([each]) => each.test(line)) ?? [];
  if (!pattern || !handle) return sendMissing(shopRequest);
  // Protects from cross-site request forgery (CSRF): another site in this browser must not order or refund.
  const site = request.headers["sec-fetch-site"];
  if (request.method === "POST" && site !== undefined && site !== "same-origin")
    return sendNote(shopRequest, 403, "Request rejected", "Orders can only be made on the shop’s own page.");
  return handle({ ...shopRequest, parts: (pattern.exec(line)?.slice(1) ?? []).map(decodePart) });
}

const routes: readonly (readonly [RegExp, Handler])[] = [
  [
    /^GET \/$/,
    (shopRequest) => send(shopRequest, 200, "text/html", shopPage(shopRequest.shop.orderStore.newest())),
  ],
  [/^GET \/style\.css$/, (shopRequest) => send(shopRequest, 200, "text/css", style)],
  [/^GET \/script\.js$/, (shopRequest) => send(shopRequest, 200, "text/javascript", script)],
  [/^POST \/orders$/, postOrder],
  [/^GET \/orders\/([^/]+)$/, showOrder],
  [/^GET \/orders\/([^/]+)\/changes$/, watchOrder],
  [/^POST \/orders\/([^/]+)\/(ask|refund)$/, changeOrder],
  [/^POST \/notifications$/, receiveNotification],
];

async function postOrder(shopRequest: ShopRequest): Promise<void> {
  const product = (await readForm(shopRequest.request)).get("product") ?? "";
  redirect(shopRequest, await createOrder(shopRequest.shop, product));
}

async function showOrder(shopRequest: ShopRequest): Promise<void> {
  const {
    shop,
    parts: [id = ""],
  } = shopRequest;
  const order = await findOrder(shop, id);
  if (!order) return sendMissing(shopRequest);
  send(shopRequest, 200, "text/html", orderPage(order, shop.orderStore.listSteps(id)));
}

function watchOrder({ response, watchers, gatewayPageOrigin, parts: [id = ""] }: ShopRequest): void {
  response.writeHead(200, { ...headersFor(gatewayPageOrigin), "content-type": "text/event-stream" });
  watchers.add(id, response);
}

async function changeOrder(shopRequest: ShopRequest): Promise<void> {
  const {
    shop,
    request,
    parts: [id = "", verb],
  } = shopRequest;
  const form = await readForm(request);
  const order = await findOrder(shop, id);
  if (!order) return sendMissing(shopRequest);
  await (verb === "ask" ? queryStatus(shop, order) : refund(shop, order, form.get("amount") ?? ""));
  redirect(shopRequest, `/orders/${encodeURIComponent(id)}`);
}

/** Receives a webhook. The gateway sends the webhook again after any response except the acknowledgement. */
async function receiveNotification(shopRequest: ShopRequest): Promise<void> {
  const { shop, request, response, path, log } = shopRequest;
  const body = await readBytes(request);
  try {
    await receiveWebhook(shop, { method: request.method, path, headers: request.headers, body });
    send(shopRequest, 200, "application/json", shop.client.webhooks.ack());
  } catch (error) {
    const isSignatureInvalid = error instanceof SignatureVerificationError;
    if (!isSignatureInvalid) log(`A webhook was rejected: ${String(error)}`);
    response.writeHead(isSignatureInvalid ? 401 : 500).end();
  }
}

function send(
  { response, gatewayPageOrigin }: ShopRequest,
  status: number,
  type: string,
  text: string,
): void {
  response
    .writeHead(status, { ...headersFor(gatewayPageOrigin), "content-type": `${type}; charset=utf-8` })
    .end(text);
}

function redirect({ response, gatewayPageOrigin }: ShopRequest, location: string): void {
  response.writeHead(303, { ...headersFor(gatewayPageOrigin), location }).end();
}

function sendNote(shopRequest: ShopRequest, status: number, heading: string, text: string): void {
  send(shopRequest, status, "text/html", notePage(heading, text));
}

function sendMissing(shopRequest: ShopRequest): void {
  sendNote(shopRequest, 404, "Page not found", "There is no order or page at this address.");
}

/** Browsers apply `form-action` to redirects as well, so it must list the origin of the gateway's pages. */
function headersFor(gatewayPageOrigin: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; " +
      `form-action 'self' ${new URL(gatewayPageOrigin).origin}; base-uri 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) throw new Error("The request body is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams((await readBytes(request)).toString("utf8"));
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
