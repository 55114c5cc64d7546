import assert from "node:assert/strict";
import { test } from "node:test";
import type { Movement } from "./money-projection.ts";
import { settlementFile } from "./settlement-file.ts";
import { call, control, effects, newOrder, startWallet } from "../testing/test-wallet.ts";

const header =
  "kind,reference,operationReference,paymentId,currency,amountMinor,time,feeCurrency,feeMinor,payoutId,valueDate,account";
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
    `${header}\r\npayment,"a,""b""","""",p,EUR,450,2026-11-15T09:30:00.123+00:00,,,,,\r\n`,
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
      const [, , operationReference, , currency, amountMinor, , feeCurrency, feeMinor, payoutId, valueDate] =
        line.split(",");
      return [
        operationReference,
        currency,
        amountMinor,
        feeCurrency,
        feeMinor,
        payoutId?.slice(15),
        valueDate,
      ]
        .filter(Boolean)
        .join(" ");
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
    on(13, "refund_reversal", "3"),
  ];
  const terms = { feeBasisPoints: 150, paysUntilMs: Date.UTC(2026, 10, 14) };
  assert.deepEqual(amounts(settlementFile(movements, until(14), terms)), [
    "payment-10 EUR 450 EUR 6 10-EUR 2026-11-11",
    "capture-10 EUR 99 EUR 1 10-EUR 2026-11-11",
    "payment-10 JPY 700 JPY 10 10-JPY 2026-11-11",
    "payout-2026-11-10-EUR EUR 542 10-EUR 2026-11-11",
    "payout-2026-11-10-JPY JPY 690 10-JPY 2026-11-11",
    "chargeback-11 EUR 450 12-EUR 2026-11-13",
    "payment-12 EUR 1000 EUR 15 12-EUR 2026-11-13",
    "payout-2026-11-12-EUR EUR 535 12-EUR 2026-11-13",
    "refund-13 EUR 1 13-EUR 2026-11-14",
    "refund_reversal-13 EUR 3 13-EUR 2026-11-14",
    "payout-2026-11-13-EUR EUR 2 13-EUR 2026-11-14",
  ]);
  assert.ok(
    amounts(settlementFile(movements, until(14), { feeBasisPoints: 0 })).every(
      (row) => !row.startsWith("payout"),
    ),
  );
  const first = amounts(settlementFile(movements, until(11), terms));
  assert.equal(
    first.at(-1),
    "payout-2026-11-10-JPY JPY 690 10-JPY 2026-11-11",
    "later files contain the same rows",
  );
});

test("the file has a row for each payment, capture, refund and refund reversal, and none for a hold", async () => {
  const wallet = await startWallet();
  const file = async (query = "") => {
    const response = await fetch(`${wallet.ready.walletUrl}/control/settlement.csv${query}`, {
      headers: { authorization: `Bearer ${wallet.ready.controlSecret}` },
    });
    assert.equal(response.headers.get("content-type"), "text/csv; charset=UTF-8");
    return (await response.text()).split("\r\n").slice(1, -1);
  };
  const [paid, held, released] = [
    newOrder({ account: "acct_1" }),
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
  const { reference, account } = paid;
  await call(wallet, "refund", { reference, account, refundReference: "r1", amount });
  const beforeRefund = await file();
  await control(wallet, "POST refunds/r1/finish");
  const afterRefund = await file();

  const timeOf = (kind: string) => effects(wallet).find((line) => line.kind === kind)?.at ?? "";
  assert.deepEqual(beforeRefund, [
    `payment,${paid.reference},${paid.reference},${paid.paymentId},EUR,450,${timeOf("paid")},,,,,acct_1`,
    `capture,${held.reference},c1,${held.paymentId},EUR,300,${timeOf("captured")},,,,,`,
  ]);
  assert.deepEqual(afterRefund.slice(2), [
    `refund,${paid.reference},r1,${paid.paymentId},EUR,300,${timeOf("refunded")},,,,,acct_1`,
  ]);
  await control(wallet, "POST refunds/r1/fail");
  assert.deepEqual((await file()).slice(3), [
    `refund_reversal,${paid.reference},r1,${paid.paymentId},EUR,300,${timeOf("refund-failed")},,,,,acct_1`,
  ]);
  const since = new URLSearchParams({ from: timeOf("captured"), until: timeOf("refunded") });
  assert.deepEqual(await file(`?${since.toString()}`), beforeRefund.slice(1));
  for (const wrong of ["from=yesterday", "feeBasisPoints=1.5", "feeBasisPoints=10001", "payouts=weekly"])
    assert.equal((await control(wallet, `GET settlement.csv?${wrong}`)).status, 400, wrong);
  const [charged] = await file("?feeBasisPoints=100");
  assert.equal(charged, beforeRefund[0]?.replace(",,,,,", ",EUR,4,,,"));
  assert.equal((await control(wallet, "GET settlement.csv", undefined, "Bearer x")).status, 401);

  await wallet.end("SIGKILL");
  const restarted = await startWallet(wallet.folder);
  const settlementResponse = await fetch(`${restarted.ready.walletUrl}/control/settlement.csv`, {
    headers: { authorization: `Bearer ${restarted.ready.controlSecret}` },
  });
  const afterRestart = (await settlementResponse.text()).split("\r\n").slice(1, -1);
  assert.deepEqual(afterRestart.slice(0, 3), afterRefund);
  assert.equal(afterRestart.length, 4);
});
