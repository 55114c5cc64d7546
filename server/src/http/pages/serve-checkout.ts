import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameUrlOf, type PageBrand } from "../../checkout/checkout.ts";
import { acceptedLanguages, selectLanguage, regionOf, type Language } from "../../checkout/language.ts";
import { checkoutPage, faultPage, missingPage } from "../../checkout/checkout-page.ts";
import { bucketOf } from "../../core/bucket.ts";
import { runJob } from "../../jobs/run-job.ts";
import type { LeasedJob } from "../../contract/job.ts";
import { changeMethod } from "../../sessions/change-method.tx.ts";
import { chooseMethod } from "../../sessions/choose-method.tx.ts";
import { listOptions, type PaymentOption } from "../../payments/payment-option.ts";
import { parseCheckoutOrder } from "../../payments/checkout-order.ts";
import { findPayment } from "../../payments/payment.sql.ts";
import { isSettled, type Payment } from "../../payments/payment.ts";
import { listTransactions } from "../../payments/transaction.sql.ts";
import type { Transaction } from "../../payments/transaction.ts";
import { sessionOf } from "../../sessions/session.sql.ts";
import { canChoose } from "../../sessions/session.ts";
import { requireCommitted } from "../../postgres/database.ts";
import type { ServerOrigin } from "../../postgres/connection-origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import { noProviders } from "../../providers/provider-account.ts";
import { readCheckoutToken } from "../../signing/secrets.ts";
import { findBrand } from "../../merchants/brand.sql.ts";
import {
  newFaultResponder,
  checkoutPageHeaders,
  merchantNow,
  secretPageHeaders,
  type CheckoutRoute,
} from "./checkout-response.ts";
import { serveCheckoutStatus } from "./checkout-status.ts";
import { markAuthenticated } from "../limits/connections.ts";
import type { Gateway } from "../merchant-api/gateway.ts";

/**
 * Serves the page on which a buyer pays. The link is a bearer token: it cannot be guessed, and its holder may see the
 * page.
 */
export function serveCheckout(app: FastifyInstance, gateway: Gateway): void {
  const { isOverloaded } = gateway.guard;
  const onPageFault = newFaultResponder(gateway, (reply, request) =>
    sendPage(reply, faultPage(selectLanguage(preferredLanguages(request)))),
  );
  const find = newPaymentFinder(gateway);
  const paymentOf = async ({ params, raw }: FastifyRequest<CheckoutRoute>): ReturnType<typeof find> => {
    const payment = await find(params.token);
    if (payment) markAuthenticated(raw.socket);
    return payment;
  };
  serveCheckoutStatus(app, gateway, paymentOf);

  app.get<CheckoutRoute>("/checkout/:token", { errorHandler: onPageFault }, async (request, reply) => {
    const payment = await paymentOf(request);
    const languages = preferredLanguages(request, localeOf(payment));
    const language = selectLanguage(languages);
    if (payment === "later") return sendRetryLater(reply, language);
    if (!payment) return sendPage(reply.code(404), missingPage(language));
    const merchant = await gateway.clients.find(payment.clientId);
    const { environment } = gateway;
    const now = merchantNow(gateway, merchant);
    const { name: merchantName = "", linkSchemes = [] } = merchant ?? {};
    const brand = await brandOf(gateway, request.params.token, payment);
    const pageData = { payment, merchantName, linkSchemes, environment, now, brand, language };
    if (!canChoose(payment, now)) {
      const refunds = await listRefunds(gateway, payment);
      const mayChoose = payment.session !== undefined && !isSettled(payment);
      return sendPage(
        reply,
        checkoutPage({ ...pageData, returnedTransactions: refunds }),
        checkoutPageHeaders({ hasForm: mayChoose, frameUrl: frameUrlOf(pageData) }),
      );
    }
    const { options, region = regionOf(languages) } = await optionsOf(gateway, payment);
    return sendPage(
      reply,
      checkoutPage({ ...pageData, options, region }),
      checkoutPageHeaders({ hasForm: true }),
    );
  });

  app.post<CheckoutRoute>("/checkout/:token", { errorHandler: onPageFault }, async (request, reply) => {
    const language = selectLanguage(preferredLanguages(request));
    if (isOverloaded()) return sendRetryLater(reply, language);
    const payment = await paymentOf(request);
    if (payment === "later") return sendRetryLater(reply, language);
    if (!payment) return sendPage(reply.code(404), missingPage(language));
    const body = await gateway.bodies.read(request.raw, payment.paymentId, formBytesMax);
    const form = Buffer.isBuffer(body) ? body.toString("utf8") : "";
    const parameters = new URLSearchParams(form);
    if (parameters.has("change")) await submitMethodChange(gateway, payment);
    else await submitMethodChoice(gateway, payment, parameters.get("paymentMethodType") ?? "", language);
    // Post/redirect/get: the page that follows shows the outcome, and reloading it does not submit the form again.
    return reply.headers(secretPageHeaders).redirect(request.url, 303);
  });
}

const providerWaitMs = 300;
const formBytesMax = 4 * 1024;

/** The payment methods that the buyer can choose now. */
async function optionsOf(
  { connectors, clients, database, environment }: Gateway,
  payment: Payment,
): Promise<{ readonly options: readonly PaymentOption[]; readonly region: string | undefined }> {
  const { clientId, captureMode, amount } = payment;
  const session = await sessionOf(database.reader([clientId]), payment, payment);
  const { types, regions, userRegion } = session ?? {};
  const { accounts } = (await clients.find(clientId))?.atProviders ?? noProviders;
  const connectorFor = (type: string): string | undefined => connectors.nameFor(type, accounts);
  const directory = { ...connectors, environment, connectorFor };
  const isHeld = captureMode === "MANUAL";
  const filter = { currency: amount?.currency ?? "", isHeld, types, regions, userRegion };
  return { options: listOptions(directory, filter), region: userRegion };
}

async function brandOf({ database }: Gateway, token: string, payment: Payment): Promise<PageBrand> {
  const brand = await findBrand(database.reader([payment.clientId]), payment);
  return { ...brand, logoPath: brand.logoType && `${token}/logo` };
}

/** Refunds and reversals of a paid payment, completed or in progress. */
async function listRefunds({ database }: Gateway, payment: Payment): Promise<readonly Transaction[]> {
  if (payment.transactionCount === 0) return [];
  const all = await listTransactions(database.reader([payment.clientId]), payment, payment.paymentId);
  return all.filter(({ type, status }) => type === "REFUND" && status !== "FAIL");
}

/** Languages in order of preference: the buyer's own choice, the merchant's locale, the browser's languages. */
function preferredLanguages(request: FastifyRequest<CheckoutRoute>, locale?: string): readonly string[] {
  const { lang } = request.query;
  const accepted = acceptedLanguages(request.headers["accept-language"]);
  return [
    ...(typeof lang === "string" ? [lang] : []),
    ...(locale === undefined ? [] : [locale]),
    ...accepted,
  ];
}

function localeOf(payment: Payment | "later" | undefined): string | undefined {
  return typeof payment === "object" ? parseCheckoutOrder(payment.checkoutOrder)?.locale : undefined;
}

async function submitMethodChoice(
  gateway: Gateway,
  payment: Payment,
  paymentMethodType: string,
  { locale }: Language,
): Promise<void> {
  const { environment, connectors } = gateway;
  const { paymentId } = payment;
  const { options } = await optionsOf(gateway, payment);
  const option = options.find((each) => each.paymentMethodType === paymentMethodType);
  if (!option?.connector || option.disableReason) return;
  const chosen = { paymentId, paymentMethodType, connector: option.connector };
  const { feeRules = [], atProviders = noProviders } = (await gateway.clients.find(payment.clientId)) ?? {};
  const buyerLanguage = connectors.wantsOf(chosen.connector).includes("locale") ? locale : undefined;
  await claimAndRun(gateway, payment, (tx, now) =>
    chooseMethod(tx, payment, chosen, { environment, now, feeRules, atProviders, buyerLanguage }),
  );
}

async function submitMethodChange(gateway: Gateway, payment: Payment): Promise<void> {
  await claimAndRun(gateway, payment, (tx, now) => changeMethod(tx, payment, payment.paymentId, now));
}

/**
 * Claims the payment, and starts the same job as the operation `pay`. The buyer does not wait for a slow provider: the
 * page polls.
 */
async function claimAndRun(
  gateway: Gateway,
  { clientId }: Payment,
  claim: (tx: Tx, now: Date) => Promise<LeasedJob | undefined>,
): Promise<void> {
  const { database, runner, clients } = gateway;
  const now = merchantNow(gateway, await clients.find(clientId));
  const leasedSinceMs = runner.monotonicMs();
  runner.atCrashPoint("before-claim");
  const outcome = await database.transaction([clientId], (tx) => claim(tx, now));
  // If the outcome of the commit is unknown, a worker finds the job, or the buyer submits again.
  const leased = requireCommitted(outcome);
  runner.atCrashPoint("after-claim-commit");
  // Most providers respond at once. Waiting for a short time lets the redirect lead directly to the checkout page on
  // which the buyer can pay.
  if (leased)
    await Promise.race([
      runJob(runner, leased, leasedSinceMs),
      delay(providerWaitMs, undefined, { ref: false }),
    ]);
}

/** Rate limit of one checkout link: enough for a polling page on a few screens. */
export const linkRate = { ratePerSecond: 20, burst: 40 };
/** Concurrency limit of checkout page look-ups. Above the limit a page gets a 503 and retries by itself. */
const concurrentLookupsMax = 100;

/**
 * Applies the rate limits of the link and of the process. There is no limit by address, because a whole mall may share
 * one.
 */
function newPaymentFinder({
  secrets,
  database,
  linkLimiter,
  runner,
}: Gateway): (token: string) => Promise<Payment | undefined | "later"> {
  let lookupsInFlight = 0;
  return async (token) => {
    const checkoutKey = readCheckoutToken(secrets, token);
    if (!checkoutKey) return undefined;
    const { clientId, paymentId } = checkoutKey;
    if (linkLimiter.take(paymentId, linkRate) > 0 || lookupsInFlight >= concurrentLookupsMax) return "later";
    lookupsInFlight += 1;
    try {
      const owner = { bucket: bucketOf(clientId), clientId };
      const origins = new Set<ServerOrigin>();
      const payment = await findPayment(database.reader([clientId], origins), owner, paymentId);
      await database.waitForReplication(origins);
      return (await runner.isClosed(clientId)) ? undefined : payment;
    } finally {
      lookupsInFlight -= 1;
    }
  };
}

function sendPage(reply: FastifyReply, page: string, pageHeaders = secretPageHeaders): FastifyReply {
  return reply.headers(pageHeaders).type("text/html; charset=utf-8").send(page);
}

function sendRetryLater(reply: FastifyReply, language: Language): FastifyReply {
  return sendPage(reply.code(503).header("retry-after", "5"), faultPage(language));
}
