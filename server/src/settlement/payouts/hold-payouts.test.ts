import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ourBank, newSettlementFixture } from "../../../test/examples/settlement-fixture.ts";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { approveRequest, findPendingApprovals } from "../../operators/audit/approve.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import { findAudit } from "../../operators/audit/audit-log.ts";
import { changeMerchant, findMerchant } from "../../operators/merchants/merchant-settings.ts";
import { findPayoutHolds, holdPayouts, releasePayouts } from "./hold-payouts.workflow.ts";
import { runPayouts } from "./run-payouts.workflow.ts";
import { closeSettlement } from "../close-settlement.workflow.ts";

const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const operator = { ...fixture.operator, by: { name: "ada", reason: "Suspected fraud" } };
const folder = mkdtempSync(join(tmpdir(), "tollgate-held-payouts-"));
const payoutRun = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
await fixture.openBank();

/** Closes a day and runs the payouts. Returns the paid amounts, and the reasons why the other batches wait. */
async function payOut(clientId: string): Promise<{ paid: readonly bigint[]; waits: readonly string[] }> {
  const ran = await runPayouts(operator, payoutRun);
  const isOurs = (each: { readonly clientId: string }): boolean => each.clientId === clientId;
  return {
    paid: ran.claimed.filter(isOurs).map(({ amount }) => amount.minor),
    waits: ran.waiting.filter(isOurs).map(({ waitsFor }) => waitsFor),
  };
}

async function sellAndClose(clientId: string, minor: bigint, day: string): Promise<void> {
  await fixture.postPayment(clientId, minor, `${day}T10:00:00Z`);
  await closeSettlement(operator, { day });
}

const isHeld = async (clientId: string): Promise<boolean | undefined> => {
  const [row] = await fixture.rows<{ held: boolean }>(
    "select payouts_are_held($1::smallint, $2) as held",
    bucketOf(clientId),
    clientId,
  );
  return row?.held;
};

test("a suspended merchant is not paid; its batches close, and are paid after it is resumed", async () => {
  const clientId = await fixture.openMerchant();
  await sellAndClose(clientId, 4000n, "2026-10-06");
  await changeMerchant(operator, clientId, { status: "SUSPENDED" });
  assert.equal(await isHeld(clientId), true);
  assert.deepEqual(await payOut(clientId), { paid: [], waits: ["merchant suspended"] });
  await sellAndClose(clientId, 500n, "2026-10-07");
  assert.deepEqual(await payOut(clientId), { paid: [], waits: ["merchant suspended", "merchant suspended"] });
  assert.deepEqual(
    await fixture.rows(
      "select distinct status, waits_for from settlement_batches where client_id = $1",
      clientId,
    ),
    [{ status: "DUE", waits_for: "merchant suspended" }],
  );
  await changeMerchant(operator, clientId, { status: "ACTIVE" });
  assert.equal(await isHeld(clientId), false);
  assert.deepEqual(await payOut(clientId), { paid: [4000n, 500n], waits: [] });
});

test("a merchant is not paid while its payouts are on hold", async () => {
  const [heldMerchant, otherMerchant] = [await fixture.openMerchant(), await fixture.openMerchant()];
  await holdPayouts(operator, heldMerchant);
  for (const clientId of [heldMerchant, otherMerchant]) await sellAndClose(clientId, 1000n, "2026-10-08");
  assert.deepEqual([await isHeld(heldMerchant), await isHeld(otherMerchant)], [true, false]);
  assert.deepEqual(await payOut(heldMerchant), { paid: [], waits: ["payouts on hold"] });
  assert.equal(await fixture.owedMinor(heldMerchant), 1000n);
  assert.equal(await fixture.owedMinor(otherMerchant), 0n);

  const hold = { clientId: heldMerchant, heldBy: "ada", reason: "Suspected fraud" };
  assert.partialDeepStrictEqual(await findPayoutHolds(operator), [hold]);
  assert.partialDeepStrictEqual((await findMerchant(operator, heldMerchant)).payoutHold, hold);
  await assert.rejects(holdPayouts(operator, heldMerchant), /already on hold/);

  await releasePayouts(operator, heldMerchant);
  assert.deepEqual(await findPayoutHolds(operator), []);
  assert.equal((await findMerchant(operator, heldMerchant)).payoutHold, undefined);
  await assert.rejects(releasePayouts(operator, heldMerchant), /not on hold/);
  assert.deepEqual(await payOut(heldMerchant), { paid: [1000n], waits: [] });
});

test("a hold after the approval drops the merchant's line", async () => {
  const clientId = await fixture.openMerchant();
  await sellAndClose(clientId, 900n, "2026-10-08");
  const kill = runPayouts(operator, payoutRun, (reached) => {
    if (reached === "after-release-commit") throw new Error("killed");
  });
  await assert.rejects(kill, /killed/);
  await holdPayouts(operator, clientId);
  assert.deepEqual(await payOut(clientId), { paid: [], waits: ["payouts on hold", "payouts on hold"] });
  await releasePayouts(operator, clientId);
  assert.deepEqual(await payOut(clientId), { paid: [900n], waits: [] });
});

test("a hold stays after a suspension ends, and a suspension after a hold ends", async () => {
  const clientId = await fixture.openMerchant();
  await sellAndClose(clientId, 700n, "2026-10-09");
  await holdPayouts(operator, clientId);
  await changeMerchant(operator, clientId, { status: "SUSPENDED" });
  await changeMerchant(operator, clientId, { status: "ACTIVE" });
  assert.deepEqual(await payOut(clientId), { paid: [], waits: ["payouts on hold"] });
  await changeMerchant(operator, clientId, { status: "SUSPENDED" });
  await releasePayouts(operator, clientId);
  assert.deepEqual(await payOut(clientId), { paid: [], waits: ["merchant suspended"] });
});

test("a hold needs a reason and an existing merchant, and hold and release each leave an audit row", async () => {
  const clientId = await fixture.openMerchant();
  await assert.rejects(holdPayouts(fixture.operator, clientId), /--reason/);
  await assert.rejects(holdPayouts(operator, "NO_SUCH_MERCHANT"), /no merchant NO_SUCH_MERCHANT/);
  await holdPayouts(operator, clientId);
  await releasePayouts(operator, clientId);
  const audited = await findAudit(operator, { clientId }, 10);
  assert.partialDeepStrictEqual(
    audited.filter(({ act }) => act.startsWith("payout ") && !act.startsWith("payout account")).slice(0, 2),
    [
      { act: "payout release", subject: clientId, reason: "Suspected fraud" },
      { act: "payout hold", subject: clientId, reason: "Suspected fraud" },
    ],
  );
});

test("the database rejects changing or reopening a hold, and a second hold of one merchant", async () => {
  const clientId = await fixture.openMerchant();
  await holdPayouts(operator, clientId);
  const change = (set: string): Promise<unknown> =>
    fixture.rows(`update payout_holds set ${set} where client_id = $1`, clientId);
  await assert.rejects(change("reason = 'another'"), { code: "23001" });
  await assert.rejects(
    fixture.rows(
      `insert into payout_holds (bucket, client_id, held_at, held_by, held_login, reason)
       select bucket, client_id, now(), 'x', 'x', 'x' from payout_holds where client_id = $1`,
      clientId,
    ),
    { constraint: "payout_holds_one_open" },
  );
  await releasePayouts(operator, clientId);
  await assert.rejects(change("released_at = null, released_by = null, released_login = null"), {
    code: "23001",
  });
});

test("in live one finance login holds payouts, and another approves the release", async () => {
  const liveGateway = await prepareTestGateway("live");
  const { urlOf } = await createStaffLogins(liveGateway.database, {
    ada: "finance",
    grace: "finance",
    sam: "support",
  });
  const operatorAs = (name: "ada" | "grace" | "sam"): Operator => ({
    url: urlOf(name),
    environment: "live",
    by: { name, reason: "Suspected fraud" },
  });
  const { clientId } = await newMerchant(liveGateway.database);
  await assert.rejects(holdPayouts(operatorAs("sam"), clientId), { code: "42501" });
  await holdPayouts(operatorAs("ada"), clientId);
  assert.partialDeepStrictEqual(await findPayoutHolds(operatorAs("sam")), [{ clientId, heldBy: "ada" }]);
  // Row-level security hides the rows, because the connection has no merchant's scope. The database function reads them
  // and restores the setting.
  const [row] = await asSuperuser<{ held: boolean; count: number }>(
    `select payouts_are_held(${bucketOf(clientId)}::smallint, '${clientId}') as held,
       (select count(*)::int from payout_holds) as count`,
    [],
    urlOf("grace"),
  );
  assert.deepEqual(row, { held: true, count: 0 });

  await assert.rejects(releasePayouts(operatorAs("ada"), clientId), /needs an approval/);
  const [approvalRequest] = await findPendingApprovals(operatorAs("grace"));
  assert.doesNotMatch(
    JSON.stringify([approvalRequest?.before, approvalRequest?.after]),
    /fraud|ada/,
    "the merchant reads these",
  );
  await approveRequest(operatorAs("grace"), approvalRequest?.askedId ?? 0);
  await releasePayouts(operatorAs("ada"), clientId);
  assert.deepEqual(await findPayoutHolds(operatorAs("sam")), []);
});
