import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decidePermission,
  isRole,
  personKindOf,
  merchantRoles,
  permissions,
  permissionsOf,
  staffRoles,
  stepUpSecondsMax,
  type Permission,
  type Role,
} from "./role.ts";

const nowMs = Date.parse("2026-11-16T09:30:00Z");
const nowSeconds = nowMs / 1000;

test("refunds in live are for roles that are responsible for money, and in the sandbox for developers, too", () => {
  const mayRefund = (role: Role, environment: "sandbox" | "live"): boolean =>
    permissionsOf(role, environment).includes("payments.refund");
  assert.deepEqual(
    merchantRoles.filter((role) => mayRefund(role, "live")),
    ["owner", "admin", "finance"],
  );
  assert.deepEqual(
    merchantRoles.filter((role) => mayRefund(role, "sandbox")),
    ["owner", "admin", "developer", "finance"],
  );
});

test("a reader can change nothing", () => {
  for (const environment of ["sandbox", "live"] as const) {
    const readerPermissions = permissionsOf("reader", environment);
    assert.deepEqual(
      readerPermissions.filter((permission) => !permission.endsWith(".read")),
      [],
    );
    assert.ok(readerPermissions.includes("payments.read"));
  }
});

test("staff can neither move a merchant's money nor change its keys", () => {
  const merchantOnly: readonly Permission[] = [
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
      for (const permission of merchantOnly)
        assert.ok(!permissionsOf(role, environment).includes(permission), permission);
});

test("no merchant role can read other merchants, connectors or reconciliation", () => {
  const operatorsOnly = /^(?:merchants|providers|open-records|jobs|breaks|announcements)\./;
  for (const role of merchantRoles)
    for (const environment of ["sandbox", "live"] as const)
      assert.deepEqual(
        permissionsOf(role, environment).filter((permission) => operatorsOnly.test(permission)),
        [],
      );
});

test("marked permissions need a re-authentication within the last five minutes", () => {
  const decide = (stepUpAt: number | undefined): string =>
    decidePermission({ role: "owner", stepUpAt }, "payments.refund", { environment: "live", nowMs });
  assert.equal(decide(undefined), "step up");
  assert.equal(decide(nowSeconds - stepUpSecondsMax - 1), "step up");
  assert.equal(decide(nowSeconds - stepUpSecondsMax), "allowed");
  assert.equal(decide(nowSeconds), "allowed");
});

test("re-authentication gives no permission that the role lacks", () => {
  const subject = { role: "support", stepUpAt: nowSeconds } as const;
  assert.equal(decidePermission(subject, "payments.refund", { environment: "live", nowMs }), "denied");
});

test("reading needs no re-authentication", () => {
  for (const permission of Object.keys(permissions) as Permission[])
    if (permission.endsWith(".read")) assert.equal(permissions[permission].stepUp, false, permission);
});

test("unknown roles are rejected, and staff roles differ from merchant roles", () => {
  assert.ok(isRole("owner") && isRole("staff-admin"));
  assert.ok(!isRole("root") && !isRole("toString") && !isRole(undefined));
  assert.equal(personKindOf("owner"), "merchant");
  assert.equal(personKindOf("staff-support"), "staff");
});
