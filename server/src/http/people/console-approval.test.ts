import assert from "node:assert/strict";
import { after, test } from "node:test";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
  staffVariables,
} from "../../../test/start/test-console.ts";
import { serveStaff } from "../../processes/serve-staff.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { actDigest } from "../../people/approval-rules.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database);
const rules = { TOLLGATE_APPROVAL_RULES: "keys.change, merchants.change, payments.refund above EUR 1000" };
const serving = await serve(readSettings({ ...variables, ...consoleVariables, ...rules }));
after(() => serving.stop());
const staffServing = await serveStaff(readSettings({ ...variables, ...staffVariables(database), ...rules }));
after(() => staffServing.stop());

const request = { keyVersion: 1 };
const confirmed = {
  by: "per_second",
  permission: "keys.change",
  digest: actDigest({ act: "revokeKey", place: clientId, request }),
} as const;

async function revoke(more: object, body: object = { request, reason: "It leaked." }): Promise<string> {
  const token = personToken({ clientIds: [clientId], sub: "per_first", ...more });
  return resultCodeOf(await requestConsole(serving.url, "acts/revokeKey", { token, body }));
}

async function refund(value: string): Promise<string> {
  const token = personToken({ clientIds: [clientId] });
  const refundAmount = { currency: "EUR", value };
  const body = { request: { refundRequestId: "r-1", paymentId: "2026", refundAmount } };
  return resultCodeOf(await requestConsole(serving.url, "acts/refund", { token, body }));
}

test("an act that needs approval runs only with the content that another person has approved", async () => {
  assert.equal(await revoke({}), "APPROVAL_NEEDED");
  assert.equal(await revoke({ confirmed: { ...confirmed, by: "per_first" } }), "APPROVAL_NEEDED");
  assert.equal(
    await revoke({ confirmed: { ...confirmed, permission: "payments.refund" } }),
    "APPROVAL_NEEDED",
  );
  const other = { request: { keyVersion: 2 }, reason: "It leaked." };
  assert.equal(await revoke({ confirmed }, other), "APPROVAL_NEEDED");
  assert.equal(await revoke({ confirmed: { by: 7 } }), "TOKEN_INVALID");
  assert.equal(await revoke({ confirmed }), "SUCCESS");
  const [row] = await asSuperuser<{ reason: string }>(
    "select reason from audit where actor = 'per_first'",
    [],
    database.superuserUrl,
  );
  assert.equal(row?.reason, "It leaked. Confirmed by per_second.");
});

test("a small refund needs no approval, and a large one does", async () => {
  assert.equal(await refund("1000"), "ORDER_NOT_EXIST");
  assert.equal(await refund("1001"), "APPROVAL_NEEDED");
});

test("staff commands need approval as well; the approver confirms the reason and is in the audit log", async () => {
  const { clientId: suspended } = await newMerchant(database, "Suspended");
  const body = { reason: "a chargeback wave", request: { clientId: suspended } };
  const suspend = async (claims: object, requestBody: object = body): Promise<string> => {
    const token = personToken({ role: "staff-admin", sub: "per_operator", ...claims });
    return resultCodeOf(
      await requestConsole(staffServing.url, "staff/suspendMerchant", { token, body: requestBody }),
    );
  };
  const asked = { act: "staff/suspendMerchant", place: "org_1", request: body };
  const confirmation = {
    confirmed: { by: "per_second", permission: "merchants.change", digest: actDigest(asked) },
  } as const;
  assert.equal(await suspend({}), "APPROVAL_NEEDED");
  assert.equal(await suspend(confirmation, { ...body, reason: "another one" }), "APPROVAL_NEEDED");
  assert.equal(await suspend(confirmation), "SUCCESS");
  const [row] = await asSuperuser<{ reason: string }>(
    "select reason from audit where actor = 'per_operator' and act = 'merchant suspend'",
    [],
    database.superuserUrl,
  );
  assert.equal(row?.reason, "a chargeback wave Confirmed by per_second.");
});

test("an invalid approval rule prevents startup", () => {
  const wrong = { ...variables, ...consoleVariables, TOLLGATE_APPROVAL_RULES: "key.change" };
  assert.throws(() => readSettings(wrong), /TOLLGATE_APPROVAL_RULES must be permissions/);
});
