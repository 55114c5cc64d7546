import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decideRight,
  isRole,
  kindOfRole,
  merchantRoles,
  rights,
  rightsOf,
  staffRoles,
  stepUpSecondsMax,
  type Right,
  type Role,
} from "./role.ts";

const nowMs = Date.parse("2026-11-16T09:30:00Z");
const nowSeconds = nowMs / 1000;

test("refunds in live are for roles that are responsible for money, and in the sandbox for developers, too", () => {
  const may = (role: Role, environment: "sandbox" | "live"): boolean =>
    rightsOf(role, environment).includes("payments.refund");
  assert.deepEqual(
    merchantRoles.filter((role) => may(role, "live")),
    ["owner", "admin", "finance"],
  );
  assert.deepEqual(
    merchantRoles.filter((role) => may(role, "sandbox")),
    ["owner", "admin", "developer", "finance"],
  );
});

test("a reader can change nothing", () => {
  for (const environment of ["sandbox", "live"] as const) {
    const words = rightsOf("reader", environment);
    assert.deepEqual(
      words.filter((right) => !right.endsWith(".read")),
      [],
    );
    assert.ok(words.includes("payments.read"));
  }
});

test("staff can neither move a merchant's money nor change its keys", () => {
  const merchantsOwn: readonly Right[] = [
    "payments.refund",
    "payments.cancel",
    "payments.capture",
    "disputes.accept",
    "disputes.answer",
    "keys.change",
    "endpoints.change",
    "brand.change",
    "clients.open",
  ];
  for (const role of staffRoles)
    for (const environment of ["sandbox", "live"] as const)
      for (const right of merchantsOwn) assert.ok(!rightsOf(role, environment).includes(right), right);
});

test("no merchant role can read other merchants, connectors or reconciliation", () => {
  const operators = /^(?:merchants|providers|open-records|jobs|breaks|announcements)\./;
  for (const role of merchantRoles)
    for (const environment of ["sandbox", "live"] as const)
      assert.deepEqual(
        rightsOf(role, environment).filter((right) => operators.test(right)),
        [],
      );
});

test("marked permissions need a re-authentication within the last five minutes", () => {
  const ask = (stepUpAt: number | undefined): string =>
    decideRight({ role: "owner", stepUpAt }, "payments.refund", { environment: "live", nowMs });
  assert.equal(ask(undefined), "step up");
  assert.equal(ask(nowSeconds - stepUpSecondsMax - 1), "step up");
  assert.equal(ask(nowSeconds - stepUpSecondsMax), "allowed");
  assert.equal(ask(nowSeconds), "allowed");
});

test("re-authentication gives no permission that the role lacks", () => {
  const asking = { role: "support", stepUpAt: nowSeconds } as const;
  assert.equal(decideRight(asking, "payments.refund", { environment: "live", nowMs }), "denied");
});

test("reading needs no re-authentication", () => {
  for (const right of Object.keys(rights) as Right[])
    if (right.endsWith(".read")) assert.equal(rights[right].stepUp, false, right);
});

test("unknown roles are rejected, and staff roles differ from merchant roles", () => {
  assert.ok(isRole("owner") && isRole("staff-admin"));
  assert.ok(!isRole("root") && !isRole("toString") && !isRole(undefined));
  assert.equal(kindOfRole("owner"), "merchant");
  assert.equal(kindOfRole("staff-support"), "staff");
});
