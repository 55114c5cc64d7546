import assert from "node:assert/strict";
import { test } from "node:test";
import type { Movement } from "./money-book.ts";
import { settlementFile } from "./settlement-file.ts";
import { call, control, effects, newOrder, startWallet } from "./testing/test-wallet.ts";

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

test("a file without movements is its header", () => {
  assert.equal(settlementFile([], always), `${header}\r\n`);
});

test("a reference with a comma or a quotation mark is quoted", () => {
  const odd = { ...movement, reference: 'a,"b"', operationReference: '"' };
  assert.equal(
    settlementFile([odd], always),
    `${header}\r\npayment,"a,""b""","""",p,EUR,450,2026-11-15T09:30:00.123+00:00\r\n`,
  );
});

test("an interval holds its first moment and not its last", () => {
  const atMs = Date.parse(movement.at);
  const rows = (fromMs: number, untilMs: number): number =>
    settlementFile([movement], { fromMs, untilMs }).split("\r\n").length - 2;
  assert.equal(rows(atMs, atMs + 1), 1);
  assert.equal(rows(atMs - 1, atMs), 0);
  assert.equal(rows(atMs + 1, Infinity), 0);
});

test("the file has a row for all that was paid, captured and refunded, and none for what was only held", async () => {
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
  assert.equal((await control(wallet, "GET settlement.csv?from=yesterday")).status, 400);
  assert.equal((await control(wallet, "GET settlement.csv", undefined, "Bearer x")).status, 401);

  await wallet.end("SIGKILL");
  const again = await startWallet(wallet.folder);
  const kept = await fetch(`${again.ready.walletUrl}/control/settlement.csv`, {
    headers: { authorization: `Bearer ${again.ready.controlSecret}` },
  });
  assert.deepEqual((await kept.text()).split("\r\n").slice(1, -1), afterRefund);
});
