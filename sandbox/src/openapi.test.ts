import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultKinds, faultVerbs } from "./faults.ts";
import { orderOnTheWire } from "./order.ts";
import { results } from "./result.ts";
import { verbs } from "./verbs/verbs.ts";

interface Schema {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<"Order" | "Result", Schema>> };
};
const { Order, Result } = document.components.schemas;

test("the document describes the operations that there are", () => {
  assert.deepEqual(
    Object.keys(document.paths),
    verbs.map(({ name }) => `/orders/${name}`),
  );
});

test("the document lists every result, in the order in which the wallet looks", () => {
  assert.deepEqual(Result.properties["resultCode"]?.enum, Object.keys(results));
});

test("an order on the wire has the fields of the document", () => {
  const amount = { currency: "EUR", value: "450" };
  const order = orderOnTheWire(
    {
      reference: "r",
      paymentId: "p",
      walletOrderId: "w",
      token: "t",
      merchantName: "m",
      description: "d",
      amount,
      paymentMethodType: "WALLET",
      expiryTime: "2026-11-15T09:30:00+00:00",
      callbackUrl: "https://gateway.example/",
      state: "PAID",
      sequence: 2,
      paidAmount: amount,
      paidTime: "2026-11-15T09:29:00+00:00",
      resultCode: "X",
      refundedMinor: 0n,
    },
    (token) => `https://wallet.example/pay/${token}`,
  );
  assert.deepEqual(Object.keys(order), Object.keys(Order.properties));
});

test("the guide names every fault and where it can strike", () => {
  const guide = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  for (const kind of faultKinds) assert.ok(guide.includes(`| \`${kind}\` |`), kind);
  for (const verb of faultVerbs) assert.ok(guide.includes(`\`${verb}\``), verb);
});
