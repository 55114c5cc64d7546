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
const faultyClient = new Tollgate({ ...options, baseUrl: PROXY_URL, timeoutMs: 2_000 });

const price = Money.of("EUR", "12.50").toAmount();
const request = createPayRequest();
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
  const notification = await waitForNotification(paymentId, "notifyPayment");
  assert.equal(
    notification.kind === "notifyPayment" && notification.body.paymentRequestId,
    request.paymentRequestId,
  );
  assert.equal(notification.subject, `notifyPayment ${paymentId}`);
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
  const notification = await waitForNotification(paymentId, "notifyRefund");
  assert.equal(notification.kind === "notifyRefund" && notification.body.refundStatus, "SUCCESS");
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
  const expectedSubjects = [`notifyPayment ${paymentId}`];
  const signal = AbortSignal.timeout(20_000);
  let cursor = "";
  for await (const event of client.tollgate.events({ follow: true, signal })) {
    if (event.subject !== expectedSubjects.at(-1)) continue;
    ({ cursor } = event);
    if (expectedSubjects.length === 2) break;
    // All pages are read, so the next event arrives by the stream.
    const otherPaymentId = (await client.payments.pay(createPayRequest())).paymentId ?? "";
    await control(`payments/${otherPaymentId}/approve`);
    expectedSubjects.push(`notifyPayment ${otherPaymentId}`);
  }
  assert.ok(!signal.aborted && expectedSubjects.length === 2 && cursor !== "", expectedSubjects.join(", "));
  assert.deepEqual(
    warnings,
    [],
    "Expected no warning: without the stream, the event would arrive by polling.",
  );
});

await step("repeat", async () => {
  const repeated = await client.payments.pay(request);
  assert.ok(repeated.isSuccess);
  assert.equal(repeated.paymentId, paymentId);
});

await step("conflict", async () => {
  const paymentAmount = Money.of("EUR", "13").toAmount();
  const order = { ...request.order, orderAmount: paymentAmount };
  await assert.rejects(client.payments.pay({ ...request, order, paymentAmount }), IdempotencyConflictError);
});

await step("declined", async () => {
  const declinedRequest = await createInStoreRequest({ declines: "USER_BALANCE_NOT_ENOUGH" });
  await assert.rejects(client.payments.pay(declinedRequest), (error) => {
    assert.ok(error instanceof DeclinedError);
    assert.equal(error.code, "USER_BALANCE_NOT_ENOUGH");
    assert.equal(error.requestId, declinedRequest.paymentRequestId);
    return true;
  });
});

await step("not-found", async () => {
  await assert.rejects(client.payments.inquiryPayment({ paymentId: "20260101000000" }), NotFoundError);
});

await step("in-store", async () => {
  const inStoreRequest = await createInStoreRequest({});
  const answer = await client.payments.pay(inStoreRequest);
  const paid = answer.isPending ? await client.payments.waitForFinal(idOf(inStoreRequest)) : undefined;
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
    ...createPayRequest(),
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod,
  });
  assert.ok(paid.isSuccess, JSON.stringify(paid));
  assert.ok((await client.authorizations.revoke({ accessToken })).isSuccess);
});

await step("dispute", async () => {
  const disputed = createPayRequest();
  const { paymentId: id = "" } = await client.payments.pay(disputed);
  await control(`payments/${id}/approve`);
  await client.payments.waitForFinal({ paymentId: id }, { timeoutMs: 20_000 });
  const notifyUrls = [{ notificationKind: "notifyDispute", url: `${MAILBOX_URL}/notify` }];
  await client.tollgate.changeEndpoints({ notifyUrls });
  await control(`payments/${id}/dispute`);
  const notification = await waitForNotification(id, "notifyDispute");
  const disputeId = notification.kind === "notifyDispute" ? notification.body.disputeId : "";
  assert.ok((await client.payments.acceptDispute({ disputeId })).isSuccess);
});

const errorOfFault: Readonly<Record<Fault, new (...facts: never[]) => Error>> = {
  reset: ConnectionError,
  hang: TimeoutError,
  "status-500": HttpStatusError,
  truncate: ConnectionError,
  tamper: SignatureVerificationError,
};

for (const kind of ["reset", "hang", "status-500", "truncate"] as const) {
  await step(`fault-${kind}`, async () => {
    const faultRequest = createPayRequest();
    await injectFault(kind);
    const answer = await faultyClient.payments.pay(faultRequest);
    assert.equal(answer.attempts, 2);
    await assertPaidOnce(faultRequest, answer.paymentId);
  });
}

await step("fault-tamper", async () => {
  const faultRequest = createPayRequest();
  await injectFault("tamper");
  await assert.rejects(faultyClient.payments.pay(faultRequest), errorOfFault.tamper);
  await assertPaidOnce(faultRequest, (await faultyClient.payments.pay(faultRequest)).paymentId);
});

for (const kind of ["reset", "hang", "status-500", "truncate"] as const) {
  await step(`fault-${kind}-no-retries`, async () => {
    const faultRequest = createPayRequest();
    await injectFault(kind);
    await assert.rejects(faultyClient.payments.pay(faultRequest, { maxRetries: 0 }), errorOfFault[kind]);
    await assertPaidOnce(faultRequest, (await faultyClient.payments.pay(faultRequest)).paymentId);
  });
}

async function step(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    process.stdout.write(`${name} ok\n`);
  } catch (error) {
    process.stdout.write(`${name} FAILED ${String(error).replaceAll(/\s+/g, " ")}\n`);
  }
}

function createPayRequest(): PayRequest {
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
async function createInStoreRequest(buyer: object): Promise<PayRequest> {
  const { paymentCode } = await control("payment-codes", buyer);
  const store = { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "m-1", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = { storeTerminalId: "till-1", storeTerminalRequestTime: "2026-11-15T09:30:00+00:00" };
  const onlineRequest = createPayRequest();
  return {
    ...onlineRequest,
    productCode: "IN_STORE_PAYMENT",
    order: { ...onlineRequest.order, merchant, env },
    paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: String(paymentCode) },
    paymentFactor: { inStorePaymentScenario: "PaymentCode" },
    settlementStrategy: { settlementCurrency: "EUR" },
  };
}

function idOf({ paymentRequestId }: PayRequest): { paymentRequestId: string } {
  return { paymentRequestId };
}

/** Checks that there is one payment, and one order at the provider, however often the request was sent. */
async function assertPaidOnce(sentRequest: PayRequest, id: string | undefined): Promise<void> {
  assert.ok(id);
  assert.equal((await client.payments.inquiryPayment(idOf(sentRequest))).paymentId, id);
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

async function injectFault(kind: Fault): Promise<void> {
  await fetch(`${PROXY_URL}/fault`, { method: "POST", body: JSON.stringify({ kind }) });
}

/** Waits for the webhook of this kind about a record, and verifies it. */
async function waitForNotification(subjectId: string, kind: Notification["kind"]): Promise<Notification> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`${MAILBOX_URL}/mail?about=${subjectId}`);
    for (const { bodyBase64, ...mail } of (await response.json()) as readonly Mail[]) {
      const body = Buffer.from(bodyBase64, "base64");
      const notification = await client.webhooks.construct({ ...mail, body });
      if (notification.kind === kind) return notification;
    }
    await pause(200);
  }
  throw new Error(`No webhook ${kind} about ${subjectId} arrived.`);
}
