import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { statusOf } from "../../checkout/checkout.ts";
import { findLogo } from "../../merchants/brand.sql.ts";
import { isSettled, type Payment } from "../../payments/payment.ts";
import {
  newFaultResponder,
  checkoutHeaders,
  merchantNow,
  secretPageHeaders,
  sendEmpty,
  type CheckoutRoute,
} from "./checkout-response.ts";
import { reserveForStream } from "../limits/connections.ts";
import type { Gateway } from "../merchant-api/gateway.ts";
import { serveText } from "./serve-text.ts";

export type FindPayment = (request: FastifyRequest<CheckoutRoute>) => Promise<Payment | undefined | "later">;

/**
 * Serves the requests of an open checkout page: style sheets, script, payment status, and the event stream of changes.
 */
export function serveCheckoutStatus(app: FastifyInstance, gateway: Gateway, paymentOf: FindPayment): void {
  serveCheckoutAssets(app, gateway, paymentOf);
  const { isOverloaded } = gateway.guard;
  const onFault = newFaultResponder(gateway, sendEmpty);
  app.get<CheckoutRoute>("/checkout/:token/status", { errorHandler: onFault }, async (request, reply) => {
    // Load shedding: the page polls again later, because payments need the time now.
    if (isOverloaded()) return sendEmpty(reply.code(503));
    const payment = await paymentOf(request);
    if (payment === "later") return sendEmpty(reply.code(503));
    if (!payment) return sendEmpty(reply.code(404));
    const now = merchantNow(gateway, await gateway.clients.find(payment.clientId));
    return reply.headers(secretPageHeaders).send(statusOf({ payment, now }));
  });

  app.get<CheckoutRoute>("/checkout/:token/changes", { errorHandler: onFault }, async (request, reply) => {
    const payment = isOverloaded() ? "later" : await paymentOf(request);
    if (payment === undefined) return sendEmpty(reply.code(404));
    // After a 204 a browser does not reconnect an event stream, and the page polls instead.
    if (payment === "later" || isSettled(payment) || !beginStream(request.raw, reply, payment))
      return reply.headers(secretPageHeaders).code(204).send();
    return reply;
  });

  /** Begins an event stream; returns false if this process has reached its limit of streams. */
  function beginStream({ socket }: IncomingMessage, reply: FastifyReply, payment: Payment): boolean {
    if (!gateway.openPages.join(payment, reply.raw)) return false;
    reply.hijack();
    // Another request that is pipelined on the connection would wait until the stream ends, so a stream needs its own
    // connection.
    if (!reserveForStream(socket)) return true;
    reply.raw.writeHead(200, { ...secretPageHeaders, ...streamHeaders });
    reply.raw.write("retry: 2000\n\n");
    return true;
  }
}

function serveCheckoutAssets(app: FastifyInstance, gateway: Gateway, paymentOf: FindPayment): void {
  const { isOverloaded } = gateway.guard;
  const style = styleSheets.map(readCheckoutAsset).join("\n");
  serveText(app, {
    path: "/checkout/style.css",
    type: "text/css",
    text: style,
    headers: checkoutHeaders,
    isOverloaded,
  });
  const script = readCheckoutAsset("script.js");
  serveText(app, {
    path: "/checkout/script.js",
    type: "text/javascript",
    text: script,
    headers: checkoutHeaders,
    isOverloaded,
  });

  const onFault = newFaultResponder(gateway, sendEmpty);
  app.get<CheckoutRoute>("/checkout/:token/logo", { errorHandler: onFault }, async (request, reply) => {
    const payment = isOverloaded() ? "later" : await paymentOf(request);
    const logo =
      typeof payment === "object"
        ? await findLogo(gateway.database.reader([payment.clientId]), payment)
        : undefined;
    if (!logo) return sendEmpty(reply.code(404));
    return reply.headers(secretPageHeaders).type(logo.type).send(logo.bytes);
  });

  // The content security policy forbids inline styles, so a merchant's colour is a style sheet of its own.
  app.get<{ Params: { readonly colour: string } }>(
    "/checkout/colour-:colour(^[0-9a-f]{6}$).css",
    async ({ params: { colour } }, reply) =>
      reply
        .headers({ ...checkoutHeaders, "cache-control": "public, max-age=31536000, immutable" })
        .type("text/css")
        .send(colourSheet(`#${colour}`)),
  );
}

/** `connection: close` means that no other request is answered on this connection. */
const streamHeaders = {
  "content-type": "text/event-stream",
  "x-accel-buffering": "no",
  connection: "close",
};

/**
 * The style sheet for a merchant's colour. Dark pages keep their accents; only their buttons, whose text is white, have
 * the merchant's colour.
 */
function colourSheet(colour: string): string {
  return `:root { --button: ${colour}; --button-strong: color-mix(in srgb, ${colour} 82%, black) }
@media (prefers-color-scheme: light) { :root { --accent: ${colour} } }
`;
}

const styleSheets = ["style.css", "style-states.css", "style-wide.css"];

function readCheckoutAsset(name: string): string {
  return readFileSync(new URL(`../../checkout/${name}`, import.meta.url), "utf8");
}
