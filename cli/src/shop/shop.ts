import { applyOnce } from "../../../clients/typescript/src/apply-once.ts";
import { ResultError } from "../../../clients/typescript/src/errors.ts";
import { Money } from "../../../clients/typescript/src/money.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { PaymentOutcome } from "../../../clients/typescript/src/generated/payment-outcomes.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import type { Notification } from "../../../clients/typescript/src/notification.ts";
import type { Incoming } from "../../../clients/typescript/src/webhooks.ts";
import type { OrderStore } from "./order-store.ts";
import { products, type StepTone, type Order } from "./order.ts";

/** A shop as a merchant would write it, with only the client library and its own database. */
export interface Shop {
  readonly client: Tollgate;
  readonly orderStore: OrderStore;
  /** The shop's address for buyers. */
  readonly shopUrl: string;
  /** The shop's webhook address. */
  readonly notifyUrl: string;
  /** Called after each change of an order. */
  readonly onChange: (orderId: string) => void;
}

/** Orders a product, and returns the page on which the buyer pays. */
export async function createOrder(shop: Shop, product: string): Promise<string> {
  const { client, orderStore, shopUrl, notifyUrl } = shop;
  const selected = Object.hasOwn(products, product) ? products[product] : undefined;
  if (!selected) throw new Error("There is no such product.");
  const { name, amount } = selected;
  const id = newRequestId("shop");
  // The order is stored before the request is sent, so that it is known under this id whatever the outcome, and the
  // request can be repeated.
  orderStore.add({ id, name, amount });
  addStep(shop, id, "plain", `${name} ordered, for ${Money.from(amount).toString()}.`);
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
  orderStore.setPayment(id, { paymentId, payPage: normalUrl });
  addStep(shop, id, "plain", `Called pay: ${result.resultCode}. The buyer goes to the page in the response.`);
  return normalUrl;
}

/**
 * Returns the order. If the shop does not know it, for example because a script started the payment, the shop inquires
 * at the gateway.
 */
export async function findOrder(shop: Shop, id: string): Promise<Order | undefined> {
  const { client, orderStore } = shop;
  const storedOrder = orderStore.find(id);
  if (storedOrder) return storedOrder;
  const answer = await client.payments.inquiryPayment({ paymentRequestId: id }, { throwOnFailure: false });
  const { paymentId, paymentAmount: amount, paymentStatus = "", transactions = [] } = answer;
  if (paymentId === undefined || !amount) return undefined;
  orderStore.add({ id, name: "Your order", amount, paymentId });
  addStep(shop, id, "plain", `Not ordered here, so called inquiryPayment: ${paymentStatus}.`);
  updateStatus(orderStore, id, answer);
  for (const { transactionType, transactionStatus, transactionId, transactionAmount } of transactions)
    if (transactionType === "REFUND" && transactionStatus === "SUCCESS")
      orderStore.addRefund(id, transactionId, BigInt(transactionAmount.value));
  return orderStore.find(id);
}

/** Accepts a webhook, and throws if its signature is not valid. */
export async function receiveWebhook(shop: Shop, incoming: Incoming): Promise<void> {
  const { client, orderStore } = shop;
  const notification = await client.webhooks.construct(incoming);
  const { kind } = notification;
  // Webhooks may be delivered twice and out of order.
  const outcome = await orderStore.inTransaction((database) =>
    applyOnce(database, notification, () => applyNotification(orderStore, notification)),
  );
  const orderId = findOrderId(orderStore, notification);
  if (orderId === undefined) return;
  const isNew = outcome === "applied";
  const detail = isNew
    ? `${resultCodeOf(notification)}. Its signature is valid.`
    : "again, without a change.";
  addStep(shop, orderId, isNew ? "good" : "plain", `Received webhook: ${kind} ${detail}`);
}

/** Applies the webhook to the order. */
function applyNotification(orderStore: OrderStore, notification: Notification): void {
  if (notification.kind === "notifyPayment") {
    const { paymentRequestId: id, paymentId, paymentAmount: amount } = notification.body;
    if (amount) orderStore.add({ id, name: "Your order", amount, paymentId });
    updateStatus(orderStore, id, notification.body);
  }
  if (notification.kind === "notifyRefund") {
    const { paymentId, refundId, refundAmount, refundStatus } = notification.body;
    const order = orderStore.findByPayment(paymentId);
    if (order && refundStatus === "SUCCESS")
      orderStore.addRefund(order.id, refundId, BigInt(refundAmount.value));
    // A refund can fail after it succeeded, if the buyer's bank returns the money.
    if (refundStatus === "FAIL") orderStore.removeRefund(refundId);
  }
}

/** Sets the order's final status. It changes nothing while the payment is pending or its money is only held. */
function updateStatus(orderStore: OrderStore, id: string, { isPaid, isFailed }: PaymentOutcome): void {
  if (isPaid) orderStore.setStatus(id, "PAID");
  if (isFailed) orderStore.setStatus(id, "FAILED");
}

/** Queries the status of a payment at the gateway, for the case that no webhook arrives. */
export async function queryStatus(shop: Shop, { id }: Order): Promise<void> {
  const answer = await shop.client.payments.inquiryPayment({ paymentRequestId: id });
  updateStatus(shop.orderStore, id, answer);
  addStep(shop, id, "plain", `Called inquiryPayment: ${answer.paymentStatus ?? ""}.`);
}

export async function refund(shop: Shop, order: Order, decimal: string): Promise<void> {
  const { id, amount, paymentId = "" } = order;
  try {
    const refundMoney = Money.of(amount.currency, decimal.trim());
    const { result } = await shop.client.payments.refund({
      refundRequestId: newRequestId("shop"),
      paymentId,
      refundAmount: refundMoney.toAmount(),
      refundNotifyUrl: shop.notifyUrl,
    });
    addStep(shop, id, "plain", `Called refund of ${refundMoney.toString()}: ${result.resultCode}.`);
  } catch (error) {
    if (!(error instanceof ResultError) && !(error instanceof RangeError)) throw error;
    addStep(shop, id, "bad", `Not refunded. ${error.message}`);
  }
}

function addStep({ orderStore, onChange }: Shop, id: string, mood: StepTone, text: string): void {
  orderStore.addStep(id, mood, text);
  onChange(id);
}

/** Returns the id of the order that a webhook is about; undefined if the webhook is not about an order. */
function findOrderId(orderStore: OrderStore, { body }: Notification): string | undefined {
  const { paymentId, paymentRequestId } = body as Readonly<Record<string, unknown>>;
  const order =
    typeof paymentRequestId === "string"
      ? orderStore.find(paymentRequestId)
      : orderStore.findByPayment(typeof paymentId === "string" ? paymentId : "");
  return order?.id;
}

function resultCodeOf({ body }: Notification): string {
  return (body as { readonly result?: { readonly resultCode?: string } }).result?.resultCode ?? "";
}
