import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { breakerRules, newBreaker, type Breaker, type EndCall } from "./breaker.ts";

const { windowMs, slowMs, consecutiveFailuresMax, callsMin, openMs } = breakerRules;

/** A breaker with a clock that the test controls. */
class TestBreaker {
  nowMs = 0;
  readonly changes: boolean[] = [];
  readonly breaker: Breaker = newBreaker({
    monotonicMs: () => this.nowMs,
    onChange: (isClosed) => this.changes.push(isClosed),
  });

  begin(kind: "inquiry" | "other" = "other"): EndCall {
    const end = this.breaker.begin(kind);
    assert.ok(end, `no call was let through at ${this.nowMs} ms`);
    return end;
  }

  /** Makes calls in sequence, given as a string: `+` is an answered call, `-` an unanswered one. */
  calls(outcomes: string, gapMs = 10): void {
    for (const outcome of outcomes) {
      this.begin()(outcome === "+");
      this.nowMs += gapMs;
    }
  }
}

function newOpenBreaker(): TestBreaker {
  const testBreaker = new TestBreaker();
  testBreaker.calls("-----", 0);
  assert.equal(testBreaker.breaker.isClosed(), false);
  return testBreaker;
}

describe("when it opens", () => {
  const rows: readonly (readonly [calls: string, gapMs: number, isClosed: boolean, why: string])[] = [
    ["", 10, true, "a provider that was never called counts as healthy"],
    ["----", 10, true, "four in a row may be chance"],
    ["-----", 10, false, "five in a row are not"],
    ["----+----", 10, true, "an answer begins a new row, and nine calls are too few to count a half of"],
    ["----+----+", 10, false, "more than half of ten"],
    ["+++++----+-", 10, true, "fewer than half of eleven"],
    ["-+-+-+-+-+", 10, false, "just half of ten"],
    ["++++++++++++++++++++-----", 10, false, "a row counts whatever was before it"],
    ["-----", 2_500, true, "a row over more than ten seconds: by then the first is forgotten"],
    ["-----", 2_400, false, "a row within ten seconds"],
    ["-+-+-+-+-+", 1_200, true, "never ten within ten seconds"],
  ];
  for (const [calls, gapMs, isClosed, why] of rows) {
    test(`${calls || "no call"}, ${gapMs} ms apart: ${isClosed ? "stays closed" : "opens"}, ${why}`, () => {
      const testBreaker = new TestBreaker();
      testBreaker.calls(calls, gapMs);
      testBreaker.nowMs -= gapMs;
      assert.equal(testBreaker.breaker.isClosed(), isClosed);
    });
  }

  test("a hanging call counts once it is slow, long before it ends", () => {
    const testBreaker = new TestBreaker();
    for (let count = 0; count < consecutiveFailuresMax; count += 1) testBreaker.begin();
    testBreaker.nowMs = slowMs - 1;
    assert.equal(testBreaker.breaker.isClosed(), true);
    testBreaker.nowMs = slowMs;
    assert.equal(testBreaker.breaker.isClosed(), false);
  });

  test("a response that arrives too late counts as unanswered", () => {
    const testBreaker = new TestBreaker();
    const ends = Array.from({ length: consecutiveFailuresMax }, () => testBreaker.begin());
    testBreaker.nowMs = slowMs + 500;
    ends.forEach((end) => end(true));
    assert.equal(testBreaker.breaker.isClosed(), false);
  });

  test("it reports opening once, and closing once", () => {
    const testBreaker = newOpenBreaker();
    testBreaker.nowMs += openMs;
    testBreaker.begin("inquiry")(true);
    assert.deepEqual(testBreaker.changes, [false, true]);
  });
});

describe("while it is open", () => {
  test("no call passes before the probe time, and then one inquiry at a time and never a payment", () => {
    const testBreaker = newOpenBreaker();
    testBreaker.nowMs += openMs - 1;
    assert.equal(testBreaker.breaker.begin("inquiry"), undefined);
    testBreaker.nowMs += 1;
    assert.equal(testBreaker.breaker.begin("other"), undefined);
    assert.equal(testBreaker.breaker.wantsProbe(), true);
    testBreaker.begin("inquiry");
    assert.equal(testBreaker.breaker.wantsProbe(), false);
    assert.equal(testBreaker.breaker.begin("inquiry"), undefined);
    assert.equal(testBreaker.breaker.isClosed(), false);
  });

  test("an answered inquiry closes it", () => {
    const testBreaker = newOpenBreaker();
    testBreaker.nowMs += openMs;
    const end = testBreaker.begin("inquiry");
    testBreaker.nowMs += slowMs - 1;
    end(true);
    assert.equal(testBreaker.breaker.isClosed(), true);
  });

  test("a hanging inquiry does not delay the next one", () => {
    const testBreaker = newOpenBreaker();
    testBreaker.nowMs += openMs;
    const hanging = testBreaker.begin("inquiry");
    testBreaker.nowMs += openMs;
    const next = testBreaker.begin("inquiry");
    hanging(true);
    assert.equal(testBreaker.breaker.isClosed(), false, "the answer came too late");
    next(true);
    assert.equal(testBreaker.breaker.isClosed(), true);
  });

  test("calls from before it opened neither close it nor open it again", () => {
    const testBreaker = new TestBreaker();
    const before = Array.from({ length: 20 }, () => testBreaker.begin());
    before.slice(0, 5).forEach((end) => end(false));
    before.slice(5, 10).forEach((end) => end(true));
    assert.equal(testBreaker.breaker.isClosed(), false);
    testBreaker.nowMs += openMs;
    testBreaker.begin("inquiry")(true);
    before.slice(10).forEach((end) => end(false));
    assert.equal(testBreaker.breaker.isClosed(), true);
  });

  test("rejected calls are retried just after the probe, and soon while it is running", () => {
    const testBreaker = newOpenBreaker();
    assert.equal(testBreaker.breaker.retryAfterMs(), openMs + 500);
    testBreaker.nowMs += openMs - 100;
    assert.equal(testBreaker.breaker.retryAfterMs(), 600);
    testBreaker.nowMs += 100;
    const end = testBreaker.begin("inquiry");
    assert.equal(testBreaker.breaker.retryAfterMs(), 500);
    testBreaker.nowMs += 1_000;
    end(false);
    assert.equal(testBreaker.breaker.retryAfterMs(), openMs - 1_000 + 500);
  });
});

/** A call in the model. */
interface StartedCall {
  readonly sinceMs: number;
  readonly end: EndCall;
}

/** The outcome of a call, and the time at which it was known. */
interface EndedCall {
  readonly atMs: number;
  readonly bad: boolean;
}

type Step = { readonly gapMs: number } & (
  | { readonly act: "begin"; readonly kind: "inquiry" | "other" }
  | { readonly act: "end"; readonly which: number; readonly answered: boolean }
);

const gapMs = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 6_000 }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    gapMs,
    act: fc.constant("begin" as const),
    kind: fc.constantFrom("inquiry" as const, "other" as const),
  }),
  fc.record({
    gapMs,
    act: fc.constant("end" as const),
    /** Index from the newest call. */
    which: fc.oneof(fc.constant(0), fc.nat(20)),
    answered: fc.boolean(),
  }),
);

/** The rule by which the breaker opens, implemented again from its definition, over the whole history. */
function opens(history: readonly EndedCall[], nowMs: number): boolean {
  const recent = history.filter(({ atMs }) => atMs > nowMs - windowMs);
  const bad = recent.filter((call) => call.bad).length;
  const inARow = recent.length - 1 - recent.findLastIndex((call) => !call.bad);
  return inARow >= consecutiveFailuresMax || (recent.length >= callsMin && bad >= recent.length - bad);
}

/** The model: the expected state of a breaker, from all calls since its last change. */
class Model {
  isClosed = true;
  history: EndedCall[] = [];
  counting: StartedCall[] = [];
  changes = 0;
  inquiry: StartedCall | undefined;

  change(isClosed: boolean): void {
    Object.assign(this, { isClosed, history: [], counting: [], changes: this.changes + 1 });
  }

  timePasses(nowMs: number): void {
    const slow = this.counting.filter(({ sinceMs }) => nowMs - sinceMs >= slowMs);
    this.counting = this.counting.filter((call) => !slow.includes(call));
    this.history.push(...slow.map(({ sinceMs }) => ({ atMs: sinceMs + slowMs, bad: true })));
    if (opens(this.history, nowMs)) this.change(false);
  }

  ends(call: StartedCall, answered: boolean, nowMs: number): void {
    if (call === this.inquiry) {
      this.inquiry = undefined;
      if (answered && nowMs - call.sinceMs < slowMs) this.change(true);
    } else if (this.counting.includes(call)) {
      this.counting = this.counting.filter((other) => other !== call);
      this.history.push({ atMs: nowMs, bad: !answered });
      if (opens(this.history, nowMs)) this.change(false);
    }
  }
}

test("for any calls, it opens by its rule, lets no payment through while open, and one inquiry at a time", () => {
  let changes = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150, size: "max" }), (steps) => {
      const testBreaker = new TestBreaker();
      const { breaker } = testBreaker;
      const model = new Model();
      let inProgress: StartedCall[] = [];
      for (const { gapMs: waitedMs, ...action } of steps) {
        testBreaker.nowMs += waitedMs;
        model.timePasses(testBreaker.nowMs);
        assert.equal(breaker.isClosed(), model.isClosed);
        if (action.act === "end") {
          const call = inProgress.at(-1 - (action.which % Math.max(1, inProgress.length)));
          if (!call) continue;
          inProgress = inProgress.filter((other) => other !== call);
          call.end(action.answered);
          model.ends(call, action.answered, testBreaker.nowMs);
        } else {
          const end = breaker.begin(action.kind);
          if (model.isClosed) assert.ok(end);
          if (!end) continue;
          const call = { sinceMs: testBreaker.nowMs, end };
          inProgress.push(call);
          if (model.isClosed) model.counting.push(call);
          else {
            assert.equal(action.kind, "inquiry");
            assert.ok(!model.inquiry || testBreaker.nowMs - model.inquiry.sinceMs >= openMs);
            model.inquiry = call;
          }
        }
        assert.equal(breaker.isClosed(), model.isClosed);
      }
      changes += model.changes;
    }),
    { numRuns: 1_000 },
  );
  assert.ok(changes > 500, `${changes} openings and closings are too few`);
});
