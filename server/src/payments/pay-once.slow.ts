import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import type { ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const [one, other] = [await stack.serve({ isPublic: true }), await stack.serve()];

/** Sends `pay` again if the process rejects the request because of overload. */
async function payWithRetries(url: string, body: object): Promise<ReceivedAnswer> {
  for (;;) {
    const answer = await callPayments(url, merchant, "pay", body);
    if (answer.json.result["resultCode"] !== "REQUEST_TRAFFIC_EXCEED_LIMIT") return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** 50 rounds with `TOLLGATE_WHOLE=1`. */
const rounds = process.env["TOLLGATE_WHOLE"] === "1" ? 50 : 15;
const atOnce = 100;

test(`${atOnce} concurrent copies of one pay over two processes, ${rounds} rounds: one payment each`, async () => {
  // The test raises the rate limit, which is not under test.
  await asSuperuser(
    "update clients set rate_per_second = 1000000, rate_burst = 1000000",
    [],
    database.superuserUrl,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const roundsMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAtMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: atOnce }, (_, index) =>
        payWithRetries((index % 2 ? one : other).url, payRequest(`race-${round}`)),
      ),
    );
    roundsMs.push(performance.now() - startedAtMs);
    const bodies = new Set(answers.map(({ text }) => text));
    assert.equal(bodies.size, 1, [...bodies].join("\n"));
    assert.equal(answers[0]?.json.result["resultCode"], "PAYMENT_IN_PROCESS");
  }
  // The median of the rounds counts: a lock convoy or a wait for a timeout makes single rounds slow, but a busy machine
  // makes all rounds slow.
  roundsMs.sort((a, b) => a - b);
  const [medianMs = 0, slowestMs = Infinity] = [roundsMs[rounds >> 1], roundsMs.at(-1)];
  assert.ok(slowestMs < 5 * medianMs + 1_000, `slowest round ${slowestMs} ms, median ${medianMs} ms`);
  const [counted] = await asSuperuser<{ payments: number; events: number }>(
    `select (select count(*)::int from payments) as payments, (select count(*)::int from payment_events) as events`,
    [],
    database.superuserUrl,
  );
  assert.deepEqual(counted, { payments: rounds, events: rounds });
});

test("each of those payments is one order at the provider", async () => {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const submits = provider.effects().filter(({ kind }) => kind === "submit");
  assert.equal(new Set(submits.map(({ reference }) => reference)).size, rounds);
  assert.equal(submits.length, rounds);
});

test("a repeat with a changed field is refused, sequentially and concurrently, and changes nothing", async () => {
  const before = await asSuperuser("select * from payments order by payment_id", [], database.superuserUrl);
  const changed = payRequest("race-0", { paymentAmount: { currency: "EUR", value: "1" } });
  const alone = await callPayments(one.url, merchant, "pay", changed);
  assert.equal(alone.json.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.equal(alone.json.result["resultField"], "paymentAmount.value");

  const racing = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      callPayments(
        (index % 2 ? one : other).url,
        merchant,
        "pay",
        index % 3 ? changed : payRequest("race-0"),
      ),
    ),
  );
  const codes = racing.map(({ json }, index) => [index % 3 !== 0, json.result["resultCode"]] as const);
  for (const [isChanged, code] of codes) {
    assert.equal(code, isChanged ? "REPEAT_REQ_INCONSISTENT" : "PAYMENT_IN_PROCESS");
  }
  assert.deepEqual(
    await asSuperuser("select * from payments order by payment_id", [], database.superuserUrl),
    before,
  );
});

test("of two different concurrent requests with the same new id, one is accepted and the other refused", async () => {
  for (let round = 0; round < 20; round += 1) {
    const small = payRequest(`duel-${round}`);
    const large = payRequest(`duel-${round}`, { paymentAmount: { currency: "EUR", value: "999" } });
    const answers = await Promise.all(
      [small, large, small, large].map((body, index) =>
        callPayments((index % 2 ? one : other).url, merchant, "pay", body),
      ),
    );
    const codes = answers.map(({ json }) => json.result["resultCode"]);
    assert.equal(codes[0], codes[2]);
    assert.equal(codes[1], codes[3]);
    assert.deepEqual(new Set(codes), new Set(["PAYMENT_IN_PROCESS", "REPEAT_REQ_INCONSISTENT"]));
  }
});

/** Idempotency: the fields that a repeated request may change, and those that it must not change. */
const fields: readonly (readonly [field: string, change: object, same: boolean])[] = [
  ["paymentAmount.value", { paymentAmount: { currency: "EUR", value: "1251" } }, false],
  ["paymentAmount.currency", { paymentAmount: { currency: "USD", value: "1250" } }, false],
  ["paymentMethod.paymentMethodType", { paymentMethod: { paymentMethodType: "DANA" } }, false],
  [
    "paymentMethod.paymentMethodId",
    { paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: "t" } },
    false,
  ],
  ["paymentFactor.captureMode", { paymentFactor: { captureMode: "MANUAL" } }, false],
  ["paymentFactor.inStorePaymentScenario", { paymentFactor: { inStorePaymentScenario: "OrderCode" } }, false],
  ["settlementStrategy.settlementCurrency", { settlementStrategy: { settlementCurrency: "EUR" } }, false],
  [
    "order.referenceOrderId",
    {
      order: {
        referenceOrderId: "other",
        orderDescription: "x",
        orderAmount: { currency: "EUR", value: "1" },
      },
    },
    false,
  ],
  ["productCode", { productCode: "AGREEMENT_PAYMENT" }, false],
  ["paymentRedirectUrl", { paymentRedirectUrl: "https://other.example/" }, true],
  ["paymentNotifyUrl", { paymentNotifyUrl: "https://other.example/n" }, true],
  ["env", { env: { terminalType: "APP", osType: "IOS" } }, true],
  ["metadata", { metadata: "other" }, true],
  ["paymentExpiryTime, even one in the past", { paymentExpiryTime: "2020-01-01T00:00:00+00:00" }, true],
  ["null instead of an absent field", { paymentFactor: null, metadata: null }, true],
  [
    "orderAmount, which is only shown to the buyer",
    {
      order: {
        referenceOrderId: "order-1",
        orderDescription: "y",
        orderAmount: { currency: "EUR", value: "9" },
      },
    },
    true,
  ],
];

test("only the fields of the table decide whether two requests are equal", async () => {
  await callPayments(one.url, merchant, "pay", payRequest("fields"));
  for (const [field, change, same] of fields) {
    const { json } = await callPayments(one.url, merchant, "pay", payRequest("fields", change));
    assert.equal(json.result["resultCode"], same ? "PAYMENT_IN_PROCESS" : "REPEAT_REQ_INCONSISTENT", field);
    if (!same) assert.equal(json.result["resultField"], field);
  }
});
