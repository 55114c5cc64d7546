import assert from "node:assert/strict";
import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser, expireLeases } from "../../test/start/test-database.ts";
import { startDisputeStack } from "../../test/shop/test-dispute.ts";
import { call, newKeyPair, pathOf, send } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { providerSignature } from "../../test/start/provider-signature.ts";

const otherKey = await newKeyPair("otherKey");
const disputes = await startDisputeStack(
  async ({ database: { ownerUrl }, provider: { url, publicKeyFile } }) => {
    const simulator = { partnerId: "tollgate", simulator: true } as const;
    await addConnector(ownerUrl, "sandbox", {
      ...simulator,
      name: "forgetful",
      url,
      publicKeyFile,
      paymentMethodTypes: ["FORGETFUL"],
      terms: { idempotentByReference: false, quietSeconds: 1 },
    });
    await addConnector(ownerUrl, "sandbox", {
      ...simulator,
      name: "other-provider",
      url: "http://127.0.0.1:9",
      publicKeyFile: otherKey.publicKeyFile,
      paymentMethodTypes: ["OTHER"],
    });
  },
);
const {
  request: ask,
  createPaidPayment: paid,
  open,
  waitForWebhook: told,
  webhookTypesOf: toldOf,
  ledgerBalances: books,
  decide,
  provider,
  advance,
  codeOf,
  refund,
  stack,
  merchant,
} = disputes;
const { database } = disputes;

const pdf = Buffer.from("%PDF-1.4 proof of delivery").toString("base64");
const frozenBalance = { receivable: 1250n, payable: 0n, frozen: -1250n };
const emptyBalance = { receivable: 0n, payable: 0n, frozen: 0n };

/** Requests about a payment's dispute, and its changes, from the provider's journal. */
function listEffects(paymentId: string, ...kinds: readonly string[]): readonly string[] {
  const lines = provider.effects();
  const ids = lines
    .filter(({ kind, paymentId: of }) => kind === "dispute-opened" && of === paymentId)
    .map(({ providerDisputeId }) => providerDisputeId);
  return lines
    .filter(({ kind, providerDisputeId }) => kinds.includes(String(kind)) && ids.includes(providerDisputeId))
    .map(({ kind, outcome, state }) => `${String(kind)} ${String(outcome ?? state)}`);
}

/** Makes the provider drop all later callbacks, so that only polling reports the dispute. */
function dropCallbacks(paymentId: string): Promise<void> {
  return provider.fault({ kind: "callback-drop", count: 1_000_000, match: { verb: "callback", paymentId } });
}

for (const [fault, acceptLines] of [
  [{ kind: "answer-lost" }, ["done", "repeated"]],
  // A repeated request waits for the request in flight.
  [{ kind: "late-answer", delayMs: 5_500 }, ["done"]],
  [{ kind: "error-500" }, ["not-acted", "done"]],
  [{ kind: "garbage" }, ["done", "repeated"]],
  [{ kind: "garbage", wrong: "signature" }, ["done", "repeated"]],
  [{ kind: "refuse-connection" }, ["not-acted", "done"]],
] as const) {
  test(`an acceptance under the fault ${JSON.stringify(fault)} is made once`, async () => {
    const paymentId = await paid();
    const { disputeId } = await open(paymentId);
    await dropCallbacks(paymentId);
    await provider.fault({ ...fault, match: { verb: "accept-dispute", paymentId } });
    const first = codeOf(await ask("acceptDispute", { disputeId }));
    assert.equal(first, "UNKNOWN_EXCEPTION");
    // Idempotency: a repeated request is the same acceptance, which may be completed by now.
    const next = codeOf(await ask("acceptDispute", { disputeId }));
    assert.ok(["SUCCESS", "UNKNOWN_EXCEPTION", "REPEAT_REQUEST"].includes(String(next)), next);
    await told(disputeId, "DISPUTE_ACCEPTED");
    assert.deepEqual(await books(paymentId), emptyBalance);
    assert.deepEqual(listEffects(paymentId, "dispute-changed"), ["dispute-changed ACCEPTED"]);
    const outcomes = listEffects(paymentId, "accept-dispute").map((line) => line.split(" ")[1]);
    assert.deepEqual([...new Set(outcomes)].slice(0, 2), acceptLines.slice(0, 2));
    assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "REPEAT_REQUEST");
  });
}

test("a defense whose response is lost is supplied once, and another document is refused in between", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  await dropCallbacks(paymentId);
  await provider.fault({ kind: "answer-lost", match: { verb: "defend-dispute", paymentId } });
  assert.equal(
    codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })),
    "UNKNOWN_EXCEPTION",
  );
  const other = Buffer.from("%PDF- another").toString("base64");
  assert.equal(
    codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: other })),
    "REPEAT_REQUEST",
  );
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "REPEAT_REQUEST");
  const repeated = codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf }));
  assert.ok(repeated === "SUCCESS" || repeated === "REPEAT_REQUEST", repeated);
  await told(disputeId, "DEFENSE_SUPPLIED");
  assert.deepEqual(listEffects(paymentId, "dispute-changed"), ["dispute-changed DEFENDED"]);
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DEFENSE_SUPPLIED"]);
});

test("a provider that loses a request does not accept twice", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  await dropCallbacks(paymentId);
  await provider.fault({ kind: "answer-lost", match: { verb: "accept-dispute", paymentId } });
  await provider.fault({ kind: "not-idempotent", match: { verb: "accept-dispute", paymentId } });
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "UNKNOWN_EXCEPTION");
  await told(disputeId, "DISPUTE_ACCEPTED");
  assert.deepEqual(listEffects(paymentId, "dispute-changed"), ["dispute-changed ACCEPTED"]);
  assert.deepEqual(await books(paymentId), emptyBalance);
});

test("a provider that is not idempotent gets a defense once; if it has none, the merchant sends it again", async () => {
  const paymentId = await paid({ paymentMethod: { paymentMethodType: "FORGETFUL" } });
  const { disputeId } = await open(paymentId, { disputeType: "COMPLIANCE_REQUEST" });
  await provider.fault({ kind: "error-500", match: { verb: "defend-dispute", paymentId } });
  const request = { disputeId, disputeEvidence: pdf };
  assert.equal(codeOf(await ask("supplyDefenseDocument", request)), "UNKNOWN_EXCEPTION");
  const outcomes = (): readonly string[] => listEffects(paymentId, "defend-dispute");
  await eventually(
    20_000,
    () => ask("supplyDefenseDocument", request),
    (answer) => codeOf(answer) === "SUCCESS",
  );
  assert.deepEqual(outcomes(), ["defend-dispute not-acted", "defend-dispute done"]);
});

test("a lost callback is found by polling", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  await dropCallbacks(paymentId);
  await decide(paymentId, "judge-won");
  await advance(3_600);
  await told(disputeId, "DISPUTE_JUDGED");
});

test("a callback that is dropped, duplicated or invalid at first opens one dispute", async () => {
  for (const kind of ["callback-drop", "callback-twice", "callback-amount"]) {
    const paymentId = await paid();
    await provider.fault({ kind, match: { verb: "callback", paymentId } });
    const { disputeId, body } = await open(paymentId);
    assert.deepEqual(body["disputeAmount"], { currency: "EUR", value: "1250" });
    assert.deepEqual(await books(paymentId), frozenBalance);
    assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED"]);
  }
});

const providerKey = createPrivateKey(readFileSync(join(provider.folder, "wallet-private.pem")));

interface InvalidSignature {
  readonly eventId: string;
  readonly dispute: object;
  readonly connector?: string;
  readonly key?: KeyObject;
}

/** Sends a callback of the provider, or a forged one. */
async function sendCallback(
  paymentId: string,
  { eventId, dispute, connector = "test-provider", key = providerKey }: InvalidSignature,
) {
  const [row] = await asSuperuser<{ provider_reference: string }>(
    "select provider_reference from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  const reference = row?.provider_reference ?? "";
  const path = `/providers/${connector}/callbacks/${merchant.clientId}/${paymentId}`;
  const time = new Date().toISOString();
  const body = JSON.stringify({ eventId, reference, dispute: { reference, paymentId, ...dispute } });
  const signature = providerSignature(key, { path, time, body });
  return codeOf(
    await send(disputes.url, {
      path,
      body,
      headers: { "client-id": "tollgate", "request-time": time, signature },
    }),
  );
}

test("forged, stale and repeated callbacks change nothing", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  const openedEffect = provider
    .effects()
    .find(({ kind, paymentId: of }) => kind === "dispute-opened" && of === paymentId);
  const { providerDisputeId } = openedEffect as { providerDisputeId: string };
  const dispute = {
    ...(openedEffect?.["dispute"] as object),
    createdTime: "2026-11-15T10:00:00+00:00",
    state: "JUDGED",
    judgedResult: "ACCEPT_BY_MERCHANT",
    takenAmount: { currency: "EUR", value: "1250" },
    sequence: 2,
  };
  const lostCallback = { eventId: `${providerDisputeId}-x`, dispute };
  assert.equal(
    await sendCallback(paymentId, { ...lostCallback, key: otherKey.privateKey }),
    "INVALID_SIGNATURE",
  );
  const fromOtherConnector = { ...lostCallback, connector: "other-provider", key: otherKey.privateKey };
  assert.equal(await sendCallback(paymentId, fromOtherConnector), "ORDER_NOT_EXIST");
  // Reports that contradict the payment: with another payment's id, with a higher amount than the payment, in another
  // currency, and empty.
  const otherPaymentId = await paid();
  assert.equal(await sendCallback(otherPaymentId, lostCallback), "UNKNOWN_EXCEPTION");
  assert.equal(
    await sendCallback(paymentId, { ...lostCallback, dispute: { ...dispute, paymentId: otherPaymentId } }),
    "UNKNOWN_EXCEPTION",
  );
  for (const takenAmount of [
    { currency: "EUR", value: "1251" },
    { currency: "USD", value: "1250" },
  ])
    assert.equal(
      await sendCallback(paymentId, { ...lostCallback, dispute: { ...dispute, takenAmount } }),
      "UNKNOWN_EXCEPTION",
    );
  assert.equal(await sendCallback(paymentId, { ...lostCallback, dispute: {} }), "PARAM_ILLEGAL");
  // The gateway acknowledges and ignores a stale report.
  assert.equal(
    await sendCallback(paymentId, { eventId: "stale", dispute: { ...dispute, sequence: 1 } }),
    "SUCCESS",
  );
  assert.deepEqual(await books(paymentId), frozenBalance);
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED"]);

  await decide(paymentId, "cancel");
  await told(disputeId, "DISPUTE_CANCELLED");
  assert.equal(
    await sendCallback(paymentId, { ...lostCallback, eventId: "late", dispute: { ...dispute, sequence: 9 } }),
    "SUCCESS",
  );
  assert.deepEqual(await books(paymentId), { receivable: 1250n, payable: -1250n, frozen: 0n });
});

test("if the first callback is lost, both webhooks are sent when the dispute ends", async () => {
  const paymentId = await paid();
  await provider.fault({ kind: "callback-drop", count: 3, match: { verb: "callback", paymentId } });
  assert.equal((await provider.control(paymentId, "dispute")).status, 200);
  await decide(paymentId, "cancel");
  const firstWebhooks = await eventually(
    15_000,
    async () => disputes.shop.disputeWebhooks().filter(({ json }) => json["paymentId"] === paymentId),
    (webhooks) => webhooks.length >= 2,
  );
  const types = firstWebhooks.map(
    ({ json }) => `${String(json["sequence"])} ${String(json["disputeNotificationType"])}`,
  );
  assert.deepEqual(types.sort(), ["1 DISPUTE_CREATED", "2 DISPUTE_CANCELLED"]);
  assert.deepEqual(await books(paymentId), { receivable: 1250n, payable: -1250n, frozen: 0n });
});

test("concurrent acceptance and defense: one of them is made, and the provider gets one", async () => {
  for (let round = 0; round < 5; round += 1) {
    const paymentId = await paid();
    const { disputeId } = await open(paymentId);
    const codes = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const operation = index % 2 === 0 ? "acceptDispute" : "supplyDefenseDocument";
        return `${operation} ${codeOf(await ask(operation, { disputeId, disputeEvidence: pdf }))}`;
      }),
    );
    const done = new Set(codes.filter((code) => code.endsWith(" SUCCESS")).map((code) => code.split(" ")[0]));
    assert.equal(done.size, 1, codes.join(", "));
    assert.equal(listEffects(paymentId, "dispute-changed").length, 1);
    const [operation] = done;
    const expected = operation === "acceptDispute" ? emptyBalance : frozenBalance;
    assert.deepEqual(await books(paymentId), expected);
  }
});

test("concurrent refunds and disputes never return more than the paid amount", async () => {
  const rounds = Array.from({ length: 8 }, async () => {
    const paymentId = await paid();
    const requests = Promise.all([refund(paymentId, "900"), refund(paymentId, "700")]);
    assert.equal((await provider.control(paymentId, "dispute")).status, 200);
    await requests;
    await disputes.waitForDispute(paymentId);
    await eventually(
      15_000,
      () =>
        asSuperuser(
          "select from refunds where payment_id = $1 and status = 'PROCESSING'",
          [paymentId],
          database.superuserUrl,
        ),
      (under) => under.length === 0,
    );
    await decide(paymentId, "judge-lost");
    await eventually(
      15_000,
      () => books(paymentId),
      ({ frozen, receivable }) => frozen === 0n && receivable === 0n,
    );
    assert.deepEqual(await books(paymentId), emptyBalance);
    const returnedMinor = provider
      .effects()
      .filter(({ paymentId: of }) => of === paymentId)
      .map(({ kind, amount, takenAmount }) => {
        const returnedAmount = kind === "refunded" ? amount : takenAmount;
        return returnedAmount ? BigInt((returnedAmount as { value: string }).value) : 0n;
      });
    assert.equal(
      returnedMinor.reduce((sum, minor) => sum + minor, 0n),
      1250n,
    );
  });
  await Promise.all(rounds);
});

test("a refund in progress that fails because of the dispute is no auto-defense", async () => {
  const paymentId = await paid();
  await provider.fault({ kind: "callback-drop", match: { verb: "callback", paymentId } });
  await provider.fault({ kind: "error-500", count: 2, match: { verb: "refund", paymentId } });
  assert.equal((await provider.control(paymentId, "dispute")).status, 200);
  assert.equal(codeOf(await refund(paymentId, "1250")), "REFUND_IN_PROCESS");
  await disputes.waitForDispute(paymentId);
  const { disputeId, autoDefendReason, defendable } = await disputes.firstWebhookOf(paymentId);
  assert.deepEqual([autoDefendReason, defendable], [undefined, true]);
  // A refusal is final after the provider's quiet time, which is two seconds in this test instead of two minutes.
  await asSuperuser("update connectors set quiet_seconds = 2", [], database.superuserUrl);
  await eventually(
    40_000,
    () => ask("inquiryPayment", { paymentId }),
    ({ text }) => text.includes("REFUND_AMOUNT_EXCEED"),
  );
  await decide(paymentId, "judge-lost");
  await told(String(disputeId), "DISPUTE_JUDGED");
  assert.deepEqual(await books(paymentId), emptyBalance);
});

test("after a crash at any point, the dispute is accepted once, and its merchant gets one webhook", async () => {
  const points = ["after-claim-commit", "after-provider-call", "before-outcome-commit"] as const;
  const crashes = points.map(async (crashAt) => {
    const paymentId = await paid();
    const { disputeId } = await open(paymentId);
    await dropCallbacks(paymentId);
    const victim = await stack.serve({ crashAt });
    const request = {
      path: pathOf("sandbox", "payments/acceptDispute"),
      body: JSON.stringify({ disputeId }),
    };
    await eventually(
      10_000,
      async () => {
        await call(victim.url, merchant, request).catch(() => undefined);
        return victim.process.child.signalCode;
      },
      (signal) => signal === "SIGKILL",
    );
    return { paymentId, disputeId };
  });
  const crashed = await Promise.all(crashes);
  await expireLeases(database);
  for (const { paymentId, disputeId } of crashed) {
    await disputes.waitForStatus(disputeId, "ACCEPTED", 40_000);
    await told(disputeId, "DISPUTE_ACCEPTED");
    assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED", "DISPUTE_ACCEPTED"]);
    assert.deepEqual(listEffects(paymentId, "dispute-changed"), ["dispute-changed ACCEPTED"]);
    assert.deepEqual(await books(paymentId), emptyBalance);
  }
});

test("the ledger sums to zero, and the frozen amount equals the open disputes", async () => {
  const [row] = await asSuperuser<{ sum: string; frozen: string; held: string }>(
    `select (select coalesce(sum(amount_minor), 0) from (
         select amount_minor from balances union all
         select 0) b)::text as sum,
       (select coalesce(sum(case when credit_account like 'merchant frozen%' then amount_minor else 0 end)
         - sum(case when debit_account like 'merchant frozen%' then amount_minor else 0 end), 0)
        from ledger_transfers)::text as frozen,
       (select coalesce(sum(frozen_minor), 0) from disputes)::text as held`,
    [],
    database.superuserUrl,
  );
  assert.equal(row?.frozen, row?.held);
  assert.equal(row?.sum, "0");
});
