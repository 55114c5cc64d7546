import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResultCode } from "../core/result.ts";
import { defaultTerms, type ConnectorTerms } from "../providers/connector.ts";
import type { MessageState } from "../providers/provider-message.ts";
import type { MoneyReport } from "../providers/provider.ts";
import { decideCapture } from "./decide-capture.ts";

const now = new Date("2026-11-15T10:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const once: ConnectorTerms = { ...defaultTerms, quietSeconds: 120 };
const twice: ConnectorTerms = { ...once, idempotentByReference: false };
const accepted = { acceptedAt: now };
const [sent, abandoned, refusedOnce] = [{ sentAt: now }, { abandonedAt: now }, { lastResult: "RISK_REJECT" }];

const doneReport: MoneyReport = { state: "DONE" };
const processing: MoneyReport = { state: "PROCESSING" };
const failedReport = (resultCode: ResultCode): MoneyReport => ({ state: "FAILED", resultCode });
const missing: MoneyReport = { state: "NOT_FOUND" };
const refusedReport = (
  resultCode: "RISK_REJECT" | "ORDER_NOT_EXIST" | "REPEAT_REQ_INCONSISTENT",
): MoneyReport => ({
  state: "REFUSED",
  resultCode,
});
const risky = refusedReport("RISK_REJECT");
const repeatConflict = refusedReport("REPEAT_REQ_INCONSISTENT");
const otherBefore = { lastResult: "REPEAT_REQ_INCONSISTENT" };

const captured = { kind: "ended", status: "SUCCESS", resultCode: "SUCCESS" };
const failed = (resultCode: string): object => ({ kind: "ended", status: "FAIL", resultCode });
const openUntil = { kind: "open", pollBy: later(120) };
const somethingElse = {
  kind: "contradiction",
  why: "The payment provider reports another action under this reference.",
  lastResult: "REPEAT_REQ_INCONSISTENT",
};

const refusedAfterAccepted = {
  kind: "contradiction",
  why: "The payment provider refuses a request that it had accepted.",
  lastResult: "RISK_REJECT",
};
const lostAfterAccepted = {
  kind: "contradiction",
  why: "The payment provider does not know a request that it had accepted.",
  lastResult: "NOT_FOUND",
};

const table: readonly (readonly [
  string,
  MoneyReport,
  Partial<MessageState>,
  ConnectorTerms,
  number,
  object,
])[] = [
  ["done", doneReport, {}, once, 0, captured],
  [
    "done, although an earlier attempt was refused",
    doneReport,
    { ...sent, ...refusedOnce },
    once,
    60,
    captured,
  ],
  ["accepted", processing, {}, once, 0, { kind: "accepted" }],
  ["still in progress", processing, { ...sent, ...accepted }, twice, 999, { kind: "open" }],
  ["done after it was accepted", doneReport, accepted, once, 999, captured],
  [
    "failed after it was accepted",
    failedReport("USER_BALANCE_NOT_ENOUGH"),
    accepted,
    once,
    999,
    failed("USER_BALANCE_NOT_ENOUGH"),
  ],
  [
    "failed with a code that is meaningless to a merchant",
    failedReport("ORDER_NOT_EXIST"),
    accepted,
    once,
    999,
    failed("PROCESS_FAIL"),
  ],
  ["refused after it was accepted", risky, { ...sent, ...accepted }, once, 999, refusedAfterAccepted],
  ["not found after it was accepted", missing, { ...sent, ...accepted }, twice, 999, lostAfterAccepted],
  ["refused, with no other message sent", risky, {}, once, 0, failed("RISK_REJECT")],
  [
    "refused with a code that is meaningless to a merchant",
    refusedReport("ORDER_NOT_EXIST"),
    {},
    once,
    0,
    failed("PROCESS_FAIL"),
  ],
  ["refused, with an earlier message in flight", risky, sent, once, 120, { ...openUntil, ...refusedOnce }],
  ["refused, after a process crash", risky, abandoned, once, 120, { ...openUntil, ...refusedOnce }],
  ["refused, after the quiet time", risky, sent, once, 121, failed("RISK_REJECT")],
  ["not found, within the quiet time", missing, sent, twice, 120, openUntil],
  ["not found, after the quiet time", missing, sent, twice, 121, failed("PROCESS_FAIL")],
  ["not found after a refusal", missing, { ...sent, ...refusedOnce }, once, 121, failed("RISK_REJECT")],
  ["not found, with a repeat allowed", missing, sent, once, 999, { kind: "open" }],
  ["known with different content", repeatConflict, {}, once, 0, somethingElse],
  ["done, and was known with different content", doneReport, otherBefore, once, 999, somethingElse],
  [
    "not found, and was known with different content",
    missing,
    { ...sent, ...otherBefore },
    twice,
    999,
    somethingElse,
  ],
];

for (const [name, report, memory, terms, after, expected] of table) {
  test(`a capture that is ${name}`, () =>
    assert.deepEqual(
      decideCapture(report, { acceptedAt: undefined, ...memory, calledAt: later(after) }, terms),
      expected,
    ));
}
