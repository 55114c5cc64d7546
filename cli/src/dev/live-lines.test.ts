import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { formatLiveLine, formatProviderEvent } from "./live-lines.ts";

const time = Date.parse("2026-11-15T09:30:00Z");
const formatPlain = (line: string | undefined): string | undefined =>
  line === undefined
    ? undefined
    : stripVTControlCharacters(line)
        .replace(/^\d\d:\d\d:\d\d {2}/, "")
        .replaceAll(/ {2,}/g, " | ");

test("a request is shown with its operation, its result and its duration", () => {
  const entry = {
    level: 30,
    time,
    path: "/ams/sandbox/api/v1/payments/pay",
    code: "PAYMENT_IN_PROCESS",
    ms: 17.6,
  };
  assert.equal(
    formatPlain(formatLiveLine("serve", JSON.stringify(entry))),
    "pay | PAYMENT_IN_PROCESS | 18 ms",
  );
});

test("a webhook is shown with its address, and whether it was acknowledged", () => {
  const entry = { level: 20, time, notification: "notifyPayment", to: "http://127.0.0.1:4242", ms: 16 };
  const acknowledged = { ...entry, isAcknowledged: true, httpStatus: 200 };
  assert.equal(
    formatPlain(formatLiveLine("work", JSON.stringify(acknowledged))),
    "notifyPayment | 200, acknowledged | 16 ms | to http://127.0.0.1:4242",
  );
  const unreachable = { ...entry, isAcknowledged: false, httpStatus: 0, failure: "could not be reached" };
  assert.match(
    formatPlain(formatLiveLine("work", JSON.stringify(unreachable))) ?? "",
    /^notifyPayment \| could not be reached \|/,
  );
});

test("a warning is shown unchanged, and entries without interest are omitted", () => {
  assert.match(
    formatLiveLine(
      "work",
      JSON.stringify({ level: 40, time, msg: "A payment provider does not respond." }),
    ) ?? "",
    /warn  work/,
  );
  assert.equal(
    formatLiveLine("serve", JSON.stringify({ level: 30, time, msg: "Server listening" })),
    undefined,
  );
  const polled = {
    level: 30,
    time,
    path: "/ams/sandbox/api/v1/tollgate/inquiryEvents",
    code: "SUCCESS",
    ms: 4,
  };
  assert.equal(formatLiveLine("serve", JSON.stringify(polled)), undefined);
  assert.match(
    formatLiveLine("serve", JSON.stringify({ ...polled, code: "ACCESS_DENIED" })) ?? "",
    /inquiryEvents/,
  );
});

test("a step of the provider has its amount in major units", () => {
  const paid = {
    kind: "paid",
    at: "2026-11-15T09:30:00Z",
    by: "buyer",
    paymentId: "1",
    amount: { currency: "EUR", value: "1250" },
  };
  assert.equal(
    formatPlain(formatProviderEvent(JSON.stringify(paid))),
    "wallet | paid by buyer | EUR 12.50 | 1",
  );
  assert.equal(formatProviderEvent(JSON.stringify({ kind: "callback", at: paid.at })), undefined);
});

test("a rejection has its hint below it, without control characters of the terminal", () => {
  const hint = '12.50 EUR is written "1250".\u001b[2J';
  const entry = {
    level: 30,
    time,
    path: "/ams/sandbox/api/v1/payments/pay",
    code: "PARAM_ILLEGAL",
    ms: 3,
    hint,
  };
  const line = formatLiveLine("serve", JSON.stringify(entry)) ?? "";
  assert.equal(formatPlain(line), 'pay | PARAM_ILLEGAL | 3 ms\n | 12.50 EUR is written "1250".');
  assert.ok(!line.includes("\u001b[2J"));
});
