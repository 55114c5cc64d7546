import assert from "node:assert/strict";
import { test } from "node:test";
import { Tollgate } from "../../clients/typescript/src/generated/package.ts";
import { fakeGateway, testKeys, type Reply } from "../../clients/typescript/src/testing.ts";
import {
  cancelSafely,
  recheckPayment,
  resumePayment,
  payByCode,
  payByShowing,
  sleep,
  type SaleResult,
  type PaymentRun,
} from "./by-code.ts";
import { codeRequest, coffeeLab, orderRequest } from "./requests.ts";

const keys = await testKeys();
const shop = {
  ...coffeeLab,
  method: "GCASH",
  payWithinMs: 60_000,
  notifyUrl: "http://127.0.0.1/notifications",
};
const sale = { id: "till-1-a", amount: { currency: "EUR", value: "450" } };

const respond = (resultStatus: string, resultCode: string, fields: object = {}): Reply => ({
  body: { result: { resultStatus, resultCode, resultMessage: "" }, paymentId: "p-1", ...fields },
});
const respondPayment = (paymentStatus: string, fields: object = {}): Reply =>
  respond("S", "SUCCESS", { paymentStatus, paymentResultCode: paymentStatus, ...fields });
const noResponse: Reply = { fault: "reset" };
const inProcess = respond("U", "PAYMENT_IN_PROCESS");
const notFound = respond("F", "ORDER_NOT_EXIST", { paymentId: undefined });
const cancelled = respond("S", "SUCCESS");
const expiresAt = new Date(Date.now() + 60_000).toISOString();
const orderCode = respond("S", "SUCCESS", {
  orderCodeForm: {
    expireTime: expiresAt,
    codeDetails: [{ codeValueType: "QRCODE", displayType: "TEXT", codeValue: "https://wallet.example/1" }],
  },
});
const repeatReply = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);

interface RunOutcome {
  readonly result: SaleResult;
  /** Operations of the sent requests. */
  readonly sent: readonly string[];
  readonly bodies: readonly string[];
  readonly cancelsRecorded: number;
}

interface Script {
  readonly replies: readonly Reply[];
  readonly webhookResult?: Promise<SaleResult>;
  readonly cancelRequested?: AbortSignal;
}

async function runScript(
  start: (paymentRun: PaymentRun) => Promise<SaleResult>,
  {
    replies,
    webhookResult = new Promise(() => undefined),
    cancelRequested = new AbortController().signal,
  }: Script,
): Promise<RunOutcome> {
  const gateway = fakeGateway(replies, keys.privateKey);
  const client = new Tollgate({
    clientId: "SANDBOX_TILL",
    privateKey: (await testKeys()).privateKey,
    gatewayPublicKeys: keys.publicKey,
    baseUrl: "https://gateway.example",
    transport: gateway.transport,
    allowUnsignedRefusals: false,
  });
  let cancelsRecorded = 0;
  const result = await start({
    payments: client.payments,
    paymentRequestId: sale.id,
    cancelRequested,
    webhookResult,
    onProgress: () => undefined,
    cancelSentAtMs: undefined,
    onCancel: () => void (cancelsRecorded += 1),
    pace: 0,
  });
  // The pause records requests that are sent after the outcome, because these count as well.
  await sleep(20);
  const sent = gateway.requests.map(({ url }) => url.split("/").at(-1) ?? "");
  const bodies = gateway.requests.map(({ body }) => new TextDecoder().decode(body));
  return { result, sent, bodies, cancelsRecorded };
}

const byCode = (paymentRun: PaymentRun): Promise<SaleResult> =>
  payByCode(paymentRun, codeRequest(shop, { ...sale, code: "281000020000000000000001" }));
const byShowing = (paymentRun: PaymentRun): Promise<SaleResult> =>
  payByShowing(paymentRun, orderRequest(shop, sale));
const inquiries = (count: number): string[] => Array.from({ length: count }, () => "inquiryPayment");
const cancels = (count: number): string[] => Array.from({ length: count }, () => "cancel");

const scriptedCases: readonly {
  readonly name: string;
  readonly start: (paymentRun: PaymentRun) => Promise<SaleResult>;
  readonly replies: readonly Reply[];
  readonly outcome: SaleResult["outcome"];
  readonly sent: readonly string[];
}[] = [
  {
    name: "SUCCESS is paid",
    start: byCode,
    replies: [respondPayment("SUCCESS")],
    outcome: "paid",
    sent: ["pay"],
  },
  {
    name: "F is not paid, and is not cancelled",
    start: byCode,
    replies: [respond("F", "USER_BALANCE_NOT_ENOUGH")],
    outcome: "declined",
    sent: ["pay"],
  },
  {
    name: "U, and then it is paid",
    start: byCode,
    replies: [inProcess, respondPayment("PROCESSING"), respondPayment("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...inquiries(2)],
  },
  {
    name: "no answer, and it was paid",
    start: byCode,
    replies: [noResponse, respondPayment("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...inquiries(1)],
  },
  {
    name: "what the gateway has not heard of may still come",
    start: byCode,
    replies: [noResponse, notFound, notFound, respondPayment("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...inquiries(3)],
  },
  {
    name: "U, and then the wallet says no",
    start: byCode,
    replies: [inProcess, respondPayment("FAIL")],
    outcome: "declined",
    sent: ["pay", ...inquiries(1)],
  },
  {
    name: "after nine inquiries it is cancelled",
    start: byCode,
    replies: [inProcess, ...repeatReply(9, respondPayment("PROCESSING")), cancelled],
    outcome: "cancelled",
    sent: ["pay", ...inquiries(9), ...cancels(1)],
  },
  {
    name: "an inquiry that is refused leads to the cancel at once",
    start: byCode,
    replies: [inProcess, respond("F", "ACCESS_DENIED"), cancelled],
    outcome: "cancelled",
    sent: ["pay", ...inquiries(1), ...cancels(1)],
  },
  {
    name: "without any line it is unknown, after six cancels",
    start: byCode,
    replies: repeatReply(16, noResponse),
    outcome: "unknown",
    sent: ["pay", ...inquiries(9), ...cancels(6)],
  },
  {
    name: "a cancel that is refused because it is paid for good",
    start: cancelSafely,
    replies: [respond("F", "CANCEL_WINDOW_EXCEED"), respondPayment("SUCCESS")],
    outcome: "paid",
    sent: [...cancels(1), ...inquiries(1)],
  },
  {
    name: "a cancel that is refused because the wallet has declined",
    start: cancelSafely,
    replies: [noResponse, respond("F", "ORDER_STATUS_INVALID"), respondPayment("FAIL")],
    outcome: "declined",
    sent: [...cancels(2), ...inquiries(1)],
  },
  {
    name: "too many calls at once are no word about the payment",
    start: cancelSafely,
    replies: [respond("F", "REQUEST_TRAFFIC_EXCEED_LIMIT"), cancelled],
    outcome: "cancelled",
    sent: cancels(2),
  },
  {
    name: "paid is not paid while a cancel gives it back",
    start: recheckPayment,
    replies: repeatReply(
      3,
      respondPayment("SUCCESS", {
        transactions: [{ transactionType: "CANCEL", transactionStatus: "PROCESSING" }],
      }),
    ),
    outcome: "unknown",
    sent: inquiries(3),
  },
  {
    name: "checked again, it is found",
    start: (paymentRun) => recheckPayment({ ...paymentRun, cancelSentAtMs: Date.now() }),
    replies: [noResponse, respondPayment("SUCCESS")],
    outcome: "paid",
    sent: inquiries(2),
  },
  {
    name: "a till that was killed finds what it had sent",
    start: (paymentRun) => resumePayment(paymentRun, 0),
    replies: [respondPayment("SUCCESS")],
    outcome: "paid",
    sent: inquiries(1),
  },
  {
    name: "a code is shown, and paid",
    start: byShowing,
    replies: [orderCode, respondPayment("PROCESSING"), respondPayment("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...inquiries(2)],
  },
  {
    name: "the identical call brings the code that was lost",
    start: byShowing,
    replies: [noResponse, inProcess, orderCode, respondPayment("SUCCESS")],
    outcome: "paid",
    sent: ["pay", "pay", "pay", ...inquiries(1)],
  },
  {
    name: "three calls without a code are cancelled",
    start: byShowing,
    replies: [...repeatReply(3, noResponse), cancelled],
    outcome: "cancelled",
    sent: ["pay", "pay", "pay", "cancel"],
  },
  {
    name: "a refusal of the repeated call is no word about the first",
    start: byShowing,
    replies: [noResponse, respond("F", "PROCESS_FAIL"), cancelled],
    outcome: "cancelled",
    sent: ["pay", "pay", "cancel"],
  },
];

for (const { name, start, replies, outcome, sent } of scriptedCases)
  test(name, async () => {
    const runOutcome = await runScript(start, { replies });
    assert.deepEqual({ outcome: runOutcome.result.outcome, sent: runOutcome.sent }, { outcome, sent });
    assert.equal(runOutcome.cancelsRecorded, sent.filter((each) => each === "cancel").length);
  });

test("a repeated request has the same bytes", async () => {
  const { bodies } = await runScript(byShowing, { replies: [...repeatReply(3, noResponse), cancelled] });
  assert.equal(new Set(bodies.slice(0, 3)).size, 1);
});

test("while a cancel without a response may be in flight, paid is not final", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const refused = [respond("F", "PROCESS_FAIL"), respondPayment("SUCCESS")];
  const replies = [noResponse, ...refused, ...refused, ...refused, ...refused, ...refused];
  const { result } = await runScript((paymentRun) => cancelSafely({ ...paymentRun, pace: 0.001 }), {
    replies,
  });
  assert.equal(result.outcome, "unknown");
});

test("a webhook ends the sale, and no request follows", async () => {
  const webhookResult = Promise.resolve({ outcome: "paid", paymentId: "p-1" } as const);
  const { result, sent } = await runScript(byCode, { replies: [noResponse], webhookResult });
  assert.equal(result.outcome, "paid");
  assert.ok(sent.length <= 1, sent.join());
});

test("a cashier's cancel does not wait for pending inquiries", async () => {
  const { result, sent } = await runScript(byCode, {
    replies: [cancelled],
    cancelRequested: AbortSignal.abort(),
  });
  assert.equal(result.outcome, "cancelled");
  assert.deepEqual(sent, ["cancel"]);
});

test("a response without a valid signature is ignored", async () => {
  const otherKey = await testKeys();
  const forged = fakeGateway([respond("F", "PROCESS_FAIL")], otherKey.privateKey);
  const honest = fakeGateway([respondPayment("SUCCESS")], keys.privateKey);
  let calls = 0;
  const client = new Tollgate({
    clientId: "SANDBOX_TILL",
    privateKey: otherKey.privateKey,
    gatewayPublicKeys: keys.publicKey,
    baseUrl: "https://gateway.example",
    transport: (request) => ((calls += 1) === 1 ? forged : honest).transport(request),
    allowUnsignedRefusals: false,
  });
  const result = await byCode({
    payments: client.payments,
    paymentRequestId: sale.id,
    cancelRequested: new AbortController().signal,
    webhookResult: new Promise(() => undefined),
    onProgress: () => undefined,
    cancelSentAtMs: undefined,
    onCancel: () => undefined,
    pace: 0,
  });
  assert.equal(result.outcome, "paid");
});
