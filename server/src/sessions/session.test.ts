import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredTypes } from "./session-request.schema.ts";
import { isUnchosen, sessionUntil } from "../payments/payment.ts";
import { canChange, canChoose, expiryOf, payableUntil, type Session } from "./session.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

const now = new Date("2026-11-15T10:00:00Z");
const clock = { now, aheadMs: 0 };
const at = (time: string): Date => new Date(`2026-11-15T${time}Z`);
const onWire = (time: string): string => `2026-11-15T${time}+00:00`;

test("a session lasts one hour, or less if the merchant says so, and never longer", () => {
  const expiry = (paymentSessionExpiryTime?: string): unknown =>
    expiryOf(clock, paymentSessionExpiryTime === undefined ? {} : { paymentSessionExpiryTime });
  assert.deepEqual(expiry(), { choosing: at("11:00:00"), paying: undefined });
  assert.deepEqual(expiry(onWire("10:05:00")), { choosing: at("10:05:00"), paying: undefined });
  // A lifetime may exceed one hour by half a minute because of clock skew.
  assert.deepEqual(expiry(onWire("11:00:30")), { choosing: at("11:00:00"), paying: undefined });
  for (const wrong of ["11:01:01", "10:00:00", "09:59:59"])
    assert.equal(expiry(onWire(wrong)), "paymentSessionExpiryTime");
  assert.equal(expiry("2026-02-30T10:05:00+00:00"), "paymentSessionExpiryTime");
});

test("the time to choose ends no later than the time to pay", () => {
  assert.deepEqual(expiryOf(clock, { paymentExpiryTime: onWire("10:10:00") }), {
    choosing: at("10:10:00"),
    paying: at("10:10:00"),
  });
  const later = { paymentSessionExpiryTime: onWire("10:05:00"), paymentExpiryTime: onWire("12:00:00") };
  assert.deepEqual(expiryOf(clock, later), { choosing: at("10:05:00"), paying: at("12:00:00") });
  assert.equal(expiryOf(clock, { paymentExpiryTime: "2026-11-17T10:01:01+00:00" }), "paymentExpiryTime");
});

const unchosen = examplePayment({
  order: undefined,
  session: sessionUntil(at("10:30:00")),
});

test("the buyer can choose until the session expires, the merchant cancels, or a method is chosen", () => {
  assert.ok(canChoose(unchosen, at("10:29:59")));
  assert.ok(!canChoose(unchosen, at("10:30:00")));
  assert.ok(!canChoose({ ...unchosen, cancelRequestedAt: now }, now));
  assert.ok(!canChoose({ ...unchosen, status: "CANCELLED" }, now));
  assert.ok(!canChoose({ ...unchosen, order: examplePayment().order }, now));
  assert.ok(!canChoose({ ...unchosen, session: undefined }, now));
});

test("the buyer of a payment of pay cannot choose", () => {
  assert.ok(isUnchosen(unchosen));
  assert.ok(!isUnchosen(examplePayment()));
  assert.ok(!isUnchosen(examplePayment({ order: undefined })));
});

test("after the choice the buyer has 14 minutes, or the time that the merchant set", () => {
  const session = { paymentExpiresAt: undefined } as unknown as Session;
  assert.deepEqual(payableUntil(session, now), at("10:14:00"));
  assert.deepEqual(payableUntil({ ...session, paymentExpiresAt: at("10:02:00") }, now), at("10:02:00"));
});

test("the merchant's methods are offered in the order of their numbers, and those without a number last", () => {
  const list = [
    { paymentMethodType: "C" },
    { paymentMethodType: "B", paymentMethodOrder: 2 },
    { paymentMethodType: "A", paymentMethodOrder: 1 },
    { paymentMethodType: "D" },
  ];
  type Asked = Parameters<typeof offeredTypes>[0];
  const asked = (more: object): Asked => more as Asked;
  assert.deepEqual(offeredTypes(asked({ availablePaymentMethod: { paymentMethodTypeList: list } })), [
    "A",
    "B",
    "C",
    "D",
  ]);
  assert.equal(offeredTypes(asked({ availablePaymentMethod: { paymentMethodTypeList: [] } })), undefined);
  assert.deepEqual(offeredTypes(asked({ paymentMethod: { paymentMethodType: "CARD" } })), ["CARD"]);
});

test("the buyer can change the method until money moves, the time ends, or ten orders were left", () => {
  const chosen = { ...unchosen, order: examplePayment().order, expiresAt: at("10:20:00") };
  const session = sessionUntil(at("10:10:00"));
  const many = Array.from({ length: 10 }, (_, index) => `w r${index}`);
  assert.ok(canChange(chosen, now));
  assert.ok(canChange({ ...chosen, session: { ...session, leftOrders: many.slice(1) } }, now));
  assert.ok(!canChange({ ...chosen, session: { ...session, leftOrders: many } }, now));
  assert.ok(!canChange({ ...chosen, session: { ...session, changeRequestedAt: now } }, now));
  assert.ok(!canChange({ ...chosen, session }, at("10:10:00")));
  assert.ok(!canChange(chosen, at("10:20:00")));
  assert.ok(!canChange({ ...chosen, status: "PENDING" }, now));
  assert.ok(!canChange({ ...chosen, cancelRequestedAt: now }, now));
  assert.ok(!canChange({ ...chosen, session: undefined }, now));
  assert.ok(!canChange(unchosen, now));
});
