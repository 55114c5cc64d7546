import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defaultTerms, type ConnectorTerms } from "./connector.ts";
import {
  rescheduleJob,
  isNewContradiction,
  isQuietOver,
  evaluateReport,
  maySend,
  sendDeadline,
  inFlightSince,
  type MessageState,
  type SendState,
  type Verdict,
} from "./provider-message.ts";
import type { MoneyReport } from "./provider.ts";

const now = new Date("2026-11-15T10:00:00Z");
const seconds = (count: number): Date => new Date(now.getTime() + count * 1000);
const careful: ConnectorTerms = { ...defaultTerms, quietSeconds: 120 };
const twice: ConnectorTerms = { ...careful, idempotentByReference: false };
const forgetful: ConnectorTerms = { ...careful, idempotencyWindowSeconds: 300 };
const [sent, left, refusedOnce] = [{ sentAt: now }, { abandonedAt: now }, { lastResult: "RISK_REJECT" }];

const licences: readonly (readonly [string, SendState, boolean, boolean])[] = [
  ["nothing was sent", {}, true, true],
  ["a process leased the job and lost the lease", left, true, true],
  ["a message may be in flight", sent, true, false],
  [
    "the provider has refused, and the refusal is not confirmed yet",
    { ...sent, ...refusedOnce },
    false,
    false,
  ],
];
for (const [when, memory, mayRetry, maySendOnce] of licences) {
  test(`when ${when}: sent to an idempotent provider: ${mayRetry}; to a provider that is not idempotent: ${maySendOnce}`, () => {
    assert.equal(maySend(memory, careful, now), mayRetry);
    assert.equal(maySend(memory, twice, now), maySendOnce);
  });
}

const first = { firstSentAt: now, sentAt: now };
const repeats: readonly (readonly [string, SendState, number, boolean])[] = [
  ["nothing was sent, however late it is", {}, 9_999, true],
  ["the window has just begun", first, 0, true],
  ["the window is almost over", first, 298, true],
  ["a message that is sent now could arrive at its end", first, 299, false],
  ["the window is over", first, 300, false],
  ["a later repeat has no response", { firstSentAt: now, sentAt: seconds(250) }, 301, false],
  [
    "a process that lost its lease may have sent the first message",
    { firstSentAt: now, ...left },
    300,
    false,
  ],
  ["the provider has refused", { ...first, ...refusedOnce }, 1, false],
];
for (const [when, memory, after, isSent] of repeats) {
  test(`a provider forgets messages after 300 s: ${after} s after the first, when ${when}, sent: ${isSent}`, () =>
    assert.equal(maySend(memory, forgetful, seconds(after)), isSent));
}

test("each deadline of a message is before the time at which the provider may have forgotten the first message", () => {
  const deadline = (after: number, sentBefore: SendState, latest?: Date): Date =>
    sendDeadline({ now: seconds(after), aheadMs: 0 }, forgetful, sentBefore, latest);
  assert.deepEqual(deadline(0, {}), seconds(120));
  assert.deepEqual(deadline(100, first), seconds(220));
  assert.deepEqual(deadline(250, first), seconds(299));
  assert.deepEqual(deadline(0, {}, seconds(3600)), seconds(299));
  assert.deepEqual(sendDeadline({ now, aheadMs: 0 }, careful, first, seconds(3600)), seconds(3600));
});

test("a crashed process may have sent a message, unless the send was recorded before it", () => {
  assert.equal(inFlightSince(left, careful), now);
  assert.equal(inFlightSince(left, twice), undefined);
  assert.equal(
    inFlightSince({ sentAt: now, abandonedAt: seconds(5) }, careful)?.getTime(),
    seconds(5).getTime(),
  );
  assert.equal(
    inFlightSince({ sentAt: seconds(5), abandonedAt: now }, careful)?.getTime(),
    seconds(5).getTime(),
  );
});

const done: MoneyReport = { state: "DONE" };
const processing: MoneyReport = { state: "PROCESSING" };
const missing: MoneyReport = { state: "NOT_FOUND" };
const refused: MoneyReport = { state: "REFUSED", resultCode: "RISK_REJECT" };
const failed: MoneyReport = { state: "FAILED", resultCode: "USER_STATUS_ABNORMAL" };
const otherContent: MoneyReport = { state: "REFUSED", resultCode: "REPEAT_REQ_INCONSISTENT" };
const inconsistent = { lastResult: "REPEAT_REQ_INCONSISTENT" };
const unasked: MoneyReport = { state: "NO_QUERY" };
const differs: MoneyReport = { state: "MISMATCH", field: "amount" };
const differed = { lastResult: "MISMATCH" };
const accepted = { acceptedAt: now };

const verdicts: readonly (readonly [
  string,
  MoneyReport,
  Partial<MessageState>,
  ConnectorTerms,
  number,
  string,
])[] = [
  ["done", done, {}, careful, 0, "done"],
  ["done at last", done, { ...sent, ...accepted }, twice, 999, "done"],
  [
    "done after a refusal, because an earlier message arrived",
    done,
    { ...sent, ...refusedOnce },
    careful,
    60,
    "done",
  ],
  ["accepted", processing, {}, careful, 0, "accepted"],
  ["still in progress", processing, accepted, careful, 60, "open"],
  ["refused, with no other message sent", refused, {}, careful, 0, "refused RISK_REJECT"],
  ["refused by a provider that got it once", refused, left, twice, 0, "refused RISK_REJECT"],
  ["refused, with an earlier message in flight", refused, sent, careful, 120, "open RISK_REJECT"],
  ["refused, after a process lost its lease", refused, left, careful, 120, "open RISK_REJECT"],
  ["refused, with no earlier message in flight any more", refused, sent, careful, 121, "refused RISK_REJECT"],
  ["failed at once", failed, {}, careful, 0, "refused USER_STATUS_ABNORMAL"],
  [
    "failed after it was accepted",
    failed,
    { ...sent, ...accepted },
    twice,
    60,
    "refused USER_STATUS_ABNORMAL",
  ],
  [
    "failed, although an earlier attempt was refused",
    failed,
    { ...sent, ...refusedOnce },
    careful,
    60,
    "refused USER_STATUS_ABNORMAL",
  ],
  [
    "failed after a mismatch",
    failed,
    { ...accepted, ...differed },
    careful,
    60,
    "refused USER_STATUS_ABNORMAL",
  ],
  ["failed after different content was reported", failed, inconsistent, careful, 60, "contradiction"],
  ["accepted after a refusal", processing, { ...sent, ...refusedOnce }, careful, 60, "accepted"],
  ["refused after it was accepted", refused, accepted, careful, 0, "contradiction"],
  ["known with different content", otherContent, {}, careful, 0, "contradiction"],
  ["known with different content, early and late", otherContent, sent, twice, 999, "contradiction"],
  ["done after different content was reported", done, inconsistent, careful, 999, "contradiction"],
  [
    "not found after different content was reported",
    missing,
    { ...sent, ...inconsistent },
    twice,
    999,
    "contradiction",
  ],
  ["reported with another amount", differs, {}, careful, 0, "contradiction"],
  ["reported with another amount after it was accepted", differs, accepted, careful, 60, "contradiction"],
  ["reported with another amount after a refusal", differs, refusedOnce, careful, 60, "contradiction"],
  ["reported correctly after a mismatch", done, { ...sent, ...differed }, twice, 999, "done"],
  ["accepted after a mismatch", processing, differed, careful, 0, "accepted"],
  ["refused after a mismatch", refused, differed, careful, 0, "contradiction"],
  ["refused after a mismatch, late", refused, { ...sent, ...differed }, twice, 999, "contradiction"],
  ["not found after a mismatch", missing, { ...sent, ...differed }, twice, 999, "contradiction"],
  ["not found, early", missing, sent, twice, 120, "open"],
  ["not found, late", missing, sent, twice, 121, "refused PROCESS_FAIL"],
  ["not found after a refusal, early", missing, { ...sent, ...refusedOnce }, careful, 120, "open"],
  [
    "not found after a refusal, late",
    missing,
    { ...sent, ...refusedOnce },
    careful,
    121,
    "refused RISK_REJECT",
  ],
  ["not found, with a repeat allowed", missing, sent, careful, 999, "open"],
  ["not found, inside the idempotency window", missing, first, forgetful, 298, "open"],
  ["not found, after the idempotency window", missing, first, forgetful, 301, "refused PROCESS_FAIL"],
  [
    "not found after the window, with a repeat that may still arrive",
    missing,
    { firstSentAt: now, sentAt: seconds(290) },
    forgetful,
    301,
    "open",
  ],
  ["not inquired about, and not sent yet", unasked, {}, twice, 999, "open"],
  ["not inquired about, while a message may arrive", unasked, sent, twice, 120, "open"],
  ["not inquired about, and without response", unasked, sent, twice, 121, "contradiction"],
  ["not inquired about, accepted an hour ago", unasked, { ...sent, ...accepted }, twice, 3_600, "open"],
  ["not inquired about, accepted a day ago", unasked, accepted, careful, 86_400, "contradiction"],
  ["not inquired about, after a mismatch", unasked, differed, careful, 86_400, "open"],
  ["accepted, then not found", missing, { ...sent, ...accepted }, twice, 999, "contradiction"],
  ["accepted, then not found by an idempotent provider", missing, accepted, careful, 999, "contradiction"],
];

// A provider acts on a message that arrives exactly at its `notAfter`. So at that instant an earlier message may still
// take effect in spite of a refusal.
for (const [when, afterMs, expected] of [
  ["just before", -1, "open"],
  ["exactly at", 0, "open"],
  ["just after", 1, "refused"],
] as const) {
  test(`a refusal of an inquiry ${when} the deadline of an earlier message: ${expected}`, () => {
    const calledAt = new Date(sendDeadline({ now, aheadMs: 0 }, careful).getTime() + afterMs);
    const unanswered = { ...sent, acceptedAt: undefined, calledAt };
    assert.equal(isQuietOver(now, careful, calledAt), expected === "refused");
    assert.equal(evaluateReport(missing, unanswered, twice).kind, expected);
    assert.equal(evaluateReport(refused, unanswered, careful).kind, expected);
  });
}

function inShort(verdict: Verdict): string {
  if (verdict.kind === "refused") return `refused ${verdict.resultCode}`;
  return verdict.kind === "open" && verdict.lastResult ? `open ${verdict.lastResult}` : verdict.kind;
}

for (const [description, report, before, terms, after, expected] of verdicts) {
  test(`verdict on a request that is ${description}: ${expected}`, () => {
    const state = { acceptedAt: undefined, calledAt: seconds(after), ...before };
    assert.equal(inShort(evaluateReport(report, state, terms)), expected);
  });
}

test("a mismatch alerts once, and is followed by inquiries instead of requests", () => {
  const verdict = evaluateReport(differs, { acceptedAt: undefined, calledAt: now }, careful);
  assert(verdict.kind === "contradiction");
  assert.equal(isNewContradiction(verdict, {}), true);
  const { lastResult = "" } = rescheduleJob(verdict, now);
  assert.equal(isNewContradiction(verdict, { lastResult }), false);
  assert.equal(maySend({ lastResult }, careful, now), false);
  const lostVerdict = evaluateReport(missing, { acceptedAt: undefined, calledAt: now, lastResult }, careful);
  assert(lostVerdict.kind === "contradiction");
  assert.equal(isNewContradiction(lostVerdict, { lastResult }), false);
});

test("a job that waits for the quiet time is polled as soon as the quiet time is over", () => {
  const open = evaluateReport(refused, { ...sent, acceptedAt: undefined, calledAt: now }, careful);
  assert(open.kind === "open");
  assert.deepEqual(rescheduleJob(open, seconds(300)), {
    next: "again",
    at: seconds(120.1),
    noProgress: true,
    lastResult: "RISK_REJECT",
  });
  assert.deepEqual(rescheduleJob(open, seconds(1)).at, seconds(1));
});

test("a provider gets the deadline of a message on its own clock", () => {
  assert.deepEqual(sendDeadline({ now: seconds(3600), aheadMs: 3_600_000 }, careful), seconds(120));
});

/** One attempt: the fate of its message, and of the process that sends it. */
interface Try {
  /** How many seconds the message is in flight; undefined if it is lost. */
  readonly takes: number | undefined;
  /** Whether the provider would act on the message. */
  readonly wouldDo: boolean;
  readonly answerArrives: boolean;
  /** Whether the process crashes, before or after it has sent the message. */
  readonly dies: "before" | "after" | undefined;
  readonly gap: number;
}

const tries: fc.Arbitrary<readonly Try[]> = fc.array(
  fc.record({
    takes: fc.option(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 120 })), { nil: undefined }),
    wouldDo: fc.boolean(),
    answerArrives: fc.boolean(),
    dies: fc.constantFrom(undefined, undefined, undefined, "before", "after"),
    gap: fc.integer({ min: 1, max: 130 }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Simulates one refund and its provider; returns the gateway's verdict, and how often the refund was made. */
function simulate(
  all: readonly Try[],
  terms: ConnectorTerms,
): { readonly kind: string; readonly effectCount: number } {
  const inFlight = new Set<{ readonly at: number; readonly wouldDo: boolean; readonly notAfter: Date }>();
  const { idempotencyWindowSeconds: windowSeconds = Infinity } = terms;
  let memory: SendState = {};
  let [clock, effectCount, forgetsAt] = [0, 0, Infinity];
  const arrive = (until: number): void => {
    for (const message of [...inFlight].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)) {
      inFlight.delete(message);
      const { at, wouldDo, notAfter } = message;
      const isRepeat = effectCount > 0 && terms.idempotentByReference && at < forgetsAt;
      if (!wouldDo || isRepeat || seconds(at) > notAfter) continue;
      effectCount += 1;
      forgetsAt = at + windowSeconds;
    }
  };
  for (const { takes, wouldDo, answerArrives, dies, gap } of all) {
    clock += gap;
    arrive(clock);
    const before = memory;
    const sends = maySend(before, terms, seconds(clock)) && dies !== "before";
    const notAfter = sendDeadline({ now: seconds(clock), aheadMs: 0 }, terms, before);
    if (sends && takes !== undefined) inFlight.add({ at: clock + takes, wouldDo, notAfter });
    if (sends && (!terms.idempotentByReference || !dies))
      memory = { firstSentAt: seconds(clock), ...memory, sentAt: seconds(clock) };
    // The crash has lost the time of the first message, so the creation of the job counts.
    if (dies) memory = { firstSentAt: seconds(0), ...memory, abandonedAt: seconds(clock) };
    if (dies || (sends && (takes !== 0 || !answerArrives))) continue;
    arrive(clock);
    const no = sends ? refused : missing;
    const state = { ...before, acceptedAt: undefined, calledAt: seconds(clock) };
    const verdict = evaluateReport(effectCount > 0 ? done : no, state, terms);
    if (verdict.kind === "done" || verdict.kind === "refused") {
      arrive(Infinity);
      return { kind: verdict.kind, effectCount };
    }
    // After its response, a message is no longer in flight.
    if (sends && terms.idempotentByReference) memory = before;
    if (verdict.kind === "open" && verdict.lastResult) memory = { ...memory, lastResult: verdict.lastResult };
  }
  arrive(Infinity);
  return { kind: "open", effectCount };
}

const lost: Try = { takes: undefined, wouldDo: false, answerArrives: false, dies: undefined, gap: 1 };
/** The first message acts, and the response is lost. A repeat arrives exactly 300 s later. */
const repeatAtEndOfWindow: readonly Try[] = [
  { ...lost, takes: 0, wouldDo: true },
  { ...lost, takes: 30, wouldDo: true, gap: 270 },
  lost,
];

for (const [which, terms] of Object.entries({
  "acts once": careful,
  "would act twice": twice,
  forgets: forgetful,
})) {
  test(
    `whatever is lost, late or killed, with a provider that ${which}: a refund is made at most once, and ` +
      "never after it was reported as failed",
    (t) => {
      const tally = { done: 0, refused: 0, open: 0 };
      fc.assert(
        fc.property(tries, (all) => {
          const { kind, effectCount } = simulate(all, terms);
          tally[kind as keyof typeof tally] += 1;
          assert.ok(effectCount <= 1);
          if (kind !== "open") assert.equal(effectCount, kind === "done" ? 1 : 0);
        }),
        { numRuns: 5_000, examples: [[repeatAtEndOfWindow]] },
      );
      t.diagnostic(JSON.stringify(tally));
      for (const [kind, times] of Object.entries(tally))
        assert.ok(times > 100, `It was ${kind} ${times} times.`);
    },
  );
}
