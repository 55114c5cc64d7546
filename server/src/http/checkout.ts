import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { statusOf } from "../checkout/checkout.ts";
import { checkoutPage, faultPage, missingPage } from "../checkout/page.ts";
import { bucketOf } from "../core/bucket.ts";
import { runJob } from "../jobs/run-job.ts";
import { chooseMethod } from "../sessions/choose-method.tx.ts";
import { listOptions, type PaymentOption } from "../payments/payment-option.ts";
import { findPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import { sessionOf } from "../sessions/session.sql.ts";
import { canChoose } from "../sessions/session.ts";
import { committed } from "../postgres/database.ts";
import { readCheckoutToken } from "../signing/secrets.ts";
import type { KnownClient } from "../merchants/client-directory.ts";
import { hasProven } from "./connections.ts";
import type { Gateway } from "./gateway.ts";
import { serveText } from "./serve-text.ts";

interface ByToken {
  readonly Params: { readonly token: string };
}

/**
 * The page on which a buyer pays. The link is a bearer token: it cannot be guessed, and its holder may look.
 */
export function serveCheckout(app: FastifyInstance, gateway: Gateway): void {
  const style = styleSheets.map(besidePage).join("\n");
  const { overloaded } = gateway.guard;
  serveText(app, { path: "/checkout/style.css", type: "text/css", text: style, headers, overloaded });
  const script = besidePage("script.js");
  serveText(app, { path: "/checkout/script.js", type: "text/javascript", text: script, headers, overloaded });

  const onPageFault = faultAnswer(gateway, (reply) => sendPage(reply, faultPage()));
  const find = paymentFinder(gateway);
  const paymentOf = async ({ params, raw }: FastifyRequest<ByToken>): ReturnType<typeof find> => {
    const payment = await find(params.token);
    if (payment) hasProven(raw.socket);
    return payment;
  };
  app.get<ByToken>("/checkout/:token", { errorHandler: onPageFault }, async (request, reply) => {
    const payment = await paymentOf(request);
    if (payment === "later") return sendLater(reply);
    if (!payment) return sendPage(reply.code(404), missingPage());
    const merchant = await gateway.clients.find(payment.clientId);
    const { environment } = gateway;
    const now = nowOf(gateway, merchant);
    const { name: merchantName = "", linkSchemes = [] } = merchant ?? {};
    const shown = { payment, merchantName, linkSchemes, environment, now };
    if (!canChoose(payment, now)) return sendPage(reply, checkoutPage(shown));
    const options = await optionsOf(gateway, payment);
    return sendPage(reply, checkoutPage({ ...shown, options }), choosingHeaders);
  });

  app.post<ByToken>("/checkout/:token", { errorHandler: onPageFault }, async (request, reply) => {
    if (overloaded()) return sendLater(reply);
    const payment = await paymentOf(request);
    if (payment === "later") return sendLater(reply);
    if (!payment) return sendPage(reply.code(404), missingPage());
    const body = await gateway.bodies.read(request.raw, payment.paymentId, formBytesMax);
    const form = Buffer.isBuffer(body) ? body.toString("utf8") : "";
    const wanted = new URLSearchParams(form).get("paymentMethodType") ?? "";
    await choose(gateway, payment, wanted);
    // Post/redirect/get: the page shows the outcome, and reloading it does not submit the form again.
    return reply.headers(secretHeaders).redirect(`/checkout/${request.params.token}`, 303);
  });

  const onStatusFault = faultAnswer(gateway, sendNothing);
  app.get<ByToken>("/checkout/:token/status", { errorHandler: onStatusFault }, async (request, reply) => {
    // Load shedding: the page polls again later; payments need the time now.
    if (overloaded()) return sendNothing(reply.code(503));
    const payment = await paymentOf(request);
    if (payment === "later") return sendNothing(reply.code(503));
    if (!payment) return sendNothing(reply.code(404));
    const now = nowOf(gateway, await gateway.clients.find(payment.clientId));
    return reply.headers(secretHeaders).send(statusOf({ payment, now }));
  });
}

const formBytesMax = 4 * 1024;

/** The payment methods that can be chosen now. */
async function optionsOf(
  { connectors, database, environment }: Gateway,
  payment: Payment,
): Promise<readonly PaymentOption[]> {
  const { clientId, captureMode, amount } = payment;
  const session = await sessionOf(database.reader([clientId]), payment, payment);
  const { types, regions, userRegion } = session ?? {};
  const directory = { ...connectors, environment, connectorFor: connectors.nameFor };
  const isHeld = captureMode === "MANUAL";
  return listOptions(directory, { currency: amount?.currency ?? "", isHeld, types, regions, userRegion });
}

/** Claims, and starts the same job that `pay` starts. Nobody waits for the wallet: the page polls. */
async function choose(gateway: Gateway, payment: Payment, paymentMethodType: string): Promise<void> {
  const { database, runner, environment, clients } = gateway;
  const { clientId, paymentId } = payment;
  const options = await optionsOf(gateway, payment);
  const option = options.find((each) => each.paymentMethodType === paymentMethodType);
  if (!option?.connector || option.disableReason) return;
  const chosen = { paymentId, paymentMethodType, connector: option.connector };
  const now = nowOf(gateway, await clients.find(clientId));
  const leasedSinceMs = runner.monotonicMs();
  runner.at("before-claim");
  const done = await database.transaction([clientId], (tx) =>
    chooseMethod(tx, payment, chosen, { environment, now }),
  );
  // When the outcome of the commit is unknown, a worker finds the job, or the buyer chooses again.
  const leased = committed(done);
  runner.at("after-claim-commit");
  if (leased) void runJob(runner, leased, leasedSinceMs);
}

/** On the merchant's clock. */
function nowOf({ clock }: Gateway, merchant: KnownClient | undefined): Date {
  return new Date(clock.now().getTime() + (merchant?.aheadMs ?? 0));
}

const styleSheets = ["style.css", "style-states.css", "style-wide.css"];

function besidePage(name: string): string {
  return readFileSync(new URL(`../checkout/${name}`, import.meta.url), "utf8");
}

/** Rate limit of one link: a page that polls, on a few screens. */
export const linkRate = { ratePerSecond: 20, burst: 40 };
/** Concurrency limit of page look-ups. Above it a page gets a 503 and retries by itself. */
const pagesAtOnceMax = 100;

/**
 * Applies the limits of the link and of the process. There is none by address: a whole mall may share one.
 */
function paymentFinder({
  secrets,
  database,
  linkLimiter,
  runner,
}: Gateway): (token: string) => Promise<Payment | undefined | "later"> {
  let atOnce = 0;
  return async (token) => {
    const named = readCheckoutToken(secrets, token);
    if (!named) return undefined;
    const { clientId, paymentId } = named;
    if (linkLimiter.take(paymentId, linkRate) > 0 || atOnce >= pagesAtOnceMax) return "later";
    atOnce += 1;
    try {
      const owner = { bucket: bucketOf(clientId), clientId };
      const payment = await findPayment(database.reader([clientId]), owner, paymentId);
      await database.confirmed();
      return (await runner.isClosed(clientId)) ? undefined : payment;
    } finally {
      atOnce -= 1;
    }
  };
}

/**
 * Content security policy: the page loads its own style sheet, script and status, and nothing from elsewhere.
 */
const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The address is a secret: the page is neither cached nor indexed by search engines. */
const secretHeaders = { ...headers, "cache-control": "no-store", "x-robots-tag": "noindex" };

/** Only a page with a choice has a form to send. */
const choosingHeaders = {
  ...secretHeaders,
  "content-security-policy": headers["content-security-policy"].replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
};

function sendPage(reply: FastifyReply, page: string, sent = secretHeaders): FastifyReply {
  return reply.headers(sent).type("text/html; charset=utf-8").send(page);
}

function sendLater(reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(503).header("retry-after", "5"), faultPage());
}

function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.headers(secretHeaders).send({});
}

/** The error goes to our log; the buyer is asked to wait. */
function faultAnswer(
  { log }: Gateway,
  send: (reply: FastifyReply) => FastifyReply,
): (error: Error, request: unknown, reply: FastifyReply) => void {
  return (error, _request, reply) => {
    log.error({ err: error }, "The checkout page could not be shown.");
    void send(reply.code(503).header("retry-after", "5"));
  };
}
