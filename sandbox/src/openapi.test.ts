import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultKinds, faultVerbs } from "./wallet/faults.ts";
import { authorizationOnTheWire } from "./wallet/authorization.ts";
import { captureOnTheWire } from "./wallet/capture.ts";
import { disputeOnTheWire } from "./wallet/dispute.ts";
import { orderOnTheWire } from "./wallet/order.ts";
import { refundOnTheWire } from "./wallet/refund.ts";
import { registrationOnTheWire } from "./wallet/registration.ts";
import { results } from "./wallet/result.ts";
import { verbs } from "./verbs/verbs.ts";

interface Schema {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<"Order" | "Capture" | "Refund" | "Registration" | "Authorization" | "Dispute" | "Result", Schema>
    >;
  };
};
const { Order, Capture, Refund, Registration, Authorization, Dispute, Result } = document.components.schemas;

const amount = { currency: "EUR", value: "450" };

test("the document describes exactly the implemented operations", () => {
  assert.deepEqual(
    Object.keys(document.paths),
    verbs.map(({ folder = "orders", name }) => `/${folder}/${name}`),
  );
});

test("the document lists every result, in the order of precedence", () => {
  assert.deepEqual(Result.properties["resultCode"]?.enum, Object.keys(results));
});

test("an order on the wire has the fields of the document", () => {
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
      capture: "AUTOMATIC",
      changedTime: "2026-11-15T09:29:00+00:00",
      capturedMinor: 0n,
      releasedMinor: 0n,
      refundedMinor: 0n,
    },
    ({ token }) => `https://wallet.example/pay/${token}`,
  );
  assert.deepEqual(Object.keys(order), Object.keys(Order.properties));
});

test("a capture and a refund on the wire have the fields of the document", () => {
  const named = { reference: "r", paymentId: "p", walletOrderId: "w", amount };
  const at = "2026-11-15T09:29:00+00:00";
  const capture = { ...named, captureReference: "c", walletCaptureId: "wc", captureTime: at };
  const refund = { ...named, refundReference: "f", walletRefundId: "wr", refundTime: at, finishTime: at };
  assert.deepEqual(Object.keys(captureOnTheWire(capture)), Object.keys(Capture.properties));
  assert.deepEqual(
    Object.keys(refundOnTheWire({ ...refund, state: "DONE" })),
    Object.keys(Refund.properties),
  );
});

test("a registration on the wire has the fields of the document", () => {
  const registration = registrationOnTheWire({
    reference: "r",
    registrationRequestId: "q",
    walletRegistrationId: "wg",
    contentHash: "h",
    state: "REJECTED",
    rejectReasons: ["No."],
  });
  assert.deepEqual(Object.keys(registration), Object.keys(Registration.properties));
});

test("a dispute on the wire has the fields of the document", () => {
  const at = "2026-11-15T09:29:00+00:00";
  const dispute = disputeOnTheWire({
    reference: "r",
    paymentId: "p",
    walletOrderId: "w",
    walletDisputeId: "wd",
    disputeType: "CHARGEBACK",
    state: "JUDGED",
    amount,
    reasonCode: "4853",
    reasonMessage: "No.",
    source: "s",
    defendable: true,
    dueTime: at,
    heldMinor: "450",
    sequence: 2,
    defenses: 1,
    createdTime: at,
    changedTime: at,
    takenAmount: amount,
    acceptReason: "TIMEOUT",
    judgedResult: "ACCEPT_BY_MERCHANT",
  });
  assert.deepEqual(Object.keys(dispute), Object.keys(Dispute.properties));
});

test("a consent on the wire has the fields of the document", () => {
  const authorization = {
    reference: "r",
    merchantId: "m",
    merchantName: "M",
    scopes: ["AGREEMENT_PAY"],
    authState: "s",
    redirectUrl: "https://shop.example/",
    expiryTime: "2026-11-15T09:30:00+00:00",
    callbackUrl: "https://gateway.example/",
    walletAuthorizationId: "wa",
    token: "t",
    state: "AGREED",
    sequence: 2,
    codeExpiryTime: "2026-11-15T09:40:00.000+00:00",
    reason: "No.",
  } as const;
  const serialized = authorizationOnTheWire(
    authorization,
    (token) => `https://wallet.example/authorize/${token}`,
    "c",
  );
  assert.deepEqual(Object.keys(serialized), Object.keys(Authorization.properties));
});

test("the README lists every fault and every verb that it can match", () => {
  const guide = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  for (const kind of faultKinds) assert.ok(guide.includes(`| \`${kind}\` |`), kind);
  for (const verb of faultVerbs) assert.ok(guide.includes(`\`${verb}\``), verb);
});
