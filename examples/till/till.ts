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
  checkAgain,
  goOn,
  payByCode,
  payByShowing,
  type Settled,
  type Settling,
} from "./by-code.ts";
import type { Calls } from "./calls.ts";
import { giveBack, repeatRefund } from "./refund-sale.ts";
import { codeRequest, entryRequest, orderRequest, type Shop } from "./requests.ts";
import type { SaleBook } from "./sale-store.ts";
import { isOpen, refundRefusal, type Sale } from "./sale.ts";

/** A point of sale as a merchant would write it, with only the client library and a file. */
export interface Till {
  readonly client: Tollgate;
  readonly calls: Calls;
  readonly book: SaleBook;
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
  readonly cancelling: AbortController;
  readonly tell: (settled: Settled) => void;
}

/** Why an action is rejected, for the cashier. */
export interface Problem {
  readonly problem: string;
}

const problem = (text: string): Problem => ({ problem: text });
const isBusy = "Finish the sale on the screen first: its outcome is not known yet.";

/** The length of payment codes; shorter input is an amount. */
const codeForm = /^\d{16,32}$/;

export function chargeCode(till: Till, value: string, code: string): Problem | undefined {
  if (!codeForm.test(code)) return problem("This is not a payment code. Scan it again.");
  return beginAtTill(till, "code", value, (id, amount) => codeRequest(till.shop, { id, amount, code }));
}

export function showOrderCode(till: Till, value: string): Problem | undefined {
  return beginAtTill(till, "order", value, (id, amount) => orderRequest(till.shop, { id, amount }));
}

type Write = (id: string, amount: Amount) => PayRequest;

function beginAtTill(till: Till, way: "code" | "order", value: string, write: Write): Problem | undefined {
  // Rejects a second sale while one is open, because a second sale could charge the buyer twice.
  if (openAtTill(till)) return problem(isBusy);
  const amount = amountOf(till, value);
  if (!amount) return problem("Type the amount first.");
  const id = newRequestId(till.shop.tillId);
  const request = write(id, amount);
  // The sale is stored before its request is sent, so that after a crash the sale is found and its outcome inquired.
  till.book.begin({ id, way, amount });
  till.shownId = id;
  run(till, id, (settling) =>
    way === "code" ? payByCode(settling, request) : payByShowing(settling, request),
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
  const known = till.book.find(visit);
  if (known) return known;
  const amount = amountIn(till, decimal);
  if (!amount) return problem("This is not a valid amount. Example: 4.50.");
  const sale = till.book.begin({ id: visit, way: "entry", amount, place });
  const request = entryRequest(till.shop, { id: visit, amount, ...visitor });
  run(till, visit, (settling) => payByShowing(settling, request));
  return sale;
}

/** Cancels a sale for the cashier: to stop waiting, or to be sure that the buyer is not charged. */
export function cancelSale(till: Till, sale: Sale): Problem | undefined {
  if (!isOpen(sale)) return problem("The sale has ended. Refund it instead.");
  const running = till.running.get(sale.id);
  if (running) running.cancelling.abort();
  else run(till, sale.id, cancelSafely);
  return undefined;
}

/** Inquires an unknown sale again. */
export function checkSale(till: Till, id: string): void {
  const sale = till.book.find(id);
  if (sale?.state !== "unknown" || till.running.has(id)) return;
  run(till, id, checkAgain);
}

export function refundSale(till: Till, sale: Sale, decimal: string): Problem | undefined {
  const amount = amountIn({ currency: sale.amount.currency }, decimal);
  if (!amount) return problem("This is not a valid amount. Example: 4.50.");
  const refusal = refundRefusal(sale, BigInt(amount.value));
  if (refusal) return problem(refusals[refusal]);
  giveBack(till, sale, amount);
  return undefined;
}

const refusals = {
  NOT_PAID: "The sale is not paid, so it cannot be refunded.",
  REFUND_OPEN: "Wait for the earlier refund: its outcome is not known yet.",
  TOO_MUCH: "The amount is higher than the rest that can be refunded.",
} as const;

/** The cashier starts with the next buyer. A sale without an outcome stays on the screen. */
export function clearScreen(till: Till): Problem | undefined {
  if (openAtTill(till)) return problem(isBusy);
  till.shownId = undefined;
  return undefined;
}

export function closeShift(till: Till): Problem | undefined {
  const isDone = till.book.ofShift().every((sale) => !isOpen(sale));
  if (!isDone) return problem("The current sale has not ended. Finish it first.");
  till.shownId = undefined;
  till.book.closeShift();
  return undefined;
}

/** Continues the open sales of a process that was killed. */
export function resume(till: Till): void {
  for (const sale of till.book.all().filter(isOpen)) {
    if (sale.way !== "entry") till.shownId ??= sale.id;
    till.book.move(sale.id, "checking");
    // Only sales at tables wait for their buyer after a restart, because no code is on a screen any more.
    const untilMs = sale.way === "entry" ? Date.parse(sale.at) + till.shop.payWithinMs : 0;
    run(till, sale.id, (settling) =>
      sale.cancelSentAt === undefined ? goOn(settling, untilMs) : cancelSafely(settling),
    );
  }
  for (const sale of till.book.all())
    for (const refund of sale.refunds) if (refund.state === "asked") repeatRefund(till, sale, refund);
}

/** Processes a webhook; throws if its signature is invalid. */
export async function hear(till: Till, incoming: Incoming): Promise<void> {
  const notification = await till.client.webhooks.construct(incoming);
  till.calls.note({
    direction: "in",
    method: "POST",
    path: incoming.path,
    request: notification.body,
    status: 200,
    durationMs: 0,
  });
  const told = endIn(notification);
  const sale = told && till.book.find(told.id);
  if (!sale) return;
  const running = till.running.get(sale.id);
  if (running) running.tell(told);
  // A cancel may have overtaken the webhook, so the webhook only triggers an inquiry.
  else checkSale(till, sale.id);
}

/** Returns the outcome of a payment that a webhook reports; undefined if it reports no outcome. */
function endIn({ kind, body }: Notification): (Settled & { readonly id: string }) | undefined {
  if (kind !== "notifyPayment" || (!body.isPaid && !body.isFailed)) return undefined;
  const { paymentRequestId: id, paymentId, result } = body;
  const facts = { id, paymentId, resultCode: result.resultCode };
  if (body.isPaid) return { outcome: "paid", ...facts };
  return { outcome: result.resultCode === "ORDER_IS_CANCELED" ? "cancelled" : "declined", ...facts };
}

/** Brings a sale to its outcome. No other code changes the sale until then. */
function run(till: Till, id: string, settle: (settling: Settling) => Promise<Settled>): void {
  const { client, book, pace, log, running } = till;
  const { promise: told, resolve: tell } = Promise.withResolvers<Settled>();
  const cancelling = new AbortController();
  let wasTold = false;
  running.set(id, {
    cancelling,
    tell(settled) {
      wasTold = true;
      tell(settled);
    },
  });
  const { cancelSentAt: sentAt } = book.find(id) ?? {};
  const settling: Settling = {
    payments: client.payments,
    paymentRequestId: id,
    cancelAsked: cancelling.signal,
    told,
    onProgress: ({ state, ...facts }) => book.move(id, state, facts),
    cancelSentAtMs: sentAt === undefined ? undefined : Date.parse(sentAt),
    onCancel: () => book.noteCancel(id),
    pace,
  };
  const fault = (error: unknown): Settled => {
    log(`${id}: ${String(error)}`);
    return { outcome: "unknown" };
  };
  const end = ({ outcome, ...facts }: Settled): void => {
    running.delete(id);
    if (outcome !== "unknown") book.settle({ id, outcome, ...facts });
    else if (book.move(id, "unknown") && wasTold) checkSale(till, id);
  };
  void settle(settling).catch(fault).then(end);
}

/** Returns the open sale that blocks another sale at this terminal. Sales at tables do not block it. */
function openAtTill({ book }: Till): Sale | undefined {
  return book.all().find((sale) => sale.way !== "entry" && isOpen(sale));
}

function amountOf({ currency }: Pick<Till, "currency">, value: string): Amount | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? { currency, value } : undefined;
}

function amountIn(till: Pick<Till, "currency">, decimal: string): Amount | undefined {
  try {
    return amountOf(till, String(Money.of(till.currency, decimal.trim().replace(",", ".")).minor));
  } catch {
    return undefined;
  }
}
