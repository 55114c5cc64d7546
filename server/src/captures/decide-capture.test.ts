import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTerms, type ConnectorTerms } from "../providers/connector.ts";
import type { SendState } from "../providers/provider-message.ts";
import type { CaptureReport } from "../providers/provider.ts";
import { decideCapture } from "./decide-capture.ts";

const now = new Date("2026-11-15T10:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const once: ConnectorTerms = { ...defaultTerms, quietSeconds: 120 };
const twice: ConnectorTerms = { ...once, idempotentByReference: false };
const [sent, abandoned, refusedOnce] = [{ sentAt: now }, { abandonedAt: now }, { lastResult: "RISK_REJECT" }];

const doneReport: CaptureReport = { state: "DONE" };
const missing: CaptureReport = { state: "NOT_FOUND" };
const refusedReport = (
  resultCode: "RISK_REJECT" | "ORDER_NOT_EXIST" | "REPEAT_REQ_INCONSISTENT",
): CaptureReport => ({
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

const table: readonly (readonly [string, CaptureReport, SendState, ConnectorTerms, number, object])[] = [
  ["done", doneReport, {}, once, 0, captured],
  [
    "done, although an earlier attempt was refused",
    doneReport,
    { ...sent, ...refusedOnce },
    once,
    60,
    captured,
  ],
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
    assert.deepEqual(decideCapture(report, { ...memory, calledAt: later(after) }, terms), expected));
}
