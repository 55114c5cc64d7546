import assert from "node:assert/strict";
import { test } from "node:test";
import { balances } from "./balance.ts";
import type { Movement } from "./money-projection.ts";
import { noMoney, type Order } from "./order.ts";

const movement = (kind: Movement["kind"], currency: string, value: string): Movement => ({
  kind,
  reference: "r",
  operationReference: "o",
  paymentId: "p",
  amount: { currency, value },
  at: "2026-11-15T09:30:00.000+00:00",
});

const heldOrder: Order = {
  reference: "r",
  paymentId: "p",
  providerOrderId: "w",
  token: "t",
  merchantName: "m",
  description: "d",
  amount: { currency: "JPY", value: "900" },
  paidAmount: { currency: "JPY", value: "900" },
  paymentMethodType: "WALLET",
  expiryTime: "2026-11-15T09:30:00+00:00",
  callbackUrl: "https://gateway.example/",
  state: "AUTHORIZED",
  sequence: 2,
  capture: "MANUAL",
  changedTime: "2026-11-15T09:30:00+00:00",
  captures: { ...noMoney, DONE: 200n },
  refunds: noMoney,
  releasedMinor: 0n,
};

const nothing = { paidMinor: 0n, refundedMinor: 0n, heldMinor: 0n, capturingMinor: 0n, refundingMinor: 0n };

test("payments and captures count as paid, refunds as refunded, and the rest of a hold as held", () => {
  const movedTotals = [
    movement("payment", "EUR", "1250"),
    movement("refund", "EUR", "250"),
    movement("capture", "JPY", "200"),
    movement("payment", "EUR", "100"),
  ];
  assert.deepEqual(
    balances(movedTotals, [
      heldOrder,
      { ...heldOrder, releasedMinor: 700n },
      { ...heldOrder, state: "CLOSED" },
    ]),
    [
      { ...nothing, currency: "EUR", paidMinor: 1350n, refundedMinor: 250n },
      { ...nothing, currency: "JPY", paidMinor: 200n, heldMinor: 700n },
    ],
  );
});

test("captures and refunds in progress are neither held nor paid nor refunded", () => {
  const inProgress = {
    ...heldOrder,
    captures: { PROCESSING: 500n, DONE: 200n, FAILED: 100n },
    refunds: { PROCESSING: 50n, DONE: 0n, FAILED: 30n },
  };
  assert.deepEqual(balances([movement("capture", "JPY", "200")], [inProgress]), [
    {
      currency: "JPY",
      paidMinor: 200n,
      refundedMinor: 0n,
      heldMinor: 200n,
      capturingMinor: 500n,
      refundingMinor: 50n,
    },
  ]);
});

test("a chargeback counts as refunded, and a refund that came back does not", () => {
  const moved = [
    movement("payment", "EUR", "1250"),
    movement("refund", "EUR", "250"),
    movement("refund_reversal", "EUR", "250"),
    movement("chargeback", "EUR", "100"),
  ];
  assert.deepEqual(balances(moved, []), [
    { ...nothing, currency: "EUR", paidMinor: 1250n, refundedMinor: 100n },
  ]);
});

test("a wallet without movements has no balance", () => assert.deepEqual(balances([], []), []));
