import assert from "node:assert/strict";
import { test } from "node:test";
import { bankReport, statusReport } from "../../../test/examples/settlement-fixture.ts";
import { readBankReport, type StatusReport } from "./bank-report.ts";
import { canTransition, statesOf } from "../../core/lifecycle.ts";
import { payoutLifecycle, statesAfter, waitReasonOf, type PayoutStatus } from "./payout.ts";

function statusesOf(text: string): StatusReport {
  const report = readBankReport(text);
  assert.ok(report.kind === "pain.002");
  return report;
}

test("pain.002: executed and rejected are final for a payout, accepted is not", () => {
  const text = statusReport("F", [
    { endToEndId: "a", status: "ACSC" },
    { endToEndId: "b", status: "RJCT", reason: "AC01" },
    { endToEndId: "c", status: "ACSP" },
  ]);
  const { payoutStatuses, fileStatuses, messageId } = statusesOf(text);
  assert.deepEqual(
    payoutStatuses.map(({ endToEndId, bankStatus, reasonCode }) => [endToEndId, bankStatus, reasonCode]),
    [
      ["a", "paid", undefined],
      ["b", "failed", "AC01"],
      ["c", "noted", undefined],
    ],
  );
  assert.deepEqual([messageId, fileStatuses], ["F", []]);
});

test("pain.002: a rejected file, and a file that is rejected as a duplicate", () => {
  assert.deepEqual(statusesOf(statusReport("F", [], "RJCT", "FF01")).fileStatuses, [
    { bankStatus: "failed", isDuplicate: false, reasonCode: "FF01" },
  ]);
  assert.deepEqual(statusesOf(statusReport("F", [], "RJCT", "DU01")).fileStatuses, [
    { bankStatus: "failed", isDuplicate: true, reasonCode: "DU01" },
  ]);
  const both = statusReport("F", [], "RJCT", "NARR").replace(
    "</StsRsnInf>",
    "</StsRsnInf><StsRsnInf><Rsn><Cd>DU02</Cd></Rsn></StsRsnInf>",
  );
  assert.equal(statusesOf(both).fileStatuses[0]?.isDuplicate, true, "one of several reasons");
  assert.throws(() => readBankReport(statusReport("", [], "RJCT")), /does not name the original file/);
  for (const status of ["XXXX", "constructor"])
    assert.throws(
      () => readBankReport(statusReport("F", [], status)),
      new RegExp(`GrpSts has an unknown code: "${status}"`),
    );
});

test("camt: equal entries of one statement have different keys, and the same statement again has the same keys", () => {
  const entry = { endToEndId: "a", amount: "1.00", isCredit: false, reference: "R" };
  const keysOf = (text: string): readonly string[] => {
    const report = readBankReport(text);
    assert.ok(report.kind !== "pain.002");
    return report.entries.map(({ entryKey }) => Buffer.from(entryKey).toString("hex"));
  };
  const keys = keysOf(bankReport([entry, entry]));
  assert.equal(new Set(keys).size, 2);
  assert.deepEqual(keysOf(bankReport([entry, entry])), keys);
  const corrected = keysOf(bankReport([{ ...entry, endToEndId: "b" }, entry, entry]));
  assert.deepEqual(corrected.slice(1), keys, "an entry that was inserted before them changes no key");
  assert.ok(keysOf(bankReport([entry], { id: "N-2" })).every((key) => !keys.includes(key)));
});

test("each bank status moves a payout along its lifecycle; executed after failed, and failed after executed, are contradictions", () => {
  const contradictions: string[] = [];
  for (const status of statesOf(payoutLifecycle)) {
    for (const bankStatus of ["paid", "failed", "returned"] as const) {
      const states = statesAfter(status, bankStatus);
      if (!states) {
        contradictions.push(`${status} ${bankStatus}`);
        continue;
      }
      let at: PayoutStatus = status;
      for (const next of states) {
        assert.ok(canTransition(payoutLifecycle, at, next), `${status} ${bankStatus}: ${at} to ${next}`);
        at = next;
      }
      const repeatedStates = statesAfter(at, bankStatus);
      assert.deepEqual(repeatedStates, [], `${status} ${bankStatus}: the same word again changes nothing`);
    }
  }
  assert.deepEqual(contradictions, ["PAID failed", "FAILED paid"]);
});

test("the first reason to wait is reported", () => {
  const now = new Date("2026-11-17T00:00:00Z");
  const fine = { hold: undefined, hasBank: true, usableFrom: now, freeMinor: 10n, netMinor: 10n, now };
  assert.equal(waitReasonOf(fine), undefined);
  assert.equal(waitReasonOf({ ...fine, freeMinor: 9n }), "not covered");
  assert.equal(
    waitReasonOf({ ...fine, freeMinor: 9n, usableFrom: new Date(now.getTime() + 1) }),
    "cooling-off",
  );
  assert.equal(waitReasonOf({ ...fine, usableFrom: undefined }), "no bank account");
  assert.equal(waitReasonOf({ ...fine, hasBank: false, usableFrom: undefined }), "no bank of ours");
  assert.equal(waitReasonOf({ ...fine, hold: "payouts on hold", hasBank: false }), "payouts on hold");
});
