import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { serveAppFile, isAppFile } from "../app-files.ts";
import { isCrossSite } from "../developer.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { handlePageUpdates } from "../pages/status-events.ts";
import { framedHeaders } from "../pages/page.ts";
import { framedBy } from "../wallet/next-action.ts";
import { paysByCard, type Order } from "../wallet/order.ts";
import { applyTestOutcome } from "../control/payment-control.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { cardHeaders, sendCardMessage } from "./card-frame.ts";
import { bankPage, homePage, cardOrderPage } from "./card-page.ts";
import { findTestCard, parseCard, type CardOutcome, type TestCard } from "../wallet/test-cards.ts";
import { returnUrl } from "./return-url.ts";

export interface CardServerOptions {
  readonly wallet: Wallet;
  readonly log: (message: string) => void;
}

/**
 * Orders whose bank waits for the buyer's approval. They are stored only in memory, so after a restart the buyer must
 * enter the card again.
 */
type ChallengedOrders = Set<string>;

/**
 * The server of the card page, on its own origin like an acquirer's. The card input stays in the function that reads
 * it; only the outcome is passed on.
 */
export function newCardServer({ wallet, log }: CardServerOptions): Server {
  const challengedOrders: ChallengedOrders = new Set();
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 72_000 };
  return createServer(limits, (request, response) => {
    handleRequest(wallet, challengedOrders, request, response).catch((fault: unknown) => {
      // The log line contains neither the address nor the body, because both may contain a card number.
      log(`Card page, ${request.method}: ${String(fault)}`);
      response.destroy();
    });
  });
}

async function handleRequest(
  wallet: Wallet,
  challengedOrders: ChallengedOrders,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const exchange = { request, response, path, query: new URLSearchParams(query) };
  if (isAppFile(path)) return serveAppFile(exchange);
  if (path === "/news") return handlePageUpdates(wallet, exchange, { listsOrders: false });
  const body = new URLSearchParams((await readBody(request))?.toString("utf8"));
  if (path === "/") return send(response, 200, homePage());
  const [, token = "", step] = /^\/pay\/([\w-]+)(\/bank)?$/.exec(path) ?? [];
  const order = wallet.projection.orderByToken(token);
  if (!order || !paysByCard(order))
    return sendCardMessage(
      response,
      404,
      "Nothing here",
      "There is no such order. Go back to the shop and pay again.",
    );
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead && request.method !== "POST")
    return sendCardMessage(response, 405, "Method not allowed", "This page accepts only GET and POST.");
  if (!isRead && isCrossSite(request))
    return sendCardMessage(response, 403, "Request rejected", "Cards can only be entered on this page.");
  const cardRequest = { wallet, challengedOrders, order, exchange };
  if (step === undefined) return isRead ? showOrder(cardRequest) : submitCard(cardRequest, body);
  return isRead ? showBankPage(cardRequest) : handleBuyerChoice(cardRequest, body.get("choice"));
}

interface CardRequest {
  readonly wallet: Wallet;
  readonly challengedOrders: ChallengedOrders;
  readonly order: Order;
  readonly exchange: Exchange;
}

function showOrder({ wallet, order, exchange: { response, query } }: CardRequest): void {
  const card = findTestCard(query.get("card"));
  send(response, 200, cardOrderPage(wallet, order, { card, problems: {} }), order);
}

async function submitCard(cardRequest: CardRequest, form: URLSearchParams): Promise<void> {
  const { wallet, order, exchange } = cardRequest;
  const { card, problems } = parseCard(form, wallet.now());
  if (card && Object.keys(problems).length === 0) return requestBankDecision(cardRequest, card);
  // The page with the errors is the direct response, because a redirect would have to carry the errors in its address.
  return send(exchange.response, 422, cardOrderPage(wallet, order, { card, problems }), order);
}

async function requestBankDecision(cardRequest: CardRequest, { name, outcome }: TestCard): Promise<void> {
  const { wallet, challengedOrders, order, exchange } = cardRequest;
  if (outcome.kind === "challenge" && order.state === "OPEN") {
    challengedOrders.add(order.providerOrderId);
    return redirect(exchange.response, `/pay/${order.token}/bank`);
  }
  applyOutcome(wallet, order, outcome, name);
  return redirectAfterDecision(cardRequest);
}

/**
 * Applies the bank's decision to the order. If another request was faster or the order expired, this has no effect, and
 * the next page shows the order's state.
 */
function applyOutcome(wallet: Wallet, order: Order, outcome: CardOutcome, card: string): void {
  const by = "buyer";
  switch (outcome.kind) {
    case "approved":
      applyTestOutcome(wallet, order, "approve", { body: { card }, by });
      return;
    case "declined":
      applyTestOutcome(wallet, order, "decline", { body: { resultCode: outcome.resultCode, card }, by });
      return;
    case "slow":
      applyTestOutcome(wallet, order, "approve-later", { body: { seconds: outcome.seconds, card }, by });
      return;
    case "lost":
      applyTestOutcome(wallet, order, "lose-answer", { body: { card }, by });
      return;
    case "challenge":
  }
}

function showBankPage({ challengedOrders, order, exchange: { response } }: CardRequest): void {
  if (order.state !== "OPEN" || !challengedOrders.has(order.providerOrderId))
    return redirect(response, `/pay/${order.token}`);
  return send(response, 200, bankPage(order), order);
}

/** The name of the test card for which the bank asks the buyer. */
const challengeCard = "bank-asks";

/** The choices of the buyer on the bank's approval page, each with the bank's decision. */
const bankDecisions: ReadonlyMap<string | null, CardOutcome> = new Map([
  ["approve", { kind: "approved" }],
  ["decline", { kind: "declined", resultCode: "ISSUER_REJECTS_TRANSACTION" }],
  ["say-nothing", { kind: "declined", resultCode: "AUTHENTICATION_REQUIRED" }],
]);

async function handleBuyerChoice(cardRequest: CardRequest, choice: string | null): Promise<void> {
  const { wallet, challengedOrders, order, exchange } = cardRequest;
  const outcome = bankDecisions.get(choice);
  if (!outcome)
    return sendCardMessage(exchange.response, 400, "Invalid choice", "This choice does not exist.");
  // The choice counts only if the bank has asked for it before: a request to the approval page alone can not decide an
  // order.
  if (challengedOrders.delete(order.providerOrderId)) applyOutcome(wallet, order, outcome, challengeCard);
  return redirectAfterDecision(cardRequest);
}

/** Redirects the buyer to the shop if the order is paid. For other orders it shows the result first. */
async function redirectAfterDecision({ wallet, order, exchange: { response } }: CardRequest): Promise<void> {
  await wallet.journal.onDisk();
  const now = wallet.projection.orderById(order.providerOrderId) ?? order;
  const isDone = now.state === "PAID" || now.state === "AUTHORIZED";
  return redirect(response, (isDone ? returnUrl(order) : undefined) ?? `/pay/${order.token}`);
}

function send(response: ServerResponse, status: number, html: string, order?: Order): void {
  const headers = cardHeaders(order && returnUrl(order));
  response.writeHead(status, framedHeaders(headers, order && framedBy(order)));
  response.end(html);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...cardHeaders(), location });
  response.end();
}
