import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import {
  ConnectionError,
  DeclinedError,
  HttpStatusError,
  IdempotencyConflictError,
  NotFoundError,
  SignatureVerificationError,
  TimeoutError,
} from "../typescript/src/errors.ts";
import type { PayRequest } from "../typescript/src/generated/models.ts";
import type { LogEntry } from "../typescript/src/log.ts";
import { Money } from "../typescript/src/money.ts";
import { newRequestId } from "../typescript/src/request-id.ts";
import { Tollgate } from "../typescript/src/tollgate.ts";
import type { Notification } from "../typescript/src/notification.ts";
import type { Fault } from "./fault-proxy.ts";
import type { Mail } from "./mailbox.ts";

const settings = process.env as Readonly<Record<string, string>>;
const { BASE_URL, PROXY_URL, MAILBOX_URL, CLIENT_ID, WALLET_URL, CONTROL_SECRET } = settings;
const options = {
  clientId: CLIENT_ID,
  environment: "sandbox",
  keyVersion: Number(settings["KEY_VERSION"]),
  privateKey: readFileSync(settings["PRIVATE_KEY_FILE"] ?? "", "utf8"),
  gatewayPublicKeys: readFileSync(settings["GATEWAY_PUBLIC_KEY_FILE"] ?? "", "utf8"),
} as const;
const warnings: LogEntry[] = [];
const logger = (entry: LogEntry): void => {
  if (entry.event === "warning") warnings.push(entry);
};
const client = new Tollgate({ ...options, baseUrl: BASE_URL, logger });
const shaky = new Tollgate({ ...options, baseUrl: PROXY_URL, timeoutMs: 2_000 });

const price = Money.of("EUR", "12.50").toAmount();
const request = payRequest();
let paymentId = "";

await step("pay", async () => {
  const answer = await client.payments.pay(request);
  assert.ok(answer.isPending);
  assert.ok(answer.normalUrl);
  paymentId = answer.paymentId ?? "";
});

await step("approve", async () => {
  await control(`payments/${paymentId}/approve`);
  const paid = await client.payments.waitForFinal({ paymentId }, { timeoutMs: 20_000 });
  assert.equal(paid.paymentStatus, "SUCCESS");
});

await step("notification", async () => {
  const told = await hear(paymentId, "notifyPayment");
  assert.equal(told.kind === "notifyPayment" && told.body.paymentRequestId, request.paymentRequestId);
  assert.equal(told.subject, `notifyPayment ${paymentId}`);
});

await step("refund-part", async () => {
  const refundAmount = Money.of("EUR", "2.50").toAmount();
  const refundRequestId = newRequestId("refund");
  const refund = await client.payments.refund({
    refundRequestId,
    paymentId,
    refundAmount,
    refundNotifyUrl: `${MAILBOX_URL}/notify`,
  });
  assert.ok(refund.isSuccess || refund.isPending);
  const final = await client.payments.waitForFinalRefund({ refundRequestId }, { timeoutMs: 20_000 });
  assert.equal(final.refundStatus, "SUCCESS");
  assert.deepEqual(final.refundAmount, refundAmount);
});

await step("refund-notification", async () => {
  const told = await hear(paymentId, "notifyRefund");
  assert.equal(told.kind === "notifyRefund" && told.body.refundStatus, "SUCCESS");
});

await step("inquiry", async () => {
  const answer = await client.payments.inquiryPayment({ paymentRequestId: request.paymentRequestId });
  assert.equal(answer.paymentStatus, "SUCCESS");
  assert.deepEqual(
    answer.transactions?.map(({ transactionType }) => transactionType),
    ["REFUND"],
  );
});

await step("feed", async () => {
  const heard = [`notifyPayment ${paymentId}`];
  const signal = AbortSignal.timeout(20_000);
  let cursor = "";
  for await (const event of client.tollgate.events({ follow: true, signal })) {
    if (event.subject !== heard.at(-1)) continue;
    ({ cursor } = event);
    if (heard.length === 2) break;
    // All pages are read, so the next event arrives by the stream.
    const other = (await client.payments.pay(payRequest())).paymentId ?? "";
    await control(`payments/${other}/approve`);
    heard.push(`notifyPayment ${other}`);
  }
  assert.ok(!signal.aborted && heard.length === 2 && cursor !== "", heard.join(", "));
  assert.deepEqual(
    warnings,
    [],
    "Expected no warning: without the stream, the event would arrive by polling.",
  );
});

await step("repeat", async () => {
  const again = await client.payments.pay(request);
  assert.ok(again.isSuccess);
  assert.equal(again.paymentId, paymentId);
});

await step("conflict", async () => {
  const paymentAmount = Money.of("EUR", "13").toAmount();
  const order = { ...request.order, orderAmount: paymentAmount };
  await assert.rejects(client.payments.pay({ ...request, order, paymentAmount }), IdempotencyConflictError);
});

await step("declined", async () => {
  const poor = await inStore({ declines: "USER_BALANCE_NOT_ENOUGH" });
  await assert.rejects(client.payments.pay(poor), (error) => {
    assert.ok(error instanceof DeclinedError);
    assert.equal(error.code, "USER_BALANCE_NOT_ENOUGH");
    assert.equal(error.requestId, poor.paymentRequestId);
    return true;
  });
});

await step("not-found", async () => {
  await assert.rejects(client.payments.inquiryPayment({ paymentId: "20260101000000" }), NotFoundError);
});

await step("in-store", async () => {
  const scanned = await inStore({});
  const answer = await client.payments.pay(scanned);
  const paid = answer.isPending ? await client.payments.waitForFinal(idOf(scanned)) : undefined;
  assert.ok(answer.isSuccess || paid?.paymentStatus === "SUCCESS");
});

await step("authorization", async () => {
  const authState = newRequestId("state");
  await client.authorizations.consult({
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/linked",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  });
  const { redirectUrl } = await control(`authorizations/${authState}/agree`);
  const authCode = new URL(String(redirectUrl)).searchParams.get("authCode") ?? "";
  const grant = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  const { accessToken = "" } = await client.authorizations.applyToken(grant);
  const paymentMethod = { paymentMethodType: "GCASH", paymentMethodId: accessToken };
  const paid = await client.payments.pay({
    ...payRequest(),
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod,
  });
  assert.ok(paid.isSuccess, JSON.stringify(paid));
  assert.ok((await client.authorizations.revoke({ accessToken })).isSuccess);
});

await step("dispute", async () => {
  const disputed = payRequest();
  const { paymentId: id = "" } = await client.payments.pay(disputed);
  await control(`payments/${id}/approve`);
  await client.payments.waitForFinal({ paymentId: id }, { timeoutMs: 20_000 });
  const notifyUrls = [{ notificationKind: "notifyDispute", url: `${MAILBOX_URL}/notify` }];
  await client.tollgate.changeEndpoints({ notifyUrls });
  await control(`payments/${id}/dispute`);
  const told = await hear(id, "notifyDispute");
  const disputeId = told.kind === "notifyDispute" ? told.body.disputeId : "";
  assert.ok((await client.payments.acceptDispute({ disputeId })).isSuccess);
});

const expected: Readonly<Record<Fault, new (...facts: never[]) => Error>> = {
  reset: ConnectionError,
  hang: TimeoutError,
  "status-500": HttpStatusError,
  truncate: ConnectionError,
  tamper: SignatureVerificationError,
};

for (const kind of ["reset", "hang", "status-500", "truncate"] as const) {
  await step(`fault-${kind}`, async () => {
    const once = payRequest();
    await spoil(kind);
    const answer = await shaky.payments.pay(once);
    assert.equal(answer.attempts, 2);
    await paidOnce(once, answer.paymentId);
  });
}

await step("fault-tamper", async () => {
  const once = payRequest();
  await spoil("tamper");
  await assert.rejects(shaky.payments.pay(once), expected.tamper);
  await paidOnce(once, (await shaky.payments.pay(once)).paymentId);
});

for (const kind of ["reset", "hang", "status-500", "truncate"] as const) {
  await step(`fault-${kind}-no-retries`, async () => {
    const once = payRequest();
    await spoil(kind);
    await assert.rejects(shaky.payments.pay(once, { maxRetries: 0 }), expected[kind]);
    await paidOnce(once, (await shaky.payments.pay(once)).paymentId);
  });
}

async function step(name: string, live: () => Promise<void>): Promise<void> {
  try {
    await live();
    process.stdout.write(`${name} ok\n`);
  } catch (error) {
    process.stdout.write(`${name} FAILED ${String(error).replaceAll(/\s+/g, " ")}\n`);
  }
}

function payRequest(): PayRequest {
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: newRequestId("life"),
    order: { referenceOrderId: "order-1001", orderDescription: "Two coffees", orderAmount: price },
    paymentAmount: price,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: `${MAILBOX_URL}/notify?shop=1`,
    env: { terminalType: "WEB" },
  };
}

/** The request for a buyer who shows a code at a point of sale. */
async function inStore(buyer: object): Promise<PayRequest> {
  const { paymentCode } = await control("payment-codes", buyer);
  const store = { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "m-1", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = { storeTerminalId: "till-1", storeTerminalRequestTime: "2026-11-15T09:30:00+00:00" };
  const online = payRequest();
  return {
    ...online,
    productCode: "IN_STORE_PAYMENT",
    order: { ...online.order, merchant, env },
    paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: String(paymentCode) },
    paymentFactor: { inStorePaymentScenario: "PaymentCode" },
    settlementStrategy: { settlementCurrency: "EUR" },
  };
}

function idOf({ paymentRequestId }: PayRequest): { paymentRequestId: string } {
  return { paymentRequestId };
}

/** Checks that there is one payment, and one order at the provider, however often the request was sent. */
async function paidOnce(sent: PayRequest, id: string | undefined): Promise<void> {
  assert.ok(id);
  assert.equal((await client.payments.inquiryPayment(idOf(sent))).paymentId, id);
  const { orders } = await control(`orders?paymentId=${id}`, undefined, "GET");
  assert.ok((orders as readonly unknown[]).length <= 1);
}

/** Calls the sandbox provider's control API, which acts as the buyer. */
async function control(
  path: string,
  body?: object,
  method = "POST",
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${WALLET_URL}/control/${path}`, {
    method,
    headers: { authorization: `Bearer ${CONTROL_SECRET}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text === "" ? "{}" : text) as Readonly<Record<string, unknown>>;
}

async function spoil(kind: Fault): Promise<void> {
  await fetch(`${PROXY_URL}/fault`, { method: "POST", body: JSON.stringify({ kind }) });
}

/** Waits for the webhook of this kind about a record, and verifies it. */
async function hear(about: string, kind: Notification["kind"]): Promise<Notification> {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`${MAILBOX_URL}/mail?about=${about}`);
    for (const { bodyBase64, ...mail } of (await response.json()) as readonly Mail[]) {
      const body = Buffer.from(bodyBase64, "base64");
      const notification = await client.webhooks.construct({ ...mail, body });
      if (notification.kind === kind) return notification;
    }
    await pause(200);
  }
  throw new Error(`Nobody told ${kind} of ${about}.`);
}
