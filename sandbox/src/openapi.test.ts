import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultKinds, faultVerbs } from "./wallet/faults.ts";
import { authorizationOnTheWire } from "./wallet/authorization.ts";
import { disputeOnTheWire } from "./wallet/dispute.ts";
import { moneyOnTheWire } from "./wallet/money-record.ts";
import { noMoney, orderOnTheWire } from "./wallet/order.ts";
import { registrationOnTheWire } from "./wallet/registration.ts";
import { results } from "./wallet/result.ts";
import { pathOf } from "./verbs/verb.ts";
import { verbs } from "./verbs/verbs.ts";

interface Schema {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<
        "Order" | "Details" | "Capture" | "Refund" | "Registration" | "Authorization" | "Dispute" | "Result",
        Schema
      >
    >;
  };
};
const { Order, Details, Capture, Refund, Registration, Authorization, Dispute, Result } =
  document.components.schemas;

const amount = { currency: "EUR", value: "450" };

test("the document describes exactly the implemented operations", () => {
  assert.deepEqual(
    Object.keys(document.paths),
    verbs.map((verb) => `/${pathOf(verb)}`),
  );
});

test("the document lists every result, in the order of precedence", () => {
  assert.deepEqual(Result.properties["resultCode"]?.enum, Object.keys(results));
});

test("an order on the wire has the fields of the document", () => {
  const pageUrl = ({ token }: { readonly token: string }): string => `https://wallet.example/pay/${token}`;
  const held = {
    reference: "r",
    paymentId: "p",
    providerOrderId: "w",
    token: "t",
    merchantName: "m",
    description: "d",
    amount,
    paymentMethodType: "WALLET",
    expiryTime: "2026-11-15T09:30:00+00:00",
    callbackUrl: "https://gateway.example/",
    state: "AUTHORIZED",
    sequence: 2,
    paidAmount: amount,
    paidTime: "2026-11-15T09:29:00+00:00",
    resultCode: "X",
    capture: "MANUAL",
    changedTime: "2026-11-15T09:29:00+00:00",
    cancel: { state: "FAILED", startedSequence: 2, resultCode: "PROCESS_FAIL" },
    captures: noMoney,
    refunds: noMoney,
    releasedMinor: 0n,
  } as const;
  const fieldsOf = (order: object): readonly string[] => Object.keys(order);
  const byCard = { ...held, paymentMethodType: "CARD" };
  const open = orderOnTheWire({ ...held, state: "OPEN" }, pageUrl);
  const paidByCard = orderOnTheWire(byCard, pageUrl);
  const fields = new Set([
    ...fieldsOf(orderOnTheWire(held, pageUrl)),
    ...fieldsOf(open),
    ...fieldsOf(paidByCard),
  ]);
  assert.deepEqual(fields, new Set(Object.keys(Order.properties)));
  assert.ok("details" in paidByCard && !("details" in open));
  assert.deepEqual(fieldsOf(Object(paidByCard.details)), Object.keys(Details.properties));
});

test("a capture and a refund on the wire have the fields of the document", () => {
  const record = {
    reference: "r",
    paymentId: "p",
    providerOrderId: "w",
    moneyReference: "m",
    providerMoneyId: "wm",
    amount,
    state: "FAILED",
    sequence: 2,
    doneTime: "2026-11-15T09:29:00+00:00",
    resultCode: "PROCESS_FAIL",
  } as const;
  const refund = moneyOnTheWire({ ...record, kind: "refund" });
  assert.deepEqual(Object.keys(refund), Object.keys(Refund.properties));
  const capture = moneyOnTheWire({ ...record, kind: "capture" });
  assert.deepEqual(Object.keys(capture), Object.keys(Capture.properties));
});

test("a registration on the wire has the fields of the document", () => {
  const registration = registrationOnTheWire({
    reference: "r",
    registrationRequestId: "q",
    providerRegistrationId: "wg",
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
    providerOrderId: "w",
    providerDisputeId: "wd",
    disputeType: "CHARGEBACK",
    state: "JUDGED",
    amount,
    reasonCode: "4853",
    reasonMessage: "No.",
    source: "s",
    defendable: true,
    wantedEvidence: ["RECEIPT"],
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
    providerAuthorizationId: "wa",
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
