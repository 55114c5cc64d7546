import assert from "node:assert/strict";
import { test } from "node:test";

/*
 * An exhaustive model of decisions 0023 and 0108: one row, one process that reports it, and up to three servers that
 * become the primary one after another. The test explores every order of their steps.
 */
interface State {
  /** The number of the primary. Servers with lower numbers are lost; the next one is its standby. */
  readonly primary: 0 | 1 | 2;
  /** Whether commits of the primary wait for a standby. */
  readonly isExpected: boolean;
  /** For each server, whether it has the row and whether it has the mark. */
  readonly hasRow: readonly boolean[];
  readonly hasMark: readonly boolean[];
  /**
   * Whether the row is visible on the primary server: its commit is on the standby, or the commit's wait was cancelled.
   */
  readonly isShown: boolean;
  readonly read: { readonly from: number; readonly isSeen: boolean } | undefined;
  /** The server of the process's mark, which is in flight or has returned. */
  readonly mark: { readonly on: number; readonly isBack: boolean } | undefined;
  /** The response to the merchant: the row exists, does not exist, or is unknown (`U`). */
  readonly answer: "yes" | "no" | "unknown" | undefined;
}

interface Protocol {
  /** Whether a mark on one server confirms a row that was read from another. */
  counts(readFrom: number, markedOn: number): boolean;
  /** Whether the commit of a mark that began before the read may confirm the rows of this read. */
  readonly marksEarly: boolean;
  /** Whether the process commits a mark at all. */
  readonly marks: boolean;
}

const protocol: Protocol = {
  counts: (readFrom, markedOn) => readFrom === markedOn,
  marksEarly: false,
  marks: true,
};

const start: State = {
  primary: 0,
  isExpected: true,
  hasRow: [false, false, false],
  hasMark: [false, false, false],
  isShown: false,
  read: undefined,
  mark: undefined,
  answer: undefined,
};

function replaceAt(list: readonly boolean[], index: number, value: boolean): readonly boolean[] {
  return list.map((each, position) => (position === index ? value : each));
}

function stepsOfServers(state: State): readonly State[] {
  const { primary, isExpected, hasRow, hasMark, isShown, mark } = state;
  const next = primary + 1;
  const marked = mark && mark.on === primary ? { ...mark, isBack: true } : mark;
  return [
    // The row is committed. Without a standby it is visible at once.
    ...(hasRow[primary]
      ? []
      : [{ ...state, hasRow: replaceAt(hasRow, primary, true), isShown: !isExpected }]),
    // The commit's wait for the standby is cancelled.
    ...(hasRow[primary] && !isShown ? [{ ...state, isShown: true }] : []),
    // The standby receives the WAL so far, with the row and the mark. The commits of both return.
    ...(isExpected
      ? [
          {
            ...state,
            hasRow: replaceAt(hasRow, next, hasRow[primary] === true),
            hasMark: replaceAt(hasMark, next, hasMark[primary] === true),
            isShown: hasRow[primary] === true,
            mark: hasMark[primary] ? marked : mark,
          },
        ]
      : []),
    // The primary is lost, and its standby is promoted, without a standby of its own yet.
    ...(isExpected && primary < 2
      ? [
          {
            ...state,
            primary: next as 1 | 2,
            isExpected: false,
            isShown: hasRow[next] === true,
            // A mark in flight is lost with its connection. The callers that share the next mark commit that one
            // instead.
            mark: mark?.isBack ? mark : undefined,
          },
        ]
      : []),
    // A standby is built for the promoted server, from a copy.
    ...(!isExpected && primary === 1
      ? [
          {
            ...state,
            isExpected: true,
            hasRow: replaceAt(hasRow, 2, hasRow[1] === true),
            isShown: hasRow[1] === true,
          },
        ]
      : []),
  ];
}

function stepsOfProcess(state: State, { counts, marksEarly, marks }: Protocol): readonly State[] {
  const { primary, isExpected, hasMark, isShown, read, mark } = state;
  if (state.answer) return [];
  const answer = read?.isSeen ? ("yes" as const) : ("no" as const);
  const setMark = { on: primary, isBack: !isExpected };
  return [
    ...(read ? [] : [{ ...state, read: { from: primary, isSeen: isShown } }]),
    ...(marks && !mark && (read || marksEarly)
      ? [{ ...state, hasMark: replaceAt(hasMark, primary, true), mark: setMark }]
      : []),
    ...(read && !marks ? [{ ...state, answer }] : []),
    ...(read && mark?.isBack
      ? [{ ...state, answer: counts(read.from, mark.on) ? answer : ("unknown" as const) }]
      : []),
  ];
}

/**
 * `explore` visits all reachable states of the model. A state is wrong if an answer reports a row that the primary does
 * not have.
 */
function explore(rules: Protocol): { readonly answers: ReadonlySet<string>; readonly isWrong: boolean } {
  const visited = new Set<string>();
  const answers = new Set<string>();
  const open = [start];
  let isWrong = false;
  for (let state = open.pop(); state; state = open.pop()) {
    const key = JSON.stringify(state);
    if (visited.has(key)) continue;
    visited.add(key);
    if (state.answer) answers.add(state.answer);
    isWrong ||= state.answer === "yes" && !state.hasRow[state.primary];
    open.push(...stepsOfServers(state), ...stepsOfProcess(state, rules));
  }
  return { answers, isWrong };
}

test("no order of reads, marks, cancelled waits and promotions reports a row that a failover removes", () => {
  const { answers, isWrong } = explore(protocol);
  assert.equal(isWrong, false);
  assert.deepEqual([...answers].sort(), ["no", "unknown", "yes"]);
});

for (const [mistake, rules] of Object.entries<Partial<Protocol>>({
  "a mark on the promoted standby confirms rows of the lost primary": { counts: () => true },
  "a mark from before the read counts": { marksEarly: true },
  "there is no mark": { marks: false },
})) {
  test(`the model detects the mistake: ${mistake}`, () => {
    assert.equal(explore({ ...protocol, ...rules }).isWrong, true);
  });
}
