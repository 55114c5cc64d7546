import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/catalog/operations.ts";
import { requestValidationCodes, type ResultCode } from "../../src/core/result.ts";
import { authorizationResults, tokenPaymentResults } from "./authorization-results.ts";
import { disputeResults } from "./dispute-results.ts";
import { excuseFor, idleExcuses } from "./excused.ts";
import { openFrontDoor } from "./request-validation.ts";
import { listedResults, unknownPaths, type Listed } from "./listed.ts";
import {
  cancelResults,
  captureResults,
  inquiryResults,
  refundInquiryResults,
  refundResults,
} from "./money-results.ts";
import { ownResults } from "./own-results.ts";
import { payResults, type Produce, type Produced } from "./pay-results.ts";
import { registrationInquiryResults, registrationResults } from "./registration-results.ts";
import { consultResults, retrieveResults, sessionResults } from "./session-results.ts";
import { startResultWorld } from "./world.ts";

/**
 * Requests that produce each result code; codes of the common request checks are produced in one way for all
 * operations.
 */
const producedBy: Readonly<Record<string, Produced>> = {
  "payments/pay": { ...payResults, ...tokenPaymentResults },
  "payments/consult": consultResults,
  "payments/createPaymentSession": sessionResults,
  "payments/retrievePaymentSession": retrieveResults,
  "payments/inquiryPayment": inquiryResults,
  "payments/cancel": cancelResults,
  "payments/capture": captureResults,
  "payments/refund": refundResults,
  "payments/inquiryRefund": refundInquiryResults,
  "merchants/registration": registrationResults,
  ...registrationInquiryResults,
  ...authorizationResults,
  ...disputeResults,
  ...ownResults,
};

const world = await startResultWorld();
const door = await openFrontDoor(world);
const listed = listedResults();
const wanted = listed.filter(({ path, code }) => excuseFor(path, code) === undefined);
const isDoors = (code: ResultCode): boolean =>
  (requestValidationCodes as readonly ResultCode[]).includes(code);
const ownWay = ({ path, code }: Listed): Produce | undefined => producedBy[path]?.[code];

test("every operation of the table exists, and every excuse is used", () => {
  assert.deepEqual(unknownPaths(), []);
  assert.deepEqual(idleExcuses(listed), []);
  const excusedAndShown = listed.filter((each) => excuseFor(each.path, each.code) && ownWay(each));
  assert.deepEqual(excusedAndShown, []);
});

const toShow = wanted.filter((each) => !isDoors(each.code) || ownWay(each));
for (const path of new Set(toShow.map((each) => each.path))) {
  test(`${path} returns each of its own results`, async () => {
    const came = await Promise.all(
      toShow
        .filter((each) => each.path === path)
        .map(async (each) => {
          const produce = ownWay(each);
          if (!produce) return `${each.code}: nothing here gives it`;
          const code = await produce(world).catch((error: unknown) => `threw ${String(error)}`);
          return code === each.code ? undefined : `${each.code}: ${code} came`;
        }),
    );
    assert.deepEqual(came.filter(Boolean), []);
  });
}

for (const code of requestValidationCodes.filter((each) => each !== "UNKNOWN_EXCEPTION")) {
  test(`every operation returns ${code}`, async () => {
    const paths = wanted.filter((each) => each.code === code && !ownWay(each)).map(({ path }) => path);
    for (const operation of operations.filter(({ path }) => paths.includes(path)))
      assert.equal(await door.knock(operation, code), code, operation.path);
  });
}

test("while the database does not respond, every operation returns an unknown outcome", async () => {
  const paths = wanted.filter(({ code }) => code === "UNKNOWN_EXCEPTION").map(({ path }) => path);
  const startedAtMs = performance.now();
  const came = await door.callWithHangingDatabase();
  // The gateway's deadline for a response is nine seconds, also for clients that the process has not cached.
  assert.ok(performance.now() - startedAtMs < 20_000);
  for (const path of paths) assert.equal(came.get(path), "UNKNOWN_EXCEPTION", path);
});

test("the whole result table", (t) => {
  const excused = listed.length - wanted.length;
  t.diagnostic(
    `${operations.length} operations, ${listed.length} results: ${wanted.length} shown, ${excused} excused`,
  );
});
