import assert from "node:assert/strict";
import { test } from "node:test";
import { readDispute } from "./dispute-report.ts";

const lostDispute = {
  providerDisputeId: "d",
  reference: "r",
  disputeType: "CHARGEBACK",
  state: "JUDGED",
  sequence: 2,
  amount: { currency: "EUR", value: "1250" },
  createdTime: "2026-11-15T10:00:00+00:00",
  changedTime: "2026-11-16T10:00:00+00:00",
  dueTime: "2026-11-22T10:00:00+00:00",
  judgedResult: "ACCEPT_BY_MERCHANT",
  takenAmount: { currency: "EUR", value: "1250" },
};

test("a lost chargeback has the debited amount", () => {
  assert.deepEqual(readDispute(lostDispute)?.takenAmount, { currency: "EUR", minor: 1250n });
  assert.deepEqual(
    readDispute({ ...lostDispute, takenAmount: { currency: "EUR", value: "0" } })?.takenAmount,
    {
      currency: "EUR",
      minor: 0n,
    },
  );
  for (const takenAmount of [undefined, null])
    assert.equal(readDispute({ ...lostDispute, takenAmount })?.takenAmount, undefined);
});

test("wanted types of evidence are read in one order, without repeats and without unknown types", () => {
  const wanted = (wantedEvidence: unknown) => readDispute({ ...lostDispute, wantedEvidence })?.wantedEvidence;
  assert.deepEqual(wanted(["OTHER", "RECEIPT", "RECEIPT", "INVOICE", 7]), ["RECEIPT", "OTHER"]);
  for (const value of [undefined, null, "RECEIPT", {}]) assert.deepEqual(wanted(value), []);
});

test("a fraud warning needs no deadline, and is RESOLVED in its first report", () => {
  const { dueTime, judgedResult, takenAmount, ...warning } = { ...lostDispute, disputeType: "FRAUD_WARNING" };
  assert.equal(readDispute({ ...warning, state: "RESOLVED" })?.type, "FRAUD_WARNING");
  for (const state of ["OPEN", "JUDGED"])
    assert.equal(readDispute({ ...warning, state, dueTime, judgedResult, takenAmount }), undefined);
});

/**
 * Values with which an optional field of a dispute report is unreadable. Such a field may be absent, but not
 * unreadable.
 */
const unreadable = {
  takenAmount: [
    { currency: "EUR", value: 1250 },
    { currency: "EUR", value: "1250.00" },
    { currency: "eur", value: "1250" },
    { currency: "EUR", value: "-1250" },
    { currency: "EUR", value: 0 },
    { value: "1250" },
    "1250",
    1250,
  ],
  paymentId: ["", 7, {}],
  judgedResult: ["accept_by_merchant", 1],
  acceptReason: ["BECAUSE", {}],
  changedTime: ["yesterday", 1794735130],
  dueTime: ["2026-11-22", "2026-11-22T10:00:60+00:00"],
};
for (const [field, values] of Object.entries(unreadable))
  for (const value of values)
    test(`a dispute with ${field} ${JSON.stringify(value)} is malformed`, () => {
      assert.equal(readDispute({ ...lostDispute, [field]: value }), undefined);
    });
