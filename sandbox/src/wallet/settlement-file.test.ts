import assert from "node:assert/strict";
import { test } from "node:test";
import type { Movement } from "./money-projection.ts";
import { settlementFile } from "./settlement-file.ts";
import { call, control, effects, newOrder, startWallet } from "../testing/test-wallet.ts";

const header = "kind,reference,operationReference,paymentId,currency,amountMinor,time";
const movement: Movement = {
  kind: "payment",
  reference: "r",
  operationReference: "r",
  paymentId: "p",
  amount: { currency: "EUR", value: "450" },
  at: "2026-11-15T09:30:00.123+00:00",
};
const always = { fromMs: 0, untilMs: Infinity };

test("a file without movements contains only the header", () => {
  assert.equal(settlementFile([], always), `${header}\r\n`);
});

test("a reference with a comma or a quotation mark is quoted", () => {
  const specialCharacters = { ...movement, reference: 'a,"b"', operationReference: '"' };
  assert.equal(
    settlementFile([specialCharacters], always),
    `${header}\r\npayment,"a,""b""","""",p,EUR,450,2026-11-15T09:30:00.123+00:00\r\n`,
  );
});

test("an interval includes its first moment and excludes its last", () => {
  const atMs = Date.parse(movement.at);
  const rows = (fromMs: number, untilMs: number): number =>
    settlementFile([movement], { fromMs, untilMs }).split("\r\n").length - 2;
  assert.equal(rows(atMs, atMs + 1), 1);
  assert.equal(rows(atMs - 1, atMs), 0);
  assert.equal(rows(atMs + 1, Infinity), 0);
});

const on = (day: number, kind: Movement["kind"], value: string, currency = "EUR"): Movement => ({
  ...movement,
  kind,
  operationReference: `${kind}-${day}`,
  amount: { currency, value },
  at: `2026-11-${day}T09:30:00.000+00:00`,
});
const amounts = (file: string): readonly string[] =>
  file
    .split("\r\n")
    .slice(1, -1)
    .map((line) => {
      const [kind, , operationReference, , currency, amountMinor] = line.split(",");
      return `${kind} ${operationReference} ${currency} ${amountMinor}`;
    });
const until = (day: number): { readonly fromMs: number; readonly untilMs: number } => ({
  fromMs: 0,
  untilMs: Date.UTC(2026, 10, day, 0, 0, 1),
});

test("with a fee and a daily payout, every cent is either kept or paid, and later days compensate a negative day", () => {
  const movements = [
    on(10, "payment", "450"),
    on(10, "capture", "99"),
    on(10, "payment", "700", "JPY"),
    on(11, "chargeback", "450"),
    on(12, "payment", "1000"),
    on(13, "refund", "1"),
  ];
  const terms = { feeBasisPoints: 150, paysUntilMs: Date.UTC(2026, 10, 14) - 1 };
  assert.deepEqual(amounts(settlementFile(movements, until(14), terms)), [
    "payment payment-10 EUR 450",
    "fee fee-payment-10 EUR 6",
    "capture capture-10 EUR 99",
    "fee fee-capture-10 EUR 1",
    "payment payment-10 JPY 700",
    "fee fee-payment-10 JPY 10",
    "payout payout-2026-11-10-EUR EUR 542",
    "payout payout-2026-11-10-JPY JPY 690",
    "chargeback chargeback-11 EUR 450",
    "payment payment-12 EUR 1000",
    "fee fee-payment-12 EUR 15",
    "payout payout-2026-11-12-EUR EUR 535",
    "refund refund-13 EUR 1",
  ]);
  assert.ok(
    amounts(settlementFile(movements, until(14), { feeBasisPoints: 0 })).every(
      (row) => !row.startsWith("payout"),
    ),
  );
  const first = amounts(settlementFile(movements, until(11), terms));
  assert.equal(first.at(-1), "payout payout-2026-11-10-JPY JPY 690", "later files contain the same rows");
});

test("the file has a row for each payment, capture and refund, and none for a hold", async () => {
  const wallet = await startWallet();
  const file = async (query = "") => {
    const response = await fetch(`${wallet.ready.walletUrl}/control/settlement.csv${query}`, {
      headers: { authorization: `Bearer ${wallet.ready.controlSecret}` },
    });
    assert.equal(response.headers.get("content-type"), "text/csv; charset=UTF-8");
    return (await response.text()).split("\r\n").slice(1, -1);
  };
  const [paid, held, released] = [
    newOrder(),
    newOrder({ capture: "MANUAL" }),
    newOrder({ capture: "MANUAL" }),
  ];
  for (const order of [paid, held, released]) {
    await call(wallet, "submit", order);
    await control(wallet, `POST payments/${order.paymentId}/approve`);
  }
  await call(wallet, "cancel", { reference: released.reference });
  const amount = { currency: "EUR", value: "300" };
  await call(wallet, "capture", { reference: held.reference, captureReference: "c1", amount });
  await control(wallet, "POST faults", { kind: "refund-pending" });
  await call(wallet, "refund", { reference: paid.reference, refundReference: "r1", amount });
  const beforeRefund = await file();
  await control(wallet, "POST refunds/r1/finish");
  const afterRefund = await file();

  const timeOf = (kind: string) => effects(wallet).find((line) => line.kind === kind)?.at ?? "";
  assert.deepEqual(beforeRefund, [
    `payment,${paid.reference},${paid.reference},${paid.paymentId},EUR,450,${timeOf("paid")}`,
    `capture,${held.reference},c1,${held.paymentId},EUR,300,${timeOf("captured")}`,
  ]);
  assert.deepEqual(afterRefund.slice(2), [
    `refund,${paid.reference},r1,${paid.paymentId},EUR,300,${timeOf("refunded")}`,
  ]);
  const since = new URLSearchParams({ from: timeOf("captured"), until: timeOf("refunded") });
  assert.deepEqual(await file(`?${since.toString()}`), beforeRefund.slice(1));
  for (const wrong of ["from=yesterday", "feeBasisPoints=1.5", "feeBasisPoints=10001", "payouts=weekly"])
    assert.equal((await control(wallet, `GET settlement.csv?${wrong}`)).status, 400, wrong);
  assert.equal((await file("?feeBasisPoints=100")).length, afterRefund.length + 2);
  assert.equal((await control(wallet, "GET settlement.csv", undefined, "Bearer x")).status, 401);

  await wallet.end("SIGKILL");
  const restarted = await startWallet(wallet.folder);
  const settlementResponse = await fetch(`${restarted.ready.walletUrl}/control/settlement.csv`, {
    headers: { authorization: `Bearer ${restarted.ready.controlSecret}` },
  });
  assert.deepEqual((await settlementResponse.text()).split("\r\n").slice(1, -1), afterRefund);
});
