import { isDeveloper as isDevelopers, isFromElsewhere } from "../developer.ts";
import { decideDispute, disputeActions } from "../control/dispute-control.ts";
import { readBody, sendJson, type Exchange } from "../exchange.ts";
import type { Order } from "../wallet/order.ts";
import { orderPage } from "./order-page.ts";
import { missing, wrong, type Outcome } from "../wallet/outcome.ts";
import { pageHeaders, sendNote, sendPage, type Place } from "./page.ts";
import { ordersOfPayment, applyTestOutcome, type PaymentAct } from "../control/payment-control.ts";
import { isRefusal } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";

interface Choice {
  readonly act: PaymentAct;
  readonly resultCode?: string;
}

/** The choices that every holder of the order's link has. */
const buyersChoices: ReadonlyMap<string, Choice> = new Map([
  ["approve", { act: "approve" }],
  ["decline", { act: "decline", resultCode: "PROCESS_FAIL" }],
  ["not-enough-money", { act: "decline", resultCode: "USER_BALANCE_NOT_ENOUGH" }],
  ["pend", { act: "pend" }],
]);

/** Additional choices on the order's page, only for the developer of this machine. */
const developersChoices: ReadonlyMap<string, Choice> = new Map([
  ["result-code", { act: "decline" }],
  ["expire", { act: "expire" }],
  ["approve-later", { act: "approve-later" }],
  ["lose-answer", { act: "lose-answer" }],
  ["pay-twice", { act: "pay-twice" }],
  ["dispute-later", { act: "dispute-later" }],
]);

/** The buyer's page at the wallet. It works without script; the holder of the link may pay. */
export async function handlePayPage(
  wallet: Wallet,
  exchange: Exchange,
  { listsOrders }: Place,
): Promise<void> {
  const body = await readBody(exchange.request);
  const order = wallet.book.orderByToken(exchange.path.slice("/pay/".length));
  const isDeveloper = isDevelopers(exchange.request, listsOrders);
  return answerAbout(wallet, exchange, { order, body, isDeveloper });
}

/**
 * Serves the order's page by the payment id, for a viewer who may see every order. It waits for an order that is in
 * transit.
 */
export async function answerByPayment(
  wallet: Wallet,
  exchange: Exchange,
  { listsOrders }: Place,
): Promise<void> {
  const { request, response, path } = exchange;
  const body = await readBody(request);
  if (!isDevelopers(request, listsOrders)) return sendNote(response, 404, "Not found", "Page not found.");
  const orders = await ordersOfPayment(wallet, path.slice("/payments/".length));
  return answerAbout(wallet, exchange, { order: orders.at(-1), body, isDeveloper: true });
}

interface About {
  readonly order: Order | undefined;
  readonly body: Buffer | undefined;
  readonly isDeveloper: boolean;
}

async function answerAbout(
  wallet: Wallet,
  exchange: Exchange,
  { order, body, isDeveloper }: About,
): Promise<void> {
  const { request, response, path, query } = exchange;
  if (!order) return refuse(exchange, missing("There is no such order."));
  const address = `/pay/${order.token}`;
  if (request.method === "GET" || request.method === "HEAD") {
    if (path !== address) return goTo(exchange, address);
    const triedTwice = query.has("tried-twice");
    return sendPage(response, 200, orderPage(wallet, order, { isDeveloper, triedTwice }));
  }
  if (request.method !== "POST")
    return sendNote(response, 405, "Method not allowed", "This page accepts only GET and POST.");
  if (isFromElsewhere(request))
    return sendNote(response, 403, "Request rejected", "Orders can only be paid on the wallet’s own page.");

  const form = new URLSearchParams(body?.toString("utf8"));
  const outcome = played(wallet, order, form, isDeveloper);
  await wallet.journal.onDisk();
  if (isForProgram(exchange)) return sendJson(response, outcome.status, outcome.answer);
  if (outcome.status === 400 || outcome.status === 404) return refuse(exchange, outcome);
  // If another request was faster or the order expired, the choice has no effect, and the next page shows the order's
  // state.
  return goTo(exchange, form.get("choice") === "pay-twice" ? `${address}?tried-twice` : address);
}

function played(wallet: Wallet, order: Order, form: URLSearchParams, isDeveloper: boolean): Outcome {
  const name = form.get("choice") ?? "";
  const dispute = form.get("dispute");
  if (isDeveloper && dispute !== null) {
    const event = disputeActions.find((each) => each === name);
    const isOwn = wallet.book.dispute(dispute)?.walletOrderId === order.walletOrderId;
    return event && isOwn ? decideDispute(wallet, dispute, event, {}) : wrong("This choice does not exist.");
  }
  const choice = buyersChoices.get(name) ?? (isDeveloper ? developersChoices.get(name) : undefined);
  if (!choice) return wrong("This choice does not exist.");
  const resultCode = choice.resultCode ?? form.get("resultCode") ?? undefined;
  if (choice.act === "decline" && !isRefusal(resultCode ?? ""))
    return wrong("This is not a result code of the provider protocol.");
  const numbers = ["seconds", "count"].flatMap((field) => {
    const text = form.get(field);
    return text === null ? [] : [[field, Number(text)] as const];
  });
  const disputeType = form.get("disputeType") ?? undefined;
  const body = {
    ...Object.fromEntries(numbers),
    ...(choice.act === "decline" && { resultCode }),
    ...(disputeType !== undefined && { disputeType }),
  };
  return applyTestOutcome(wallet, order, choice.act, { body, by: "buyer" });
}

function isForProgram({ request }: Exchange): boolean {
  return request.headers.accept?.includes("application/json") ?? false;
}

function refuse(exchange: Exchange, { status, answer }: Outcome): void {
  if (isForProgram(exchange)) return sendJson(exchange.response, status, answer);
  const { problem } = answer as { readonly problem: string };
  return sendNote(exchange.response, status, status === 404 ? "No such order" : "Invalid choice", problem);
}

function goTo({ response }: Exchange, location: string): void {
  response.writeHead(303, { ...pageHeaders, location });
  response.end();
}
