import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/catalog/operations.ts";
import { requestValidationCodes, type ResultCode } from "../../src/core/result.ts";
import { authorizationResults, tokenPaymentResults } from "./authorization-results.ts";
import { disputeResults } from "./dispute-results.ts";
import { exclusionReason, unusedExclusions } from "./excluded-results.ts";
import { openRequestChecks } from "./common-request-checks.ts";
import { listedResults, unknownPaths, type ListedResult } from "./documented-results.ts";
import {
  cancelResults,
  captureResults,
  inquiryResults,
  refundInquiryResults,
  refundResults,
} from "./money-results.ts";
import { tollgateResults } from "./tollgate-results.ts";
import { payResults, type ResultProducer, type ResultProducers } from "./pay-results.ts";
import { registrationInquiryResults, registrationResults } from "./registration-results.ts";
import { consultResults, retrieveResults, sessionResults } from "./session-results.ts";
import { startResultEnvironment } from "./result-environment.ts";

/**
 * Requests that produce each result code; codes of the common request checks are produced in one way for all
 * operations.
 */
const producers: Readonly<Record<string, ResultProducers>> = {
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
  ...tollgateResults,
};

const environment = await startResultEnvironment();
const requestChecks = await openRequestChecks(environment);
const listed = listedResults();
const required = listed.filter(({ path, code }) => exclusionReason(path, code) === undefined);
const isCommonCheck = (code: ResultCode): boolean =>
  (requestValidationCodes as readonly ResultCode[]).includes(code);
const specificProducer = ({ path, code }: ListedResult): ResultProducer | undefined =>
  producers[path]?.[code];

test("every operation of the table exists, and every excuse is used", () => {
  assert.deepEqual(unknownPaths(), []);
  assert.deepEqual(unusedExclusions(listed), []);
  const excludedAndProduced = listed.filter(
    (each) => exclusionReason(each.path, each.code) && specificProducer(each),
  );
  assert.deepEqual(excludedAndProduced, []);
});

const toProduce = required.filter((each) => !isCommonCheck(each.code) || specificProducer(each));
for (const path of new Set(toProduce.map((each) => each.path))) {
  test(`${path} returns each of its own results`, async () => {
    const codeByPath = await Promise.all(
      toProduce
        .filter((each) => each.path === path)
        .map(async (each) => {
          const produce = specificProducer(each);
          if (!produce) return `${each.code}: nothing here gives it`;
          const code = await produce(environment).catch((error: unknown) => `threw ${String(error)}`);
          return code === each.code ? undefined : `${each.code}: ${code} came`;
        }),
    );
    assert.deepEqual(codeByPath.filter(Boolean), []);
  });
}

for (const code of requestValidationCodes.filter((each) => each !== "UNKNOWN_EXCEPTION")) {
  test(`every operation returns ${code}`, async () => {
    const paths = required
      .filter((each) => each.code === code && !specificProducer(each))
      .map(({ path }) => path);
    for (const operation of operations.filter(({ path }) => paths.includes(path)))
      assert.equal(await requestChecks.produceCode(operation, code), code, operation.path);
  });
}

test("while the database does not respond, every operation returns an unknown outcome", async () => {
  const paths = required.filter(({ code }) => code === "UNKNOWN_EXCEPTION").map(({ path }) => path);
  const startedAtMs = performance.now();
  const came = await requestChecks.callWithHangingDatabase();
  // The gateway's deadline for a response is nine seconds, also for clients that the process has not cached.
  assert.ok(performance.now() - startedAtMs < 20_000);
  for (const path of paths) assert.equal(came.get(path), "UNKNOWN_EXCEPTION", path);
});

test("the whole result table", (t) => {
  const excludedCount = listed.length - required.length;
  t.diagnostic(
    `${operations.length} operations, ${listed.length} results: ${required.length} shown, ${excludedCount} excused`,
  );
});
