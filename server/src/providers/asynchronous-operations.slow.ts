import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import { findStuckRecords } from "../operators/payments/stuck-records.ts";
import {
  approvePayment,
  finalCode,
  postponePolls,
  sendRequest,
  rows,
  sendCallback,
  startAsynchronousProvider,
  startTestTill,
  type ApprovedPayment,
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
  release,
  waitForStatus,
  type Begun,
} from "../../test/start/asynchronous-operation.ts";
import { newMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";

/**
 * These tests run captures, refunds and cancels that the provider accepts and ends later. Their results arrive by
 * callback or by poll, in any order, and with processes that crash in between.
 */
const till = await startTestTill();
const { stack, provider } = till;
const onceProvider = await startAsynchronousProvider("not-idempotent");
const terms = { idempotentByReference: false, quietSeconds: 2 };
await stack.connect(onceProvider, { methods: ["MAYA"], terms });

describe("results of captures, refunds and cancels", () => {
  for (const operation of [capture, refund, cancel]) {
    const { verb, kind } = operation;

    test(`a ${verb} that is accepted and then done is recorded by its callback, and was requested once`, async () => {
      const begun = await begin(till, operation);
      await postponePolls(till, begun.record.id);
      provider.endMoney(begun.record.reference, "DONE");
      assert.equal(
        await sendCallback(till, begun.payment, moneyContent(operation, begun, "DONE")),
        "SUCCESS",
      );
      await waitForStatus(till, operation, begun.payment.paymentId, "SUCCESS");
      assert.equal(countRequests(provider, kind, begun.record.reference), 1);
      assert.equal(await countEffects(till, begun), 1);

      const inquiries = countRequests(provider, `inquire-${kind}`, begun.record.reference);
      for (const state of ["DONE", "PROCESSING", "DONE"])
        assert.equal(
          await sendCallback(till, begun.payment, moneyContent(operation, begun, state)),
          "SUCCESS",
        );
      await wait(1_500);
      assert.equal(countRequests(provider, `inquire-${kind}`, begun.record.reference), inquiries);
      assert.equal(await countEffects(till, begun), 1);
      assert.deepEqual(till.alertsFor(begun.payment.paymentId), []);
    });

    test(`a ${verb} that was accepted two days ago is listed with this time, and is then recorded by a poll`, async () => {
      const begun = await begin(till, operation);
      const { id } = begun.record;
      const backdate = `update ${operation.table} set accepted_at = now() - interval '2 days' where ${operation.idColumn} = $1`;
      await rows(till, backdate, id);
      const { table, records } = await findStuckRecords(stack.database.ownerUrl, "sandbox");
      assert.match(table, new RegExp(`${id} .* accepted 2d `));
      assert.deepEqual(
        records.filter((each) => each.id === id).map(({ isStuck }) => isStuck),
        [false],
      );
      provider.endMoney(begun.record.reference, "DONE");
      await waitForStatus(till, operation, begun.payment.paymentId, "SUCCESS");
      assert.equal(countRequests(provider, kind, begun.record.reference), 1);
    });

    test(`a ${verb} that is accepted and then fails moves no money, and another one can follow`, async () => {
      const begun = await begin(till, operation);
      const { payment, record } = begun;
      await postponePolls(till, record.id);
      provider.endMoney(record.reference, "FAILED", "USER_STATUS_ABNORMAL");
      assert.equal(await sendCallback(till, payment, moneyContent(operation, begun, "FAILED")), "SUCCESS");
      await waitForStatus(till, operation, payment.paymentId, "FAIL");
      const code = await finalCode(till, verb, operation.body(payment.paymentId, 1));
      assert.equal(code, "USER_STATUS_ABNORMAL");
      assert.equal(await countEffects(till, begun), 0);
      const next = operation === cancel ? refund : operation;
      provider.endMoney((await beginAgain(till, next, payment, 2)).reference, "DONE");
      assert.equal(await finalCode(till, next.verb, next.body(payment.paymentId, 2)), "SUCCESS");
    });

    test(`a callback that arrives during a poll of a ${verb} is not lost, although the poll returns PROCESSING`, async () => {
      const begun = await begin(till, operation);
      const { payment, record } = begun;
      await postponePolls(till, record.id);
      let isPolled = false;
      provider.interceptors.set(record.reference, async (_request, respond) => {
        if (isPolled) return respond();
        isPolled = true;
        const outdated = respond();
        provider.endMoney(record.reference, "DONE");
        const code = await sendCallback(till, payment, moneyContent(operation, begun, "DONE"));
        return code === "SUCCESS" ? outdated : "reset";
      });
      await rows(till, "update jobs set due_at = now() where subject_id = $1", record.id);
      await waitForStatus(till, operation, payment.paymentId, "SUCCESS");
    });

    test(`a callback may arrive before the response to the request for the ${verb}`, async () => {
      const payment = await approvePayment(till, `early-${verb}`, operation.captureMode);
      provider.interceptors.set(payment.reference, async ({ verb: received, fields }, respond) => {
        const outdated = respond();
        if (received !== kind) return outdated;
        const reference = fields[`${kind}Reference`];
        provider.endMoney(reference, "DONE");
        const content = {
          [kind]: { reference: payment.reference, [`${kind}Reference`]: reference, state: "DONE" },
        };
        assert.equal(await sendCallback(till, payment, content), "SUCCESS");
        return outdated;
      });
      await sendRequest(till, verb, operation.body(payment.paymentId, 1));
      await waitForStatus(till, operation, payment.paymentId, "SUCCESS");
    });
  }

  test("a callback decides nothing that the provider's inquiry does not confirm, and forged ones change nothing", async () => {
    const begun = await begin(till, capture);
    const other = await begin(till, capture);
    const { payment, record } = begun;
    const { paymentId } = payment;
    const done = moneyContent(capture, begun, "DONE");
    const otherOrder = { paymentId, reference: other.payment.reference };
    const otherPayment = { ...payment, paymentId: other.payment.paymentId };
    const forged: readonly (readonly [string, ApprovedPayment, object, string])[] = [
      ["done, although it is not", payment, done, "SUCCESS"],
      ["failed, although it is not", payment, moneyContent(capture, begun, "FAILED"), "SUCCESS"],
      ["another order", otherOrder, moneyContent(capture, other, "DONE"), "PARAM_ILLEGAL"],
      ["another payment", otherPayment, done, "PARAM_ILLEGAL"],
      [
        "another payment's capture",
        payment,
        moneyContent(capture, { payment, record: other.record }, "DONE"),
        "ORDER_NOT_EXIST",
      ],
      [
        "an unknown capture",
        payment,
        moneyContent(capture, begun, "DONE", { captureReference: "x" }),
        "ORDER_NOT_EXIST",
      ],
      [
        "a refund with the capture's reference",
        payment,
        moneyContent({ ...refund }, begun, "DONE"),
        "ORDER_NOT_EXIST",
      ],
      ["an unknown state", payment, moneyContent(capture, begun, "PERHAPS"), "PARAM_ILLEGAL"],
      ["no order", payment, moneyContent(capture, begun, "DONE", { reference: undefined }), "PARAM_ILLEGAL"],
      ["no capture", payment, { capture: null }, "PARAM_ILLEGAL"],
    ];
    for (const [name, about, content, code] of forged)
      assert.equal(await sendCallback(till, about, content), code, name);
    assert.equal(await sendCallback(till, payment, done, onceProvider), "ORDER_NOT_EXIST");
    await eventually(
      15_000,
      async () => countRequests(provider, "inquire-capture", record.reference),
      (count) => count > 0,
    );
    for (const each of [begun, other]) {
      assert.equal((await findRecord(till, capture, each.payment.paymentId))?.status, "PROCESSING");
      assert.equal(await countEffects(till, each), 0);
    }
  });

  test("a callback about a closed test merchant is acknowledged, so that the provider does not repeat it", async () => {
    const payment = await approvePayment(till, "of-a-closed-merchant", "AUTOMATIC");
    const closed = { ...stack.merchant, clientId: "SANDBOX_UCLOSED" };
    const at: TestTill = { ...till, stack: { ...stack, merchant: closed } };
    const content = moneyContent(
      refund,
      { payment, record: { ...payment, id: "", status: "", isAccepted: false } },
      "DONE",
    );
    assert.equal(await sendCallback(at, payment, content), "SUCCESS");
  });

  test("a callback about a merchant that has moved to another cell is answered with U, and recorded at its home", async () => {
    const moved = await newMerchant(stack.database);
    const at: TestTill = { ...till, stack: { ...stack, merchant: moved } };
    const begun = await begin(at, refund);
    const move =
      "insert into client_homes (bucket, client, state, epoch, cell) values ($1, $2, 'gone', 1, 'b')";
    await rows(till, move, bucketOf(moved.clientId), moved.clientId);
    const done = moneyContent(refund, begun, "DONE");
    assert.equal(await sendCallback(at, begun.payment, done), "UNKNOWN_EXCEPTION");
    await rows(till, "delete from client_homes where client = $1", moved.clientId);
    provider.endMoney(begun.record.reference, "DONE");
    assert.equal(await sendCallback(at, begun.payment, done), "SUCCESS");
    await waitForStatus(till, refund, begun.payment.paymentId, "SUCCESS");
  });
});

describe("crashes between the acceptance and the result", () => {
  for (const [name, at, method] of [
    ["an idempotent provider", till, "GCASH"],
    ["a provider that is not idempotent", { ...till, provider: onceProvider }, "MAYA"],
  ] as const)
    test(`both processes crash while operations are in progress at ${name}: each was requested once`, async () => {
      const operations = [capture, refund, cancel, release];
      const begun: Begun[] = [];
      for (const operation of operations)
        begun.push(await begin({ ...at, url: till.url }, operation, method));
      for (const [index, { record, payment }] of begun.entries())
        if (operations[index] === release) at.provider.changeOrder(payment.reference, { state: "CLOSED" });
        else at.provider.endMoney(record.reference, "DONE");
      await till.restart();
      for (const [index, { payment, record }] of begun.entries()) {
        const operation = operations[index] ?? assert.fail();
        await eventually(
          60_000,
          () => findRecord(till, operation, payment.paymentId),
          (found) => found?.status === "SUCCESS",
        );
        const reference = operation === release ? payment.reference : record.reference;
        assert.equal(
          countRequests(at.provider, operation === release ? "cancel" : operation.kind, reference),
          1,
        );
      }
    });
});
