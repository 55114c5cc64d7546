import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTerms, type ConnectorTerms } from "../providers/connector.ts";
import type { Sent } from "../providers/message.ts";
import type { CaptureReport } from "../providers/provider.ts";
import { decideCapture } from "./decide-capture.ts";

const now = new Date("2026-11-15T10:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const once: ConnectorTerms = { ...defaultTerms, quietSeconds: 120 };
const twice: ConnectorTerms = { ...once, idempotentByReference: false };
const [sent, abandoned, refusedOnce] = [{ sentAt: now }, { abandonedAt: now }, { lastWord: "RISK_REJECT" }];

const done: CaptureReport = { state: "DONE" };
const missing: CaptureReport = { state: "NOT_FOUND" };
const refused = (
  resultCode: "RISK_REJECT" | "ORDER_NOT_EXIST" | "REPEAT_REQ_INCONSISTENT",
): CaptureReport => ({
  state: "REFUSED",
  resultCode,
});
const risky = refused("RISK_REJECT");
const other = refused("REPEAT_REQ_INCONSISTENT");
const otherBefore = { lastWord: "REPEAT_REQ_INCONSISTENT" };

const made = { kind: "ended", status: "SUCCESS", resultCode: "SUCCESS" };
const failed = (resultCode: string): object => ({ kind: "ended", status: "FAIL", resultCode });
const openUntil = { kind: "open", lookBy: later(120) };
const somethingElse = {
  kind: "contradiction",
  why: "The payment provider reports another action under this reference.",
  lastWord: "REPEAT_REQ_INCONSISTENT",
};

const table: readonly (readonly [string, CaptureReport, Sent, ConnectorTerms, number, object])[] = [
  ["done", done, {}, once, 0, made],
  ["done, although an earlier attempt was refused", done, { ...sent, ...refusedOnce }, once, 60, made],
  ["refused, with no other message sent", risky, {}, once, 0, failed("RISK_REJECT")],
  [
    "refused with a code that is meaningless to a merchant",
    refused("ORDER_NOT_EXIST"),
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
  ["known with different content", other, {}, once, 0, somethingElse],
  ["done, and was known with different content", done, otherBefore, once, 999, somethingElse],
  [
    "not found, and was known with different content",
    missing,
    { ...sent, ...otherBefore },
    twice,
    999,
    somethingElse,
  ],
];

for (const [what, report, memory, terms, after, expected] of table) {
  test(`a capture that is ${what}`, () =>
    assert.deepEqual(decideCapture(report, { ...memory, askedAt: later(after) }, terms), expected));
}
