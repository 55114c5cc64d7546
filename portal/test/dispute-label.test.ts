import assert from "node:assert/strict";
import { test } from "node:test";
import { disputeLabel, isAnswerable } from "../src/disputes/dispute-label.ts";

test("a dispute that expired without an answer is shown as lost, not as accepted", () => {
  const lapsed = { disputeStatus: "ACCEPTED", acceptReason: "TIMEOUT" } as const;
  assert.deepEqual(disputeLabel(lapsed), { key: "disputes.notAnswered", tone: "refused" });
  const accepted = { disputeStatus: "ACCEPTED", acceptReason: "MERCHANT_ACCEPTED" } as const;
  assert.equal(disputeLabel(accepted).key, "disputes.status.ACCEPTED");
  const won = { disputeStatus: "JUDGED", judgedResult: "ACCEPT_BY_CUSTOMER" } as const;
  assert.deepEqual(disputeLabel(won), { key: "disputes.judgement.ACCEPT_BY_CUSTOMER", tone: "happened" });
  assert.equal(disputeLabel({ disputeStatus: "EXPIRED" }).key, "disputes.status.EXPIRED");
});

test("a fraud warning is shown as a warning, and not as lost", () => {
  const warning = { disputeType: "FRAUD_WARNING", disputeStatus: "RESOLVED" } as const;
  assert.deepEqual(disputeLabel(warning), { key: "disputes.warning", tone: "unknown" });
});

test("a dispute asks for an answer only until its deadline", () => {
  assert.equal(isAnswerable({ canAccept: false, canDefend: false }), false);
  assert.equal(isAnswerable({ canAccept: true, canDefend: false }), true);
});
