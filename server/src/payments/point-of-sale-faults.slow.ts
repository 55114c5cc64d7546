import assert from "node:assert/strict";
import { test } from "node:test";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestStack } from "../../test/start/test-stack.ts";
import { runPointOfSale, type PointOfSaleOutcome } from "../../test/shop/point-of-sale.ts";

const stack = await startTestStack();
const { merchant, provider } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const buyersPerFault = 3;
const till = { url, merchant, speedFactor: 10 };

/** Network faults between the gateway and the provider during an in-store payment. */
const faults: readonly (readonly [name: string, fault: object | undefined])[] = [
  ["no fault", undefined],
  ["the response to the payment is lost", { kind: "answer-lost", match: { verb: "submit" } }],
  ["the response is late", { kind: "late-answer", match: { verb: "submit" }, delayMs: 3_000 }],
  [
    "the response is later than the point of sale waits",
    { kind: "late-answer", match: { verb: "submit" }, delayMs: 7_000 },
  ],
  ["the response is garbage", { kind: "garbage", match: { verb: "submit" } }],
  ["the response has a wrong signature", { kind: "garbage", wrong: "signature", match: { verb: "submit" } }],
  ["the provider fails before it acts", { kind: "error-500", match: { verb: "submit" } }],
  ["the provider refuses connections", { kind: "refuse-connection", match: { verb: "submit" } }],
  ["the provider's inquiry lags behind", { kind: "inquiry-lag", match: { verb: "submit" }, delayMs: 2_000 }],
  ["a callback is lost", { kind: "callback-drop", match: { verb: "callback" } }],
  ["a callback arrives twice", { kind: "callback-twice", match: { verb: "callback" } }],
  ["the response to a cancel is lost", { kind: "answer-lost", match: { verb: "cancel" } }],
];
const buyers = {
  "a good code": {},
  "a buyer who is asked and does nothing": { asks: true },
  "a buyer without money": { declines: "USER_BALANCE_NOT_ENOUGH" },
} as const;

let count = 0;

interface Sale {
  readonly paymentRequestId: string;
  readonly buyer: string;
  readonly end: PointOfSaleOutcome;
}

async function serveBuyer(
  [buyer, terms]: readonly [string, object],
  fault: object | undefined,
): Promise<Sale> {
  count += 1;
  const paymentRequestId = `till-${count}`;
  const paymentCode = await provider.paymentCode(terms);
  if (fault) await provider.fault({ count: 1, ...fault });
  return { paymentRequestId, buyer, end: await runPointOfSale(till, { paymentRequestId, paymentCode }) };
}

/** The gateway's record of the payment; a payment that the gateway refused before it wrote anything has no record. */
async function recordOf({ paymentRequestId }: Sale): Promise<ReceivedAnswer> {
  const path = pathOf("live", "payments/inquiryPayment");
  const isFinal = ({ json }: ReceivedAnswer): boolean =>
    ["SUCCESS", "FAIL", "CANCELLED"].includes(String(json["paymentStatus"])) ||
    json.result["resultCode"] === "ORDER_NOT_EXIST";
  const inquire = (): Promise<ReceivedAnswer> =>
    call(url, merchant, { path, body: JSON.stringify({ paymentRequestId }) });
  return eventually(15_000, inquire, isFinal);
}

/** Amount that the provider has collected for a payment and not returned, in minor units. */
function retainedMinorOf(paymentId: unknown): number {
  const lines = provider
    .effects()
    .filter((line) => paymentId !== undefined && line["paymentId"] === paymentId);
  const sum = (kind: string, field: string): number =>
    lines
      .filter((line) => line["kind"] === kind)
      .reduce((total, line) => total + Number((line[field] as { value: string } | undefined)?.value ?? 0), 0);
  return sum("paid", "paidAmount") - sum("refunded", "amount");
}

for (const [name, fault] of faults) {
  test(`${name}: one charge for each delivered purchase, and none for others`, async () => {
    const each = Object.entries(buyers).flatMap((buyer) =>
      Array.from({ length: buyersPerFault }, () => buyer),
    );
    const served = await Promise.all(each.map((buyer) => serveBuyer(buyer, fault)));
    for (const sale of served) {
      const { buyer, end } = sale;
      const record = await recordOf(sale);
      assert.equal(record.json["paymentStatus"] === "SUCCESS", end === "paid", `${buyer}: ${end}`);
      const owed = end === "paid" ? 1_250 : 0;
      await eventually(
        15_000,
        async () => retainedMinorOf(record.json["paymentId"]),
        (kept) => kept === owed,
      );
      assert.notEqual(end, "unknown");
      if (fault === undefined && buyer === "a good code") assert.equal(end, "paid");
      if (buyer !== "a good code") assert.notEqual(end, "paid");
    }
  });
}
