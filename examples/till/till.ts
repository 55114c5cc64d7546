import {
  Money,
  newRequestId,
  type Amount,
  type Incoming,
  type Notification,
  type PayRequest,
  type Tollgate,
} from "../../clients/typescript/src/generated/package.ts";
import {
  cancelSafely,
  recheckPayment,
  resumePayment,
  payByCode,
  payByShowing,
  type SaleResult,
  type PaymentRun,
} from "./by-code.ts";
import type { RequestLog } from "./request-log.ts";
import { startRefund, repeatRefund } from "./refund-sale.ts";
import { codeRequest, entryRequest, orderRequest, type Shop } from "./requests.ts";
import type { SaleStore } from "./sale-store.ts";
import { isOpen, refundRefusal, type Sale } from "./sale.ts";

/** A point of sale as a merchant would write it, with only the client library and a file. */
export interface Till {
  readonly client: Tollgate;
  readonly requestLog: RequestLog;
  readonly saleStore: SaleStore;
  readonly shop: Shop;
  readonly currency: string;
  /** Factor for the usual pauses; 1 except in tests. */
  readonly pace: number;
  readonly log: (message: string) => void;
  /** Sales that this process is bringing to their outcome. */
  readonly running: Map<string, Running>;
  /** The id of the sale on the screen: the last sale, until the cashier starts the next one. */
  shownId: string | undefined;
}

interface Running {
  readonly cancelController: AbortController;
  readonly reportResult: (result: SaleResult) => void;
}

/** Why an action is rejected, for the cashier. */
export interface Problem {
  readonly problem: string;
}

const createProblem = (text: string): Problem => ({ problem: text });
const busyText = "Finish the sale on the screen first: its outcome is not known yet.";

/** The length of payment codes; shorter input is an amount. */
const paymentCodePattern = /^\d{16,32}$/;

export function chargeCode(till: Till, value: string, code: string): Problem | undefined {
  if (!paymentCodePattern.test(code)) return createProblem("This is not a payment code. Scan it again.");
  return startSaleAtTill(till, "code", value, (id, amount) => codeRequest(till.shop, { id, amount, code }));
}

export function showOrderCode(till: Till, value: string): Problem | undefined {
  return startSaleAtTill(till, "order", value, (id, amount) => orderRequest(till.shop, { id, amount }));
}

type RequestBuilder = (id: string, amount: Amount) => PayRequest;

function startSaleAtTill(
  till: Till,
  way: "code" | "order",
  value: string,
  buildRequest: RequestBuilder,
): Problem | undefined {
  // Rejects a second sale while one is open, because a second sale could charge the buyer twice.
  if (findOpenSaleAtTill(till)) return createProblem(busyText);
  const amount = parseMinorAmount(till, value);
  if (!amount) return createProblem("Type the amount first.");
  const id = newRequestId(till.shop.tillId);
  const request = buildRequest(id, amount);
  // The sale is stored before its request is sent, so that after a crash the sale is found and its outcome inquired.
  till.saleStore.begin({ id, way, amount });
  till.shownId = id;
  runPayment(till, id, (paymentRun) =>
    way === "code" ? payByCode(paymentRun, request) : payByShowing(paymentRun, request),
  );
  return undefined;
}

/** The buyer's input on the page behind the sticker. The visit id makes two presses one payment. */
interface Visit {
  readonly visit: string;
  readonly place: string;
  readonly decimal: string;
  readonly userAgent: string;
  readonly thanksUrl: string;
}

export function chargeVisitor(till: Till, { visit, place, decimal, ...visitor }: Visit): Sale | Problem {
  const existing = till.saleStore.find(visit);
  if (existing) return existing;
  const amount = parseDecimalAmount(till, decimal);
  if (!amount) return createProblem("This is not a valid amount. Example: 4.50.");
  const sale = till.saleStore.begin({ id: visit, way: "entry", amount, place });
  const request = entryRequest(till.shop, { id: visit, amount, ...visitor });
  runPayment(till, visit, (paymentRun) => payByShowing(paymentRun, request));
  return sale;
}

/** Cancels a sale for the cashier: to stop waiting, or to be sure that the buyer is not charged. */
export function cancelSale(till: Till, sale: Sale): Problem | undefined {
  if (!isOpen(sale)) return createProblem("The sale has ended. Refund it instead.");
  const running = till.running.get(sale.id);
  if (running) running.cancelController.abort();
  else runPayment(till, sale.id, cancelSafely);
  return undefined;
}

/** Inquires an unknown sale again. */
export function checkSale(till: Till, id: string): void {
  const sale = till.saleStore.find(id);
  if (sale?.state !== "unknown" || till.running.has(id)) return;
  runPayment(till, id, recheckPayment);
}

export function refundSale(till: Till, sale: Sale, decimal: string): Problem | undefined {
  const amount = parseDecimalAmount({ currency: sale.amount.currency }, decimal);
  if (!amount) return createProblem("This is not a valid amount. Example: 4.50.");
  const refusal = refundRefusal(sale, BigInt(amount.value));
  if (refusal) return createProblem(refusals[refusal]);
  startRefund(till, sale, amount);
  return undefined;
}

const refusals = {
  NOT_PAID: "The sale is not paid, so it cannot be refunded.",
  REFUND_OPEN: "Wait for the earlier refund: its outcome is not known yet.",
  TOO_MUCH: "The amount is higher than the rest that can be refunded.",
} as const;

/** The cashier starts with the next buyer. A sale without an outcome stays on the screen. */
export function clearScreen(till: Till): Problem | undefined {
  if (findOpenSaleAtTill(till)) return createProblem(busyText);
  till.shownId = undefined;
  return undefined;
}

export function closeShift(till: Till): Problem | undefined {
  const isDone = till.saleStore.listShift().every((sale) => !isOpen(sale));
  if (!isDone) return createProblem("The current sale has not ended. Finish it first.");
  till.shownId = undefined;
  till.saleStore.closeShift();
  return undefined;
}

/** Continues the open sales of a process that was killed. */
export function resume(till: Till): void {
  for (const sale of till.saleStore.all().filter(isOpen)) {
    if (sale.way !== "entry") till.shownId ??= sale.id;
    till.saleStore.move(sale.id, "checking");
    // Only sales at tables wait for their buyer after a restart, because no code is on a screen any more.
    const untilMs = sale.way === "entry" ? Date.parse(sale.at) + till.shop.payWithinMs : 0;
    runPayment(till, sale.id, (paymentRun) =>
      sale.cancelSentAt === undefined ? resumePayment(paymentRun, untilMs) : cancelSafely(paymentRun),
    );
  }
  for (const sale of till.saleStore.all())
    for (const refund of sale.refunds) if (refund.state === "asked") repeatRefund(till, sale, refund);
}

/** Processes a webhook; throws if its signature is invalid. */
export async function handleWebhook(till: Till, incoming: Incoming): Promise<void> {
  const notification = await till.client.webhooks.construct(incoming);
  till.requestLog.add({
    direction: "in",
    method: "POST",
    path: incoming.path,
    request: notification.body,
    status: 200,
    durationMs: 0,
  });
  const webhookResult = readWebhookResult(notification);
  const sale = webhookResult && till.saleStore.find(webhookResult.id);
  if (!sale) return;
  const running = till.running.get(sale.id);
  if (running) running.reportResult(webhookResult);
  // A cancel may have overtaken the webhook, so the webhook only triggers an inquiry.
  else checkSale(till, sale.id);
}

/** Returns the outcome of a payment that a webhook reports; undefined if it reports no outcome. */
function readWebhookResult({ kind, body }: Notification): (SaleResult & { readonly id: string }) | undefined {
  if (kind !== "notifyPayment" || (!body.isPaid && !body.isFailed)) return undefined;
  const { paymentRequestId: id, paymentId, result } = body;
  const facts = { id, paymentId, resultCode: result.resultCode };
  if (body.isPaid) return { outcome: "paid", ...facts };
  return { outcome: result.resultCode === "ORDER_IS_CANCELED" ? "cancelled" : "declined", ...facts };
}

/** Brings a sale to its outcome. No other code changes the sale until then. */
function runPayment(till: Till, id: string, settle: (paymentRun: PaymentRun) => Promise<SaleResult>): void {
  const { client, saleStore, pace, log, running } = till;
  const { promise: webhookResult, resolve: resolveWebhookResult } = Promise.withResolvers<SaleResult>();
  const cancelController = new AbortController();
  let hasWebhookResult = false;
  running.set(id, {
    cancelController,
    reportResult(result) {
      hasWebhookResult = true;
      resolveWebhookResult(result);
    },
  });
  const { cancelSentAt: sentAt } = saleStore.find(id) ?? {};
  const paymentRun: PaymentRun = {
    payments: client.payments,
    paymentRequestId: id,
    cancelRequested: cancelController.signal,
    webhookResult,
    onProgress: ({ state, ...facts }) => saleStore.move(id, state, facts),
    cancelSentAtMs: sentAt === undefined ? undefined : Date.parse(sentAt),
    onCancel: () => saleStore.recordCancel(id),
    pace,
  };
  const logError = (error: unknown): SaleResult => {
    log(`${id}: ${String(error)}`);
    return { outcome: "unknown" };
  };
  const finish = ({ outcome, ...facts }: SaleResult): void => {
    running.delete(id);
    if (outcome !== "unknown") saleStore.settle({ id, outcome, ...facts });
    else if (saleStore.move(id, "unknown") && hasWebhookResult) checkSale(till, id);
  };
  void settle(paymentRun).catch(logError).then(finish);
}

/** Returns the open sale that blocks another sale at this terminal. Sales at tables do not block it. */
function findOpenSaleAtTill({ saleStore }: Till): Sale | undefined {
  return saleStore.all().find((sale) => sale.way !== "entry" && isOpen(sale));
}

function parseMinorAmount({ currency }: Pick<Till, "currency">, value: string): Amount | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? { currency, value } : undefined;
}

function parseDecimalAmount(till: Pick<Till, "currency">, decimal: string): Amount | undefined {
  try {
    return parseMinorAmount(till, String(Money.of(till.currency, decimal.trim().replace(",", ".")).minor));
  } catch {
    return undefined;
  }
}
