import { applyOnce } from "../../../clients/typescript/src/apply-once.ts";
import { ResultError } from "../../../clients/typescript/src/errors.ts";
import { Money } from "../../../clients/typescript/src/money.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { PaymentOutcome } from "../../../clients/typescript/src/generated/payment-outcomes.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import type { Notification } from "../../../clients/typescript/src/notification.ts";
import type { Incoming } from "../../../clients/typescript/src/webhooks.ts";
import type { OrderBook } from "./order-book.ts";
import { products, type Mood, type Order } from "./order.ts";

/** A shop as a merchant would write it, with only the client library and its own database. */
export interface Shop {
  readonly client: Tollgate;
  readonly book: OrderBook;
  /** The shop's address for buyers. */
  readonly shopUrl: string;
  /** The shop's webhook address. */
  readonly notifyUrl: string;
  /** Called after each change of an order. */
  readonly onChange: (orderId: string) => void;
}

/** Orders a product, and returns the page on which the buyer pays. */
export async function buy(shop: Shop, product: string): Promise<string> {
  const { client, book, shopUrl, notifyUrl } = shop;
  const wanted = Object.hasOwn(products, product) ? products[product] : undefined;
  if (!wanted) throw new Error("There is no such product.");
  const { name, amount } = wanted;
  const id = newRequestId("shop");
  // The order is stored before the request is sent, so that it is known under this id whatever the outcome, and the
  // request can be repeated.
  book.add({ id, name, amount });
  note(shop, id, "plain", `${name} ordered, for ${Money.from(amount).toString()}.`);
  const answer = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: id,
    order: { referenceOrderId: id, orderDescription: name, orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: `${shopUrl}/orders/${id}`,
    paymentNotifyUrl: notifyUrl,
    env: { terminalType: "WEB" },
  });
  const { paymentId = "", normalUrl = "", result } = answer;
  book.setPayment(id, { paymentId, payPage: normalUrl });
  note(shop, id, "plain", `Called pay: ${result.resultCode}. The buyer goes to the page in the response.`);
  return normalUrl;
}

/**
 * Returns the order. If the shop does not know it, for example because a script started the payment, the shop inquires
 * at the gateway.
 */
export async function findOrder(shop: Shop, id: string): Promise<Order | undefined> {
  const { client, book } = shop;
  const known = book.find(id);
  if (known) return known;
  const answer = await client.payments.inquiryPayment({ paymentRequestId: id }, { throwOnFailure: false });
  const { paymentId, paymentAmount: amount, paymentStatus = "", transactions = [] } = answer;
  if (paymentId === undefined || !amount) return undefined;
  book.add({ id, name: "Your order", amount, paymentId });
  note(shop, id, "plain", `Not ordered here, so called inquiryPayment: ${paymentStatus}.`);
  settle(book, id, answer);
  for (const { transactionType, transactionStatus, transactionId, transactionAmount } of transactions)
    if (transactionType === "REFUND" && transactionStatus === "SUCCESS")
      book.addRefund(id, transactionId, BigInt(transactionAmount.value));
  return book.find(id);
}

/** Accepts a webhook, and throws if its signature is not valid. */
export async function hear(shop: Shop, incoming: Incoming): Promise<void> {
  const { client, book } = shop;
  const notification = await client.webhooks.construct(incoming);
  const { kind } = notification;
  // Webhooks may be delivered twice and out of order.
  const outcome = await book.inTransaction((database) =>
    applyOnce(database, notification, () => take(book, notification)),
  );
  const orderId = orderIdOf(book, notification);
  if (orderId === undefined) return;
  const isNews = outcome === "applied";
  const says = isNews ? `${codeOf(notification)}. Its signature is valid.` : "again, without a change.";
  note(shop, orderId, isNews ? "good" : "plain", `Received webhook: ${kind} ${says}`);
}

/** Applies the webhook to the order. */
function take(book: OrderBook, notification: Notification): void {
  if (notification.kind === "notifyPayment") {
    const { paymentRequestId: id, paymentId, paymentAmount: amount } = notification.body;
    if (amount) book.add({ id, name: "Your order", amount, paymentId });
    settle(book, id, notification.body);
  }
  if (notification.kind === "notifyRefund") {
    const { paymentId, refundId, refundAmount, refundStatus } = notification.body;
    const order = book.findByPayment(paymentId);
    if (order && refundStatus === "SUCCESS") book.addRefund(order.id, refundId, BigInt(refundAmount.value));
  }
}

/** Sets the order's final status. It changes nothing while the payment is pending or its money is only held. */
function settle(book: OrderBook, id: string, { isPaid, isFailed }: PaymentOutcome): void {
  if (isPaid) book.setStatus(id, "PAID");
  if (isFailed) book.setStatus(id, "FAILED");
}

/** Queries the status of a payment at the gateway, for the case that no webhook arrives. */
export async function ask(shop: Shop, { id }: Order): Promise<void> {
  const answer = await shop.client.payments.inquiryPayment({ paymentRequestId: id });
  settle(shop.book, id, answer);
  note(shop, id, "plain", `Called inquiryPayment: ${answer.paymentStatus ?? ""}.`);
}

export async function refund(shop: Shop, order: Order, decimal: string): Promise<void> {
  const { id, amount, paymentId = "" } = order;
  try {
    const wanted = Money.of(amount.currency, decimal.trim());
    const { result } = await shop.client.payments.refund({
      refundRequestId: newRequestId("shop"),
      paymentId,
      refundAmount: wanted.toAmount(),
      refundNotifyUrl: shop.notifyUrl,
    });
    note(shop, id, "plain", `Called refund of ${wanted.toString()}: ${result.resultCode}.`);
  } catch (error) {
    if (!(error instanceof ResultError) && !(error instanceof RangeError)) throw error;
    note(shop, id, "bad", `Not refunded. ${error.message}`);
  }
}

function note({ book, onChange }: Shop, id: string, mood: Mood, text: string): void {
  book.note(id, mood, text);
  onChange(id);
}

/** Returns the id of the order that a webhook is about; undefined if the webhook is not about an order. */
function orderIdOf(book: OrderBook, { body }: Notification): string | undefined {
  const { paymentId, paymentRequestId } = body as Readonly<Record<string, unknown>>;
  const order =
    typeof paymentRequestId === "string"
      ? book.find(paymentRequestId)
      : book.findByPayment(typeof paymentId === "string" ? paymentId : "");
  return order?.id;
}

function codeOf({ body }: Notification): string {
  return (body as { readonly result?: { readonly resultCode?: string } }).result?.resultCode ?? "";
}
