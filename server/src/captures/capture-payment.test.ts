import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import type { ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import type { ConnectorTerms } from "../providers/connector.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
await connect("no-hold", "BOOST", { captures: "NONE" });
await connect("once", "MAYA", { captures: "ONE" });
await connect("careless", "TNG", { idempotentByReference: false, quietSeconds: 3 });
const [publicGateway, internalGateway] = [await stack.serve({ isPublic: true }), await stack.serve()];
await stack.work();
const shop = await startTestShop();

/** Connects the same provider again under a different name and with other contract terms. */
function connect(name: string, paymentMethodType: string, terms: Partial<ConnectorTerms>): Promise<void> {
  const { url, publicKeyFile } = provider;
  const paymentMethodTypes = [paymentMethodType];
  const connector = { name, url, publicKeyFile, partnerId: "tollgate", paymentMethodTypes, simulator: true };
  return addConnector(database.ownerUrl, "sandbox", { ...connector, terms });
}

const call = (verb: string, body: object, url = publicGateway.url): Promise<ReceivedAnswer> =>
  callPayments(url, merchant, verb, body);
const codeOf = ({ json }: ReceivedAnswer): string | undefined => json.result["resultCode"];
const eur = (minor: number): object => ({ currency: "EUR", value: String(minor) });
const holdRequest = (paymentMethodType = "GCASH"): object => ({
  paymentMethod: { paymentMethodType },
  paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
  paymentNotifyUrl: shop.notifyUrl,
});

/** `authorized` returns a payment of 12.50 that its buyer has approved, and whose money is authorized. */
async function authorized(paymentRequestId: string, paymentMethodType?: string): Promise<string> {
  const { json } = await call("pay", payRequest(paymentRequestId, holdRequest(paymentMethodType)));
  const paymentId = String(json["paymentId"]);
  await eventually(
    5_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await eventually(
    5_000,
    () => inquire(paymentId),
    ({ paymentStatus }) => paymentStatus === "SUCCESS",
  );
  return paymentId;
}

async function inquire(paymentId: string): Promise<Readonly<Record<string, unknown>>> {
  return (await call("inquiryPayment", { paymentId })).json;
}

const capture = (
  captureRequestId: string,
  paymentId: string,
  minor: number,
  more: object = {},
): Promise<ReceivedAnswer> =>
  call("capture", { captureRequestId, paymentId, captureAmount: eur(minor), ...more });

const linesOf = (paymentId: string, kind: string): readonly Readonly<Record<string, unknown>>[] =>
  provider.effects().filter((line) => line["paymentId"] === paymentId && line["kind"] === kind);

async function rows<Row extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(sql, [...values], database.superuserUrl);
}

/** Change of the merchant's balance by these captures, from the ledger. */
async function owedFor(subjects: readonly unknown[]): Promise<number> {
  const [row] = await rows<{ owed: string }>(
    `select coalesce(sum(amount_minor), 0) as owed from ledger_transfers
     where subject_id = any($1) and credit_account = $2`,
    subjects,
    `merchant payable ${merchant.clientId}`,
  );
  return Number(row?.owed);
}

test("authorized money is captured in parts, and nothing can be captured after the last capture", async () => {
  const paymentId = await authorized("life-1");
  const before = await inquire(paymentId);
  const lifetimeMs = Date.parse(String(before["authExpiryTime"])) - Date.parse(String(before["paymentTime"]));
  assert.equal(lifetimeMs, 7 * 24 * 3600 * 1000);
  assert.equal(before["transactions"], undefined);
  assert.equal(await owedFor([paymentId]), 0);

  const first = await capture("life-1-a", paymentId, 500);
  assert.equal(codeOf(first), "SUCCESS");
  assert.partialDeepStrictEqual(first.json, {
    captureRequestId: "life-1-a",
    paymentId,
    captureAmount: eur(500),
  });
  assert.match(String(first.json["captureTime"]), /\+00:00$/);
  assert.equal(codeOf(await capture("life-1-b", paymentId, 751)), "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  const last = await capture("life-1-b", paymentId, 300, { isLastCapture: true });
  assert.equal(codeOf(last), "SUCCESS");
  assert.equal(codeOf(await capture("life-1-c", paymentId, 1)), "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");

  assert.equal(await owedFor([first.json["captureId"], last.json["captureId"]]), 800);
  assert.deepEqual(
    linesOf(paymentId, "captured").map(({ amount }) => amount),
    [eur(500), eur(300)],
  );
  assert.deepEqual(
    linesOf(paymentId, "captured").map(({ released }) => released),
    [undefined, eur(450)],
  );
  const after = await inquire(paymentId);
  assert.deepEqual(
    (after["transactions"] as Record<string, unknown>[]).map((transaction) => ({
      ...transaction,
      transactionTime: undefined,
    })),
    [first, last].map(({ json }) => ({
      transactionType: "CAPTURE",
      transactionStatus: "SUCCESS",
      transactionResult: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
      transactionId: json["captureId"],
      transactionRequestId: json["captureRequestId"],
      transactionAmount: json["captureAmount"],
      transactionTime: undefined,
    })),
  );
  assert.equal(Number(after["sequence"]), Number(before["sequence"]) + 2);
  // Webhooks may arrive out of order; the sequence shows which one is older.
  const receivedWebhooks = (await shop.waitForWebhooks(paymentId, 3))
    .map(({ json }) => [Number(json["sequence"]), json["notifyType"]] as const)
    .sort(([a], [b]) => a - b);
  assert.deepEqual(receivedWebhooks, [
    [2, "PAYMENT_RESULT"],
    [3, "CAPTURE_RESULT"],
    [4, "CAPTURE_RESULT"],
  ]);

  const refund = { refundRequestId: "life-1-r", paymentId, refundAmount: eur(801) };
  assert.equal(codeOf(await call("refund", refund)), "REFUND_AMOUNT_EXCEED");
  assert.equal(codeOf(await call("refund", { ...refund, refundAmount: eur(800) })), "SUCCESS");
  assert.equal(codeOf(await call("cancel", { paymentId })), "ORDER_STATUS_INVALID");
});

test("a last capture releases nothing while an earlier capture is in progress", async () => {
  const paymentId = await authorized("overtaken-1");
  await provider.fault({ kind: "error-500", count: 2, match: { paymentId, verb: "capture" } });
  const first = await capture("overtaken-1-a", paymentId, 500);
  assert.equal(codeOf(first), "CAPTURE_IN_PROCESS");
  await capture("overtaken-1-b", paymentId, 300, { isLastCapture: true });
  const finished = await eventually(
    20_000,
    async () => linesOf(paymentId, "captured"),
    ({ length }) => length === 2,
  );
  assert.deepEqual(new Set(finished.map(({ amount }) => amount)), new Set([eur(500), eur(300)]));
});

test("a repeated capture request returns the same capture, and other content is refused", async () => {
  const paymentId = await authorized("repeat-1");
  const first = await capture("repeat-1-a", paymentId, 100);
  assert.deepEqual((await capture("repeat-1-a", paymentId, 100)).json, first.json);
  assert.equal(codeOf(await capture("repeat-1-a", paymentId, 101)), "REPEAT_REQ_INCONSISTENT");
  assert.equal(linesOf(paymentId, "captured").length, 1);
});

test("a capture whose response is lost is made once, and an inquiry finds its result", async () => {
  const paymentId = await authorized("lost-1");
  await provider.fault({ kind: "answer-lost", match: { paymentId, verb: "capture" } });
  assert.equal(codeOf(await capture("lost-1-a", paymentId, 1250)), "CAPTURE_IN_PROCESS");
  const [inProgress] = (await inquire(paymentId))["transactions"] as Record<string, unknown>[];
  assert.equal(inProgress?.["transactionStatus"], "PROCESSING");
  const done = await eventually(
    15_000,
    () => capture("lost-1-a", paymentId, 1250),
    (answer) => codeOf(answer) === "SUCCESS",
  );
  assert.equal(await owedFor([done.json["captureId"]]), 1250);
  assert.equal(linesOf(paymentId, "captured").length, 1);
});

test("fifty concurrent captures of three times the authorized amount, over two processes, never exceed it", async () => {
  const paymentId = await authorized("crowd-1");
  const requests = Array.from({ length: 50 }, (_, index) => ({
    captureRequestId: `crowd-1-${index}`,
    paymentId,
    captureAmount: eur(75),
  }));
  const answers = await Promise.all(
    requests.map((body, index) =>
      call("capture", body, index % 2 === 0 ? publicGateway.url : internalGateway.url),
    ),
  );
  const settled = await Promise.all(
    requests.map((body) =>
      eventually(
        20_000,
        () => call("capture", body),
        ({ json }) => json.result["resultStatus"] !== "U",
      ),
    ),
  );
  const captured = settled.filter((answer) => codeOf(answer) === "SUCCESS");
  // 16 times 0.75 is 12.00. A 17th capture would exceed the payment of 12.50.
  assert.equal(captured.length, 16, answers.map(codeOf).join(" "));
  assert.equal(linesOf(paymentId, "captured").length, 16);
  assert.equal(await owedFor(captured.map(({ json }) => json["captureId"])), 1200);
});

test("a provider that would capture twice gets one request, and a missing response is not taken for a refusal", async () => {
  const paymentId = await authorized("careless-1", "TNG");
  await provider.fault({ kind: "not-idempotent", match: { paymentId }, count: 100 });
  await provider.fault({ kind: "answer-lost", match: { paymentId, verb: "capture" } });
  assert.equal(codeOf(await capture("careless-1-a", paymentId, 400)), "CAPTURE_IN_PROCESS");
  await eventually(
    15_000,
    () => capture("careless-1-a", paymentId, 400),
    (answer) => codeOf(answer) === "SUCCESS",
  );
  const captured = linesOf(paymentId, "captured");
  assert.equal(captured.length, 1);
  const reference = captured[0]?.["captureReference"];
  const calls = provider.effects().filter((line) => line["kind"] === "capture");
  assert.equal(calls.filter((line) => line["captureReference"] === reference).length, 1);
});

test(
  "a capture that such a provider does not know fails after the quiet time, and can be repeated under a new " +
    "id",
  async () => {
    const paymentId = await authorized("careless-2", "TNG");
    await provider.fault({ kind: "refuse-connection", match: { paymentId, verb: "capture" } });
    assert.equal(codeOf(await capture("careless-2-a", paymentId, 1250)), "CAPTURE_IN_PROCESS");
    await eventually(
      20_000,
      () => capture("careless-2-a", paymentId, 1250),
      (answer) => codeOf(answer) === "PROCESS_FAIL",
    );
    const told = await shop.waitForWebhooks(paymentId, 2);
    assert.partialDeepStrictEqual(told[1]?.json, {
      notifyType: "CAPTURE_RESULT",
      result: { resultStatus: "F", resultCode: "PROCESS_FAIL" },
    });
    const [failed] = (await inquire(paymentId))["transactions"] as Record<string, unknown>[];
    assert.equal(failed?.["transactionStatus"], "FAIL");
    assert.equal(codeOf(await capture("careless-2-b", paymentId, 1250)), "SUCCESS");
  },
);

test("connector terms: a single capture only, or no authorizations at all", async () => {
  const paymentId = await authorized("once-1", "MAYA");
  assert.equal(codeOf(await capture("once-1-a", paymentId, 100)), "SUCCESS");
  assert.equal(codeOf(await capture("once-1-b", paymentId, 100)), "MULTI_CAPTURE_NOT_SUPPORTED");
  const rejected = await call("pay", payRequest("no-hold-1", holdRequest("BOOST")));
  assert.equal(codeOf(rejected), "PAYMENT_METHOD_NOT_SUPPORTED");
});

test("only an authorized payment can be captured later, and other payments are collected immediately", async () => {
  const contradiction = await call(
    "pay",
    payRequest("mode-1", { paymentFactor: { captureMode: "MANUAL", isAuthorization: false } }),
  );
  assert.equal(codeOf(contradiction), "PARAM_ILLEGAL");
  assert.equal(contradiction.json.result["resultField"], "paymentFactor.isAuthorization");

  const { json } = await call("pay", payRequest("mode-1", { paymentFactor: { isAuthorization: true } }));
  const paymentId = String(json["paymentId"]);
  assert.equal(codeOf(await capture("mode-1-a", paymentId, 1)), "ORDER_STATUS_INVALID");
  await eventually(
    5_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await eventually(
    5_000,
    () => inquire(paymentId),
    ({ paymentStatus }) => paymentStatus === "SUCCESS",
  );
  assert.equal(linesOf(paymentId, "paid").length, 1);
  assert.equal(codeOf(await capture("mode-1-a", paymentId, 1)), "ORDER_STATUS_INVALID");
  assert.equal(codeOf(await capture("mode-1-b", `${paymentId.slice(0, -1)}x`, 1)), "AUTH_NOT_FOUND");
});

test("cancelling an authorized payment releases the hold", async () => {
  const paymentId = await authorized("void-1");
  const cancelled = await call("cancel", { paymentId });
  assert.equal(codeOf(cancelled), "SUCCESS");
  assert.deepEqual((await call("cancel", { paymentId })).json, cancelled.json);
  assert.equal(linesOf(paymentId, "closed").length, 1);
  assert.equal(linesOf(paymentId, "refunded").length, 0);
  assert.equal(codeOf(await capture("void-1-a", paymentId, 1)), "AUTH_CANCELLED");
  assert.equal(await owedFor([paymentId]), 0);
  const [transaction] = (await inquire(paymentId))["transactions"] as Record<string, unknown>[];
  assert.equal(transaction?.["transactionType"], "CANCEL");
});

/** Moves the payment's times back, as if seven days had passed. */
async function expire(paymentId: string): Promise<void> {
  await rows("update payments set auth_expires_at = now() - interval '1 s' where payment_id = $1", paymentId);
  await rows("update jobs set due_at = now() where subject_id = $1 and job = 'release-hold'", paymentId);
}

async function isReleased(paymentId: string): Promise<boolean> {
  const [row] = await rows<{ released_at: Date | null }>(
    "select released_at from payments where payment_id = $1",
    paymentId,
  );
  return row?.released_at instanceof Date;
}

test("a hold that is not captured within seven days is released, and can no longer be captured", async () => {
  const [untouched, partly] = [await authorized("release-1"), await authorized("release-2")];
  assert.equal(codeOf(await capture("release-2-a", partly, 100)), "SUCCESS");
  for (const paymentId of [untouched, partly]) {
    await expire(paymentId);
    assert.equal(codeOf(await capture(`late-${paymentId}`, paymentId, 1)), "AUTH_EXPIRED");
    await eventually(
      10_000,
      () => isReleased(paymentId),
      (released) => released,
    );
    assert.equal(codeOf(await capture(`late-${paymentId}`, paymentId, 1)), "AUTH_EXPIRED");
  }
  assert.equal(linesOf(untouched, "closed").length, 1);
  assert.equal(linesOf(partly, "closed").length, 0);
  assert.deepEqual(await rows("select 1 from jobs where job = 'release-hold' and due_at < now()"), []);
});

test("a released hold that is held again is released again, whatever released it first", async () => {
  const [cancelled, late, released] = [
    await authorized("again-1"),
    await createLateHold(),
    await authorized("again-3"),
  ];
  assert.equal(codeOf(await call("cancel", { paymentId: cancelled })), "SUCCESS");
  await expire(released);
  await eventually(
    10_000,
    () => isReleased(released),
    (is) => is,
  );
  for (const paymentId of [cancelled, late, released]) {
    const closedBefore = linesOf(paymentId, "closed").length;
    await provider.fault({ kind: "late-success", match: { paymentId } });
    assert.equal((await provider.control(paymentId, "approve")).status, 200);
    await eventually(
      10_000,
      async () => linesOf(paymentId, "closed").length,
      (closed) => closed === closedBefore + 1,
    );
  }
});

/** A late authorization hold: the buyer approved after the cancel, and the gateway released the hold again. */
async function createLateHold(): Promise<string> {
  const { json } = await call("pay", payRequest("again-2", holdRequest()));
  const paymentId = String(json["paymentId"]);
  assert.equal(codeOf(await call("cancel", { paymentId })), "SUCCESS");
  await provider.fault({ kind: "late-success", match: { paymentId } });
  assert.equal((await provider.control(paymentId, "approve")).status, 200);
  await eventually(
    10_000,
    async () => linesOf(paymentId, "closed").length,
    (closed) => closed === 2,
  );
  return paymentId;
}
