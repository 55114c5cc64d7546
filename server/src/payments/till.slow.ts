import assert from "node:assert/strict";
import { test } from "node:test";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestStack } from "../../test/start/test-stack.ts";
import { runTill, type TillEnd } from "../../test/shop/till.ts";

const stack = await startTestStack();
const { merchant, wallet } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const tillsEach = 3;
const till = { url, merchant, hurry: 10 };

/** Network faults between the gateway and the wallet while a buyer is at the till. */
const faults: readonly (readonly [name: string, fault: object | undefined])[] = [
  ["nothing goes wrong", undefined],
  ["the answer to the payment is lost", { kind: "answer-lost", match: { verb: "submit" } }],
  ["the answer comes late", { kind: "late-answer", match: { verb: "submit" }, delayMs: 3_000 }],
  [
    "the answer comes later than the till waits",
    { kind: "late-answer", match: { verb: "submit" }, delayMs: 7_000 },
  ],
  ["the answer is garbage", { kind: "garbage", match: { verb: "submit" } }],
  ["the answer has a wrong signature", { kind: "garbage", wrong: "signature", match: { verb: "submit" } }],
  ["the wallet has an error before it acts", { kind: "error-500", match: { verb: "submit" } }],
  ["the wallet refuses connections", { kind: "refuse-connection", match: { verb: "submit" } }],
  ["the wallet's inquiry lags behind", { kind: "inquiry-lag", match: { verb: "submit" }, delayMs: 2_000 }],
  ["a callback is lost", { kind: "callback-drop", match: { verb: "callback" } }],
  ["a callback comes twice", { kind: "callback-twice", match: { verb: "callback" } }],
  ["the answer to a cancel is lost", { kind: "answer-lost", match: { verb: "cancel" } }],
];
const buyers = {
  "a good code": {},
  "a buyer who is asked and does nothing": { asks: true },
  "a buyer without money": { declines: "USER_BALANCE_NOT_ENOUGH" },
} as const;

let count = 0;

interface Served {
  readonly paymentRequestId: string;
  readonly buyer: string;
  readonly end: TillEnd;
}

async function serveBuyer(
  [buyer, terms]: readonly [string, object],
  fault: object | undefined,
): Promise<Served> {
  count += 1;
  const paymentRequestId = `till-${count}`;
  const paymentCode = await wallet.paymentCode(terms);
  if (fault) await wallet.fault({ count: 1, ...fault });
  return { paymentRequestId, buyer, end: await runTill(till, { paymentRequestId, paymentCode }) };
}

/** How the gateway's record has ended; a payment that was refused before anything was written has none. */
async function recordOf({ paymentRequestId }: Served): Promise<ReceivedAnswer> {
  const path = pathOf("live", "payments/inquiryPayment");
  const isFinal = ({ json }: ReceivedAnswer): boolean =>
    ["SUCCESS", "FAIL", "CANCELLED"].includes(String(json["paymentStatus"])) ||
    json.result["resultCode"] === "ORDER_NOT_EXIST";
  const ask = (): Promise<ReceivedAnswer> =>
    call(url, merchant, { path, body: JSON.stringify({ paymentRequestId }) });
  return eventually(15_000, ask, isFinal);
}

/** What the wallet has taken for a payment, and not given back, in minor units. */
function keptFor(paymentId: unknown): number {
  const lines = wallet.effects().filter((line) => paymentId !== undefined && line["paymentId"] === paymentId);
  const sum = (kind: string, field: string): number =>
    lines
      .filter((line) => line["kind"] === kind)
      .reduce((total, line) => total + Number((line[field] as { value: string } | undefined)?.value ?? 0), 0);
  return sum("paid", "paidAmount") - sum("refunded", "amount");
}

for (const [name, fault] of faults) {
  test(`${name}: one charge for goods that were handed over, and none for others`, async () => {
    const each = Object.entries(buyers).flatMap((buyer) => Array.from({ length: tillsEach }, () => buyer));
    const served = await Promise.all(each.map((buyer) => serveBuyer(buyer, fault)));
    for (const one of served) {
      const { buyer, end } = one;
      const record = await recordOf(one);
      assert.equal(record.json["paymentStatus"] === "SUCCESS", end === "paid", `${buyer}: ${end}`);
      const owed = end === "paid" ? 1_250 : 0;
      await eventually(
        15_000,
        async () => keptFor(record.json["paymentId"]),
        (kept) => kept === owed,
      );
      assert.notEqual(end, "nobody knows");
      if (fault === undefined && buyer === "a good code") assert.equal(end, "paid");
      if (buyer !== "a good code") assert.notEqual(end, "paid");
    }
  });
}
