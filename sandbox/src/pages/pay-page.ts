import { isDeveloper as isDevelopers, isCrossSite } from "../developer.ts";
import { decideDispute, disputeActions } from "../control/dispute-control.ts";
import { readBody, sendJson, type Exchange } from "../exchange.ts";
import { framedBy } from "../wallet/next-action.ts";
import type { Order } from "../wallet/order.ts";
import { orderPage } from "./order-page.ts";
import { notFound, badRequest, type Outcome } from "../wallet/outcome.ts";
import { pageHeaders, sendMessagePage, sendPage, type PageOptions } from "./page.ts";
import { ordersOfPayment, applyTestOutcome, type PaymentAction } from "../control/payment-control.ts";
import { isRefusal } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";

interface Choice {
  readonly action: PaymentAction;
  readonly resultCode?: string;
}

/** The choices that every holder of the order's link has. */
const buyerChoices: ReadonlyMap<string, Choice> = new Map([
  ["approve", { action: "approve" }],
  ["decline", { action: "decline", resultCode: "PROCESS_FAIL" }],
  ["not-enough-money", { action: "decline", resultCode: "USER_BALANCE_NOT_ENOUGH" }],
  ["pend", { action: "pend" }],
]);

/** Additional choices on the order's page, only for the developer of this machine. */
const developerChoices: ReadonlyMap<string, Choice> = new Map([
  ["result-code", { action: "decline" }],
  ["expire", { action: "expire" }],
  ["approve-later", { action: "approve-later" }],
  ["lose-answer", { action: "lose-answer" }],
  ["pay-twice", { action: "pay-twice" }],
  ["dispute-later", { action: "dispute-later" }],
]);

/** The buyer's page at the wallet. It works without script; the holder of the link may pay. */
export async function handlePayPage(
  wallet: Wallet,
  exchange: Exchange,
  { listsOrders }: PageOptions,
): Promise<void> {
  const body = await readBody(exchange.request);
  const order = wallet.projection.orderByToken(exchange.path.slice("/pay/".length));
  const isDeveloper = isDevelopers(exchange.request, listsOrders);
  return serveOrderPage(wallet, exchange, { order, body, isDeveloper });
}

/**
 * Serves the order's page by the payment id, for a viewer who may see every order. It waits for an order that is in
 * transit.
 */
export async function handlePayPageByPayment(
  wallet: Wallet,
  exchange: Exchange,
  { listsOrders }: PageOptions,
): Promise<void> {
  const { request, response, path } = exchange;
  const body = await readBody(request);
  if (!isDevelopers(request, listsOrders))
    return sendMessagePage(response, 404, "Not found", "Page not found.");
  const orders = await ordersOfPayment(wallet, path.slice("/payments/".length));
  return serveOrderPage(wallet, exchange, { order: orders.at(-1), body, isDeveloper: true });
}

interface OrderPageRequest {
  readonly order: Order | undefined;
  readonly body: Buffer | undefined;
  readonly isDeveloper: boolean;
}

async function serveOrderPage(
  wallet: Wallet,
  exchange: Exchange,
  { order, body, isDeveloper }: OrderPageRequest,
): Promise<void> {
  const { request, response, path, query } = exchange;
  if (!order) return sendRejection(exchange, notFound("There is no such order."));
  const address = `/pay/${order.token}`;
  if (request.method === "GET" || request.method === "HEAD") {
    if (path !== address) return redirect(exchange, address);
    const triedTwice = query.has("tried-twice");
    return sendPage(response, 200, orderPage(wallet, order, { isDeveloper, triedTwice }), framedBy(order));
  }
  if (request.method !== "POST")
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET and POST.");
  if (isCrossSite(request))
    return sendMessagePage(
      response,
      403,
      "Request rejected",
      "Orders can only be paid on the wallet’s own page.",
    );

  const form = new URLSearchParams(body?.toString("utf8"));
  const outcome = applyChoice(wallet, order, form, isDeveloper);
  await wallet.journal.onDisk();
  if (acceptsJson(exchange)) return sendJson(response, outcome.status, outcome.answer);
  if (outcome.status === 400 || outcome.status === 404) return sendRejection(exchange, outcome);
  // If another request was faster or the order expired, the choice has no effect, and the next page shows the order's
  // state.
  return redirect(exchange, form.get("choice") === "pay-twice" ? `${address}?tried-twice` : address);
}

function applyChoice(wallet: Wallet, order: Order, form: URLSearchParams, isDeveloper: boolean): Outcome {
  const name = form.get("choice") ?? "";
  const dispute = form.get("dispute");
  if (isDeveloper && dispute !== null) {
    const event = disputeActions.find((each) => each === name);
    const isOwn = wallet.projection.dispute(dispute)?.providerOrderId === order.providerOrderId;
    return event && isOwn
      ? decideDispute(wallet, dispute, event, {})
      : badRequest("This choice does not exist.");
  }
  const choice = buyerChoices.get(name) ?? (isDeveloper ? developerChoices.get(name) : undefined);
  if (!choice) return badRequest("This choice does not exist.");
  const resultCode = choice.resultCode ?? form.get("resultCode") ?? undefined;
  if (choice.action === "decline" && !isRefusal(resultCode ?? ""))
    return badRequest("This is not a result code of the provider protocol.");
  const numbers = ["seconds", "count"].flatMap((field) => {
    const text = form.get(field);
    return text === null ? [] : [[field, Number(text)] as const];
  });
  const disputeType = form.get("disputeType") ?? undefined;
  const body = {
    ...Object.fromEntries(numbers),
    ...(choice.action === "decline" && { resultCode }),
    ...(disputeType !== undefined && { disputeType }),
  };
  return applyTestOutcome(wallet, order, choice.action, { body, by: "buyer" });
}

function acceptsJson({ request }: Exchange): boolean {
  return request.headers.accept?.includes("application/json") ?? false;
}

function sendRejection(exchange: Exchange, { status, answer }: Outcome): void {
  if (acceptsJson(exchange)) return sendJson(exchange.response, status, answer);
  const { problem } = answer as { readonly problem: string };
  return sendMessagePage(
    exchange.response,
    status,
    status === 404 ? "No such order" : "Invalid choice",
    problem,
  );
}

function redirect({ response }: Exchange, location: string): void {
  response.writeHead(303, { ...pageHeaders, location });
  response.end();
}
