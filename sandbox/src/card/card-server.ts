import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerBrowser, isAppFile } from "../app-files.ts";
import { isFromElsewhere } from "../developer.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { handlePageUpdates } from "../pages/status-events.ts";
import { paysByCard, type Order } from "../wallet/order.ts";
import { applyTestOutcome } from "../control/payment-control.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { cardHeaders, sendCardNote } from "./card-frame.ts";
import { bankPage, homePage, pageOfOrder } from "./card-page.ts";
import { cardNamed, readCard, type CardOutcome, type TestCard } from "./test-cards.ts";
import { webAddress } from "./return-address.ts";

export interface CardServerOptions {
  readonly wallet: Wallet;
  readonly log: (message: string) => void;
}

/**
 * Orders whose bank waits for the buyer's approval. They are stored only in memory, so after a restart the buyer must
 * enter the card again.
 */
type Asked = Set<string>;

/**
 * The server of the card page, on its own origin like an acquirer's. The card input stays in the function that reads
 * it; only the outcome is passed on.
 */
export function newCardServer({ wallet, log }: CardServerOptions): Server {
  const asked: Asked = new Set();
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 72_000 };
  return createServer(limits, (request, response) => {
    answer(wallet, asked, request, response).catch((fault: unknown) => {
      // The log line contains neither the address nor the body, because both may contain a card number.
      log(`Card page, ${request.method}: ${String(fault)}`);
      response.destroy();
    });
  });
}

async function answer(
  wallet: Wallet,
  asked: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const exchange = { request, response, path, query: new URLSearchParams(query) };
  if (isAppFile(path)) return answerBrowser(exchange);
  if (path === "/news") return handlePageUpdates(wallet, exchange, { listsOrders: false });
  const body = new URLSearchParams((await readBody(request))?.toString("utf8"));
  if (path === "/") return send(response, 200, homePage());
  const [, token = "", step] = /^\/pay\/([\w-]+)(\/bank)?$/.exec(path) ?? [];
  const order = wallet.book.orderByToken(token);
  if (!order || !paysByCard(order))
    return sendCardNote(
      response,
      404,
      "Nothing here",
      "There is no such order. Go back to the shop and pay again.",
    );
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead && request.method !== "POST")
    return sendCardNote(response, 405, "Method not allowed", "This page accepts only GET and POST.");
  if (!isRead && isFromElsewhere(request))
    return sendCardNote(response, 403, "Request rejected", "Cards can only be entered on this page.");
  const visit = { wallet, asked, order, exchange };
  if (step === undefined) return isRead ? showOrder(visit) : takeCard(visit, body);
  return isRead ? showBank(visit) : hearBuyer(visit, body.get("choice"));
}

interface Visit {
  readonly wallet: Wallet;
  readonly asked: Asked;
  readonly order: Order;
  readonly exchange: Exchange;
}

function showOrder({ wallet, order, exchange: { response, query } }: Visit): void {
  const card = cardNamed(query.get("card"));
  send(response, 200, pageOfOrder(wallet, order, { card, problems: {} }), webAddress(order));
}

async function takeCard(visit: Visit, form: URLSearchParams): Promise<void> {
  const { wallet, order, exchange } = visit;
  const { card, problems } = readCard(form, wallet.now());
  if (card && Object.keys(problems).length === 0) return askBank(visit, card);
  // The page with the errors is the direct response, because a redirect would have to carry the errors in its address.
  return send(exchange.response, 422, pageOfOrder(wallet, order, { card, problems }), webAddress(order));
}

async function askBank(visit: Visit, { outcome }: TestCard): Promise<void> {
  const { wallet, asked, order, exchange } = visit;
  if (outcome.kind === "challenge" && order.state === "OPEN") {
    asked.add(order.walletOrderId);
    return goTo(exchange.response, `/pay/${order.token}/bank`);
  }
  play(wallet, order, outcome);
  return leave(visit);
}

/**
 * Applies the bank's decision to the order. If another request was faster or the order expired, this has no effect, and
 * the next page shows the order's state.
 */
function play(wallet: Wallet, order: Order, outcome: CardOutcome): void {
  const by = "buyer";
  switch (outcome.kind) {
    case "approved":
      applyTestOutcome(wallet, order, "approve", { body: {}, by });
      return;
    case "declined":
      applyTestOutcome(wallet, order, "decline", { body: { resultCode: outcome.resultCode }, by });
      return;
    case "slow":
      applyTestOutcome(wallet, order, "approve-later", { body: { seconds: outcome.seconds }, by });
      return;
    case "lost":
      applyTestOutcome(wallet, order, "lose-answer", { body: {}, by });
      return;
    case "challenge":
  }
}

function showBank({ asked, order, exchange: { response } }: Visit): void {
  if (order.state !== "OPEN" || !asked.has(order.walletOrderId)) return goTo(response, `/pay/${order.token}`);
  return send(response, 200, bankPage(order), webAddress(order));
}

/** The choices of the buyer on the bank's approval page, each with the bank's decision. */
const answers: ReadonlyMap<string | null, CardOutcome> = new Map([
  ["approve", { kind: "approved" }],
  ["decline", { kind: "declined", resultCode: "ISSUER_REJECTS_TRANSACTION" }],
  ["say-nothing", { kind: "declined", resultCode: "AUTHENTICATION_REQUIRED" }],
]);

async function hearBuyer(visit: Visit, choice: string | null): Promise<void> {
  const { wallet, asked, order, exchange } = visit;
  const outcome = answers.get(choice);
  if (!outcome) return sendCardNote(exchange.response, 400, "Invalid choice", "This choice does not exist.");
  // The choice counts only if the bank has asked for it before: a request to the approval page alone can not decide an
  // order.
  if (asked.delete(order.walletOrderId)) play(wallet, order, outcome);
  return leave(visit);
}

/** Redirects the buyer to the shop if the order is paid. For other orders it shows the result first. */
async function leave({ wallet, order, exchange: { response } }: Visit): Promise<void> {
  await wallet.journal.onDisk();
  const now = wallet.book.orderById(order.walletOrderId) ?? order;
  const isDone = now.state === "PAID" || now.state === "AUTHORIZED";
  return goTo(response, (isDone ? webAddress(order) : undefined) ?? `/pay/${order.token}`);
}

function send(response: ServerResponse, status: number, html: string, formsEndAt?: string): void {
  response.writeHead(status, cardHeaders(formsEndAt));
  response.end(html);
}

function goTo(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...cardHeaders(), location });
  response.end();
}
