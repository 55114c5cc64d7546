import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredPaymentMethods } from "./session-request.schema.ts";
import { isMethodUnchosen, newSessionTimes } from "../payments/payment.ts";
import { canChange, canChoose, sessionExpiryOf, payableUntil, type Session } from "./session.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";

const now = new Date("2026-11-15T10:00:00Z");
const clock = { now, aheadMs: 0 };
const at = (time: string): Date => new Date(`2026-11-15T${time}Z`);
const onWire = (time: string): string => `2026-11-15T${time}+00:00`;

test("a session lasts one hour, or less if the merchant says so, and never longer", () => {
  const expiry = (paymentSessionExpiryTime?: string): unknown =>
    sessionExpiryOf(clock, paymentSessionExpiryTime === undefined ? {} : { paymentSessionExpiryTime });
  assert.deepEqual(expiry(), { chooseUntil: at("11:00:00"), payUntil: undefined });
  assert.deepEqual(expiry(onWire("10:05:00")), { chooseUntil: at("10:05:00"), payUntil: undefined });
  // A lifetime may exceed one hour by half a minute because of clock skew.
  assert.deepEqual(expiry(onWire("11:00:30")), { chooseUntil: at("11:00:00"), payUntil: undefined });
  for (const invalidTime of ["11:01:01", "10:00:00", "09:59:59"])
    assert.equal(expiry(onWire(invalidTime)), "paymentSessionExpiryTime");
  assert.equal(expiry("2026-02-30T10:05:00+00:00"), "paymentSessionExpiryTime");
});

test("the time to choose ends no later than the time to pay", () => {
  assert.deepEqual(sessionExpiryOf(clock, { paymentExpiryTime: onWire("10:10:00") }), {
    chooseUntil: at("10:10:00"),
    payUntil: at("10:10:00"),
  });
  const later = { paymentSessionExpiryTime: onWire("10:05:00"), paymentExpiryTime: onWire("12:00:00") };
  assert.deepEqual(sessionExpiryOf(clock, later), { chooseUntil: at("10:05:00"), payUntil: at("12:00:00") });
  assert.equal(
    sessionExpiryOf(clock, { paymentExpiryTime: "2026-11-17T10:01:01+00:00" }),
    "paymentExpiryTime",
  );
});

const unchosen = examplePayment({
  order: undefined,
  session: newSessionTimes(at("10:30:00")),
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
  assert.ok(isMethodUnchosen(unchosen));
  assert.ok(!isMethodUnchosen(examplePayment()));
  assert.ok(!isMethodUnchosen(examplePayment({ order: undefined })));
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
  type Asked = Parameters<typeof offeredPaymentMethods>[0];
  const requestOf = (otherFields: object): Asked => otherFields as Asked;
  assert.deepEqual(
    offeredPaymentMethods(requestOf({ availablePaymentMethod: { paymentMethodTypeList: list } })),
    ["A", "B", "C", "D"],
  );
  assert.equal(
    offeredPaymentMethods(requestOf({ availablePaymentMethod: { paymentMethodTypeList: [] } })),
    undefined,
  );
  assert.deepEqual(offeredPaymentMethods(requestOf({ paymentMethod: { paymentMethodType: "CARD" } })), [
    "CARD",
  ]);
});

test("the buyer can change the method until money moves, the time ends, or ten orders were left", () => {
  const chosen = { ...unchosen, order: examplePayment().order, expiresAt: at("10:20:00") };
  const session = newSessionTimes(at("10:10:00"));
  const many = Array.from({ length: 10 }, (_, index) => `w r${index}`);
  assert.ok(canChange(chosen, now));
  assert.ok(canChange({ ...chosen, session: { ...session, abandonedOrders: many.slice(1) } }, now));
  assert.ok(!canChange({ ...chosen, session: { ...session, abandonedOrders: many } }, now));
  assert.ok(!canChange({ ...chosen, session: { ...session, changeRequestedAt: now } }, now));
  assert.ok(!canChange({ ...chosen, session }, at("10:10:00")));
  assert.ok(!canChange(chosen, at("10:20:00")));
  assert.ok(!canChange({ ...chosen, status: "PENDING" }, now));
  assert.ok(!canChange({ ...chosen, cancelRequestedAt: now }, now));
  assert.ok(!canChange({ ...chosen, session: undefined }, now));
  assert.ok(!canChange(unchosen, now));
});
