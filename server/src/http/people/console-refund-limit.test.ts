import assert from "node:assert/strict";
import { test } from "node:test";
import { refundRequest, resultOf, createPaidEuroPayment } from "../../../test/shop/test-refund.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant } from "../../../test/start/test-gateway.ts";
import { requestConsole, consoleVariables, personToken } from "../../../test/start/test-console.ts";
import { callPayments, startTestStack } from "../../../test/start/test-stack.ts";
import { queryAsOwner } from "../../operator-session/owner-session.ts";
import { actDigest } from "../../people/approval-rules.ts";
import { sumPersonRefunds } from "../../refunds/refund-limit.sql.ts";

/** In these tests a person refunds up to EUR 10.00 per accounting day without approval. */
const stack = await startTestStack();
const { merchant, provider, database } = stack;
const { clientId } = merchant;
const { clientId: otherClientId } = await newMerchant(database, "Second shop");
const rules = { TOLLGATE_APPROVAL_RULES: "payments.refund above EUR 1000" };
const { url } = await stack.serve({ isPublic: true, variables: { ...consoleVariables, ...rules } });
await stack.work();
const paymentId = await createPaidEuroPayment({ url, merchant, provider }, "100000");

const isDone = (code: string): boolean => ["SUCCESS", "REFUND_IN_PROCESS"].includes(code);

async function refund(sub: string, id: string, value: string, isApproved = false): Promise<string> {
  const request = refundRequest(id, paymentId, value);
  const digest = actDigest({ act: "refund", place: clientId, request });
  const confirmed = { by: "per_second", permission: "payments.refund", digest } as const;
  const clientIds = [clientId, otherClientId];
  const token = personToken({ clientIds, sub, ...(isApproved && { confirmed }) });
  const headers = { "client-id": clientId };
  return resultOf(await requestConsole(url, "acts/refund", { token, body: { request }, headers }));
}

test("refunds of one person are summed per day, and the sum is compared with the limit", async () => {
  for (const id of ["a-1", "a-2"]) assert.ok(isDone(await refund("per_anna", id, "500")), id);
  assert.equal(await refund("per_anna", "a-3", "1"), "APPROVAL_NEEDED");
  assert.ok(isDone(await refund("per_anna", "a-1", "500")), "a repeated request is not a second refund");
  assert.ok(isDone(await refund("per_anna", "a-3", "1", true)), "approved");
  assert.ok(isDone(await refund("per_bea", "b-1", "1000")), "another person has a sum of their own");
  const [{ count } = { count: "" }] = await asSuperuser<{ count: string }>(
    "select count(*) from refunds where refund_request_id in ('a-1', 'a-2', 'a-3')",
    [],
    database.superuserUrl,
  );
  assert.equal(count, "3");
});

test("two refunds at the same moment do not both pass below the limit", async () => {
  const codes = await Promise.all(
    Array.from({ length: 6 }, (_, number) => refund("per_cleo", `c-${number}`, "600")),
  );
  assert.equal(codes.filter(isDone).length, 1, codes.join(", "));
  assert.equal(codes.filter((code) => code === "APPROVAL_NEEDED").length, 5, codes.join(", "));
});

test("a person's refunds at other merchants count, and those of earlier days do not", async () => {
  const after = { refundRequestId: "x-1", refundAmount: { currency: "EUR", value: "999" } };
  await asSuperuser(
    `insert into audit (actor_kind, actor, role, act, subject, about_client, after)
     values ('person', 'per_dora', 'owner', 'payments/refund', 'x', $1, $2::json)`,
    [otherClientId, JSON.stringify(after)],
    database.superuserUrl,
  );
  assert.equal(await refund("per_dora", "d-1", "2"), "APPROVAL_NEEDED");
  assert.ok(isDone(await refund("per_dora", "d-2", "1")));
  const asked = { personId: "per_dora", clientIds: [clientId, otherClientId], currency: "EUR" };
  const sumSince = (since: Date): Promise<bigint> =>
    queryAsOwner(database.ownerUrl, "sandbox", [clientId], (tx) => sumPersonRefunds(tx, { ...asked, since }));
  const minuteMs = 60_000;
  assert.equal(await sumSince(new Date(Date.now() - minuteMs)), 1000n);
  assert.equal(await sumSince(new Date(Date.now() + minuteMs)), 0n);
});

test("a merchant's system refunds without a person's limit", async () => {
  const answer = await callPayments(url, merchant, "refund", refundRequest("s-1", paymentId, "5000"));
  assert.ok(isDone(resultOf(answer)), answer.text);
});
