import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply } from "fastify";
import { statusOf } from "../checkout/checkout.ts";
import { checkoutPage, faultPage, missingPage } from "../checkout/page.ts";
import { bucketOf } from "../core/bucket.ts";
import { findPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import { readCheckoutToken } from "../signing/secrets.ts";
import type { KnownClient } from "./client-directory.ts";
import type { Gateway } from "./gateway.ts";
import { serveText } from "./serve-text.ts";

interface ByToken {
  readonly Params: { readonly token: string };
}

/** The page on which a buyer pays. Who holds the link may look; it cannot be guessed. */
export function serveCheckout(app: FastifyInstance, gateway: Gateway): void {
  const style = styleSheets.map(besidePage).join("\n");
  serveText(app, { path: "/checkout/style.css", type: "text/css", text: style, headers });
  const script = besidePage("script.js");
  serveText(app, { path: "/checkout/script.js", type: "text/javascript", text: script, headers });

  const onPageFault = faultAnswer(gateway, (reply) => sendPage(reply, faultPage()));
  app.get<ByToken>("/checkout/:token", { errorHandler: onPageFault }, async (request, reply) => {
    const payment = await paymentOf(gateway, request.params.token);
    if (!payment) return sendPage(reply.code(404), missingPage());
    const merchant = await gateway.clients.find(payment.clientId);
    const { environment } = gateway;
    const now = nowOf(gateway, merchant);
    return sendPage(reply, checkoutPage({ payment, merchantName: merchant?.name ?? "", environment, now }));
  });

  const onStatusFault = faultAnswer(gateway, sendNothing);
  app.get<ByToken>("/checkout/:token/status", { errorHandler: onStatusFault }, async (request, reply) => {
    // A page can ask later; what it waits for needs the time now.
    if (gateway.overloaded()) return sendNothing(reply.code(503));
    const payment = await paymentOf(gateway, request.params.token);
    if (!payment) return sendNothing(reply.code(404));
    const now = nowOf(gateway, await gateway.clients.find(payment.clientId));
    return reply.headers(secretHeaders).send(statusOf({ payment, now }));
  });
}

/** On the merchant's clock. */
function nowOf({ clock }: Gateway, merchant: KnownClient | undefined): Date {
  return new Date(clock.now().getTime() + (merchant?.aheadMs ?? 0));
}

const styleSheets = ["style.css", "style-states.css", "style-wide.css"];

function besidePage(name: string): string {
  return readFileSync(new URL(`../checkout/${name}`, import.meta.url), "utf8");
}

async function paymentOf({ secrets, database }: Gateway, token: string): Promise<Payment | undefined> {
  const named = readCheckoutToken(secrets, token);
  if (!named) return undefined;
  const { clientId, paymentId } = named;
  const payment = await findPayment(
    database.reader([clientId]),
    { bucket: bucketOf(clientId), clientId },
    paymentId,
  );
  await database.confirmed();
  return payment;
}

/** The page needs its own style sheet, script and answers, and nobody else's anything. */
const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Whoever has the address has the page: it is neither kept nor found by a search. */
const secretHeaders = { ...headers, "cache-control": "no-store", "x-robots-tag": "noindex" };

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.headers(secretHeaders).type("text/html; charset=utf-8").send(page);
}

function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.headers(secretHeaders).send({});
}

/** What went wrong is for our log; the buyer is asked for patience. */
function faultAnswer(
  { log }: Gateway,
  send: (reply: FastifyReply) => FastifyReply,
): (error: Error, request: unknown, reply: FastifyReply) => void {
  return (error, _request, reply) => {
    log.error({ err: error }, "The checkout page could not be shown.");
    void send(reply.code(503).header("retry-after", "5"));
  };
}
