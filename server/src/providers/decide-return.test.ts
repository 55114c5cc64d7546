import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canTransition } from "../core/lifecycle.ts";
import { refundLifecycle, type RefundStatus } from "../refunds/refund.ts";
import { defaultTerms } from "./connector.ts";
import { decideReturn, type ReturnDecision } from "./decide-return.ts";
import type { MoneyReport } from "./provider.ts";

const calledAt = new Date("2026-11-15T10:00:00Z");
const done: MoneyReport = { state: "DONE" };
const processing: MoneyReport = { state: "PROCESSING" };
const failed: MoneyReport = { state: "FAILED", resultCode: "USER_STATUS_ABNORMAL" };
const refused: MoneyReport = { state: "REFUSED", resultCode: "RISK_REJECT" };
const missing: MoneyReport = { state: "NOT_FOUND" };
const differs: MoneyReport = { state: "MISMATCH", field: "amount" };
const reports = [done, processing, failed, refused, missing, differs];

function decide(
  status: RefundStatus,
  report: MoneyReport,
  job: Partial<Parameters<typeof decideReturn>[2]> = {},
): ReturnDecision {
  return decideReturn(
    { status, acceptedAt: undefined },
    report,
    { attempts: 0, calledAt, ...job },
    defaultTerms,
  );
}

/** Formats a decision as one line of the expected results. An alert is marked with an exclamation mark. */
function inShort(decision: ReturnDecision): string {
  const code = "resultCode" in decision ? ` ${decision.resultCode}` : "";
  return `${decision.kind}${code}${"why" in decision ? "!" : ""}`;
}

const table: readonly (readonly [RefundStatus, MoneyReport, attempts: number, string])[] = [
  ["PROCESSING", done, 0, "done"],
  ["PROCESSING", processing, 0, "accepted"],
  ["PROCESSING", failed, 0, "refused USER_STATUS_ABNORMAL"],
  ["PROCESSING", refused, 0, "refused RISK_REJECT"],
  ["PROCESSING", differs, 0, "contradiction!"],
  // After a callback about a failure, the inquiry may still return the time before it.
  ["SUCCESS", failed, 0, "reversed USER_STATUS_ABNORMAL"],
  ["SUCCESS", failed, 99, "reversed USER_STATUS_ABNORMAL"],
  ["SUCCESS", done, 0, "open"],
  ["SUCCESS", done, 6, "open"],
  ["SUCCESS", done, 7, "unchanged!"],
  ["SUCCESS", processing, 0, "contradiction!"],
  ["SUCCESS", refused, 0, "contradiction!"],
  ["SUCCESS", missing, 0, "contradiction!"],
  ["SUCCESS", differs, 0, "contradiction!"],
  ["SUCCESS", missing, 7, "unchanged!"],
  ["FAIL", failed, 0, "unchanged"],
  ["FAIL", refused, 0, "unchanged"],
  ["FAIL", missing, 0, "unchanged"],
  ["FAIL", done, 0, "unchanged!"],
  ["FAIL", processing, 0, "unchanged!"],
  ["FAIL", differs, 0, "unchanged!"],
];
for (const [status, report, attempts, expected] of table) {
  test(`a refund that is ${status} and reported as ${report.state}, after ${attempts} polls: ${expected}`, () =>
    assert.equal(
      inShort(decide(status, report, { attempts, ...(status === "SUCCESS" && { lastResult: "FAILED" }) })),
      expected,
    ));
}

for (const [attempts, expected] of [
  [0, "open"],
  [2, "open"],
  [3, "unchanged"],
] as const) {
  test(`a success that is reported again to a job that was due before it, after ${attempts} polls: ${expected}`, () =>
    assert.equal(inShort(decide("SUCCESS", done, { attempts })), expected));
}

const statusAfter: Readonly<Record<string, RefundStatus>> = {
  done: "SUCCESS",
  refused: "FAIL",
  reversed: "FAIL",
};

test("no order of reports moves a refund against its lifecycle, returns money twice or reverses it twice", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...reports)), (sequence) => {
      const kinds: string[] = [];
      let status: RefundStatus = "PROCESSING";
      for (const report of sequence) {
        const { kind } = decide(status, report);
        const next: RefundStatus = statusAfter[kind] ?? status;
        assert.ok(next === status || canTransition<RefundStatus>(refundLifecycle, status, next));
        if (next !== status) kinds.push(kind);
        status = next;
      }
      assert.ok(["", "done", "refused", "done reversed"].includes(kinds.join(" ")));
    }),
  );
});
