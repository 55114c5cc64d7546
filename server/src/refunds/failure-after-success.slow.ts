import assert from "node:assert/strict";
import { test } from "node:test";
import { formatWireTime } from "../core/request-time.ts";
import {
  amount,
  finalCode,
  postponePolls,
  sendRequest,
  rows,
  sendCallback,
  startTestTill,
  type TestTill,
} from "../../test/start/asynchronous-provider.ts";
import {
  begin,
  beginAgain,
  cancel,
  capture,
  countEffects,
  countRequests,
  findRecord,
  moneyContent,
  refund,
  waitForStatus,
  type Begun,
  type Operation,
} from "../../test/start/asynchronous-operation.ts";
import { eventually } from "../../test/start/test-process.ts";

/**
 * In these tests a provider reports another result than before: a refund that was done fails, because the buyer's bank
 * returned the money, or a final result is contradicted.
 */

/** Begins an operation, and ends it at the provider. The gateway learns the result by a poll. */
async function end(till: TestTill, operation: Operation, state: "DONE" | "FAILED"): Promise<Begun> {
  const begun = await begin(till, operation);
  till.provider.endMoney(begun.record.reference, state);
  await waitForStatus(till, operation, begun.payment.paymentId, state === "DONE" ? "SUCCESS" : "FAIL");
  return begun;
}

/** Reports the new state of an operation by a callback. */
async function report(
  till: TestTill,
  operation: Operation,
  begun: Begun,
  state: "DONE" | "FAILED",
): Promise<void> {
  const content = moneyContent(operation, begun, state);
  assert.equal(await sendCallback(till, begun.payment, content), "SUCCESS");
}

/** The ledger balance of each account over the effects of some records. */
async function balancesOf(till: TestTill, ...subjectIds: readonly string[]): Promise<object> {
  const found = await rows<{ account: string; minor: string }>(
    till,
    `select account, sum(minor)::text as minor from ledger_transfers
     cross join lateral (values (debit_account, -amount_minor), (credit_account, amount_minor)) as side (account, minor)
     where subject_id = any ($1) group by account having sum(minor) <> 0 order by account`,
    subjectIds,
  );
  return Object.fromEntries(
    found.map(({ account, minor }) => [account.split(" ").slice(0, 2).join(" "), minor]),
  );
}

/** The webhooks about a refund, oldest first: the status and the sequence. */
async function webhooksOf(
  till: TestTill,
  refundId: string,
): Promise<readonly (readonly [unknown, unknown])[]> {
  const found = await rows<{ body: Buffer }>(
    till,
    "select body from notifications where subject_id = $1 and kind = 'notifyRefund' order by notification_id",
    refundId,
  );
  return found.map(({ body }) => {
    const { refundStatus, sequence } = JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>;
    return [refundStatus, sequence];
  });
}

async function waitForNoJob(till: TestTill, subjectId: string): Promise<void> {
  await eventually(
    15_000,
    () => rows(till, "select from jobs where subject_id = $1", subjectId),
    ({ length }) => length === 0,
  );
}

/** Waits for the one alert about a payment. The test reads the log a moment after the process has written it. */
async function waitForAlert(till: TestTill, paymentId: string): Promise<void> {
  await eventually(
    15_000,
    async () => till.alertsFor(paymentId).length,
    (count) => count === 1,
  );
}

const tills = { sandbox: await startTestTill("sandbox"), live: await startTestTill("live") };

for (const [environment, till] of Object.entries(tills)) {
  const { provider } = till;

  test(`${environment}: a refund that fails after it succeeded is reversed once, although the inquiry lags`, async () => {
    const begun = await end(till, refund, "DONE");
    const { payment, record } = begun;
    await report(till, refund, begun, "FAILED");
    await eventually(
      15_000,
      async () => countRequests(provider, "inquire-refund", record.reference),
      (count) => count >= 3,
    );
    assert.equal((await findRecord(till, refund, payment.paymentId))?.status, "SUCCESS");
    provider.endMoney(record.reference, "FAILED", "USER_STATUS_ABNORMAL");
    await waitForStatus(till, refund, payment.paymentId, "FAIL");
    await report(till, refund, begun, "FAILED");
    await report(till, refund, begun, "DONE");
    await waitForNoJob(till, record.id);

    const refundRequest = refund.body(payment.paymentId, 1);
    assert.equal(await finalCode(till, "refund", refundRequest), "USER_STATUS_ABNORMAL");
    assert.equal(await countEffects(till, begun), 2);
    assert.deepEqual(await balancesOf(till, record.id), {});
    const [[firstStatus, firstSequence], [status, sequence], ...others] = [
      ...(await webhooksOf(till, record.id)),
      [],
      [],
    ];
    assert.deepEqual([firstStatus, status], ["SUCCESS", "FAIL"]);
    assert.ok(Number(sequence) > Number(firstSequence));
    assert.deepEqual(others.flat(), []);
    assert.equal(countRequests(provider, "refund", record.reference), 1);

    provider.endMoney((await beginAgain(till, refund, payment, 2)).reference, "DONE");
    assert.equal(await finalCode(till, "refund", refund.body(payment.paymentId, 2)), "SUCCESS");
    const sums = await rows<object>(
      till,
      "select refunded_minor::int as refunded, (select sum(open_refunds_minor)::int from reserves) as open from payments where payment_id = $1",
      payment.paymentId,
    );
    assert.deepEqual(sums, [{ refunded: 1250, open: 0 }]);
  });

  test(`${environment}: money of a cancel that comes back is in suspense, with an alert, and the cancel stays`, async () => {
    const begun = await end(till, cancel, "DONE");
    const { payment, record } = begun;
    provider.endMoney(record.reference, "FAILED");
    await report(till, cancel, begun, "FAILED");
    await waitForStatus(till, cancel, payment.paymentId, "FAIL");
    await report(till, cancel, begun, "FAILED");
    await waitForNoJob(till, record.id);
    assert.deepEqual(await balancesOf(till, payment.paymentId, record.id), {
      "provider receivable": "-1250",
      suspense: "1250",
    });
    await waitForAlert(till, payment.paymentId);
    assert.equal(await finalCode(till, "cancel", { paymentId: payment.paymentId }), "SUCCESS");
    assert.equal(
      (await sendRequest(till, "inquiryPayment", { paymentId: payment.paymentId }))["paymentStatus"],
      "CANCELLED",
    );
  });
}

const till = tills.sandbox;
for (const [operation, before, after] of [
  [capture, "DONE", "FAILED"],
  [capture, "FAILED", "DONE"],
  [refund, "FAILED", "DONE"],
  [cancel, "FAILED", "DONE"],
] as const)
  test(`a ${operation.verb} that is ${before} and then reported as ${after} alerts once and changes nothing`, async () => {
    const begun = await end(till, operation, before);
    const { payment, record } = begun;
    const effects = await countEffects(till, begun);
    till.provider.endMoney(record.reference, after);
    await report(till, operation, begun, after);
    await waitForAlert(till, payment.paymentId);
    await waitForNoJob(till, record.id);
    assert.equal(
      (await findRecord(till, operation, payment.paymentId))?.status,
      before === "DONE" ? "SUCCESS" : "FAIL",
    );
    assert.equal(await countEffects(till, begun), effects);
  });

test("a callback that a refund failed, which no inquiry confirms, ends with an alert", async () => {
  const begun = await end(till, refund, "DONE");
  const { id } = begun.record;
  await report(till, refund, begun, "FAILED");
  await postponePolls(till, id);
  await rows(till, "update jobs set due_at = now() where subject_id = $1", id);
  await waitForNoJob(till, id);
  await waitForAlert(till, begun.payment.paymentId);
  assert.equal((await findRecord(till, refund, begun.payment.paymentId))?.status, "SUCCESS");
});

// Race: the callback about the success came while the poll with the same result was written.
test("a job that a callback about a success makes due again ends soon, without an alert", async () => {
  const begun = await end(till, refund, "DONE");
  const { id } = begun.record;
  await waitForNoJob(till, id);
  await rows(
    till,
    `insert into jobs (bucket, subject_id, job, client_id, due_at, follows_merchant_clock)
     select bucket, refund_id, 'send-refund', client_id, now(), true from refunds where refund_id = $1`,
    id,
  );
  await waitForNoJob(till, id);
  assert.deepEqual(till.alertsFor(begun.payment.paymentId), []);
});

test("a point of sale gets no webhook about a refund that fails after it succeeded", async () => {
  const begun = await begin(till, refund);
  const { payment, record } = begun;
  await rows(
    till,
    "update payments set product_code = 'IN_STORE_PAYMENT' where payment_id = $1",
    payment.paymentId,
  );
  till.provider.endMoney(record.reference, "DONE");
  await waitForStatus(till, refund, payment.paymentId, "SUCCESS");
  till.provider.endMoney(record.reference, "FAILED");
  await report(till, refund, begun, "FAILED");
  await waitForStatus(till, refund, payment.paymentId, "FAIL");
  assert.deepEqual(await webhooksOf(till, record.id), []);
});

test("a refund that fails makes its money disputable again, before and after the dispute is opened", async () => {
  const disputed = await Promise.all([end(till, refund, "DONE"), end(till, refund, "DONE")]);
  const openDispute = async ({ payment }: Begun, difference: object = {}): Promise<void> => {
    const dispute = {
      providerDisputeId: `d-${payment.reference}`,
      reference: payment.reference,
      disputeType: "CHARGEBACK",
      amount,
      createdTime: formatWireTime(Date.now()),
      dueTime: formatWireTime(Date.now() + 7 * 24 * 3600 * 1000),
      defendable: true,
      state: "OPEN",
      sequence: 1,
      ...difference,
    };
    assert.equal(await sendCallback(till, payment, { dispute }), "SUCCESS");
  };
  const findDispute = ({ payment: { paymentId } }: Begun): Promise<readonly object[]> =>
    rows(
      till,
      "select frozen_minor::int as frozen, debited_minor::int as debited, auto_defend_reason as reason from disputes where payment_id = $1",
      paymentId,
    );
  const [before, after] = disputed;
  await openDispute(before);
  assert.deepEqual(await findDispute(before), [{ frozen: 0, debited: 0, reason: "FULLY_REFUNDED" }]);
  for (const begun of disputed) {
    till.provider.endMoney(begun.record.reference, "FAILED");
    await report(till, refund, begun, "FAILED");
    await waitForStatus(till, refund, begun.payment.paymentId, "FAIL");
  }
  await openDispute(after);
  assert.deepEqual(await findDispute(after), [{ frozen: 1250, debited: 0, reason: null }]);
  const lost = { state: "JUDGED", judgedResult: "ACCEPT_BY_MERCHANT", takenAmount: amount, sequence: 2 };
  for (const begun of disputed) {
    await openDispute(begun, lost);
    assert.partialDeepStrictEqual(await findDispute(begun), [{ frozen: 0, debited: 1250 }]);
  }
});
