import assert from "node:assert/strict";
import { test } from "node:test";

/*
 * An exhaustive model of decisions 0023 and 0108: one row, one process that answers from it, and up to three servers
 * that become the primary one after the other. Every order of their steps is visited.
 */
interface State {
  /** The number of the primary. Lower ones are lost, the next one is its standby. */
  readonly primary: 0 | 1 | 2;
  /** Whether commits of the primary wait for a standby. */
  readonly isExpected: boolean;
  /** Which servers have the row, and which have the mark. */
  readonly hasRow: readonly boolean[];
  readonly hasMark: readonly boolean[];
  /** Whether the primary shows the row: its commit is on the standby, or its wait was cut. */
  readonly isShown: boolean;
  readonly read: { readonly from: number; readonly isSeen: boolean } | undefined;
  /** The server of the mark in flight, or of the one that has returned. */
  readonly mark: { readonly on: number; readonly isBack: boolean } | undefined;
  /** The row that was told of: yes, no, or unknown (`U`). */
  readonly told: "yes" | "no" | "unknown" | undefined;
}

interface Protocol {
  /** Whether a mark on one server confirms what was read from another. */
  counts(readFrom: number, markedOn: number): boolean;
  /** Whether a mark that was begun before the read counts. */
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
  told: undefined,
};

function at(list: readonly boolean[], index: number, value: boolean): readonly boolean[] {
  return list.map((each, place) => (place === index ? value : each));
}

function stepsOfServers(state: State): readonly State[] {
  const { primary, isExpected, hasRow, hasMark, isShown, mark } = state;
  const next = primary + 1;
  const marked = mark && mark.on === primary ? { ...mark, isBack: true } : mark;
  return [
    // The row is committed. Without a standby it is shown at once.
    ...(hasRow[primary] ? [] : [{ ...state, hasRow: at(hasRow, primary, true), isShown: !isExpected }]),
    // The wait of its commit is cut.
    ...(hasRow[primary] && !isShown ? [{ ...state, isShown: true }] : []),
    // The standby receives the WAL so far: the row and the mark. Both commits return.
    ...(isExpected
      ? [
          {
            ...state,
            hasRow: at(hasRow, next, hasRow[primary] === true),
            hasMark: at(hasMark, next, hasMark[primary] === true),
            isShown: hasRow[primary] === true,
            mark: hasMark[primary] ? marked : mark,
          },
        ]
      : []),
    // The primary is lost and its standby promoted, which has none of its own yet.
    ...(isExpected && primary < 2
      ? [
          {
            ...state,
            primary: next as 1 | 2,
            isExpected: false,
            isShown: hasRow[next] === true,
            // A mark in flight is lost with its connection, and the callers that share the next one commit that.
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
            hasRow: at(hasRow, 2, hasRow[1] === true),
            isShown: hasRow[1] === true,
          },
        ]
      : []),
  ];
}

function stepsOfProcess(state: State, { counts, marksEarly, marks }: Protocol): readonly State[] {
  const { primary, isExpected, hasMark, isShown, read, mark, told } = state;
  if (told) return [];
  const answer = read?.isSeen ? ("yes" as const) : ("no" as const);
  const setMark = { on: primary, isBack: !isExpected };
  return [
    ...(read ? [] : [{ ...state, read: { from: primary, isSeen: isShown } }]),
    ...(marks && !mark && (read || marksEarly)
      ? [{ ...state, hasMark: at(hasMark, primary, true), mark: setMark }]
      : []),
    ...(read && !marks ? [{ ...state, told: answer }] : []),
    ...(read && mark?.isBack
      ? [{ ...state, told: counts(read.from, mark.on) ? answer : ("unknown" as const) }]
      : []),
  ];
}

/** All reachable states, and whether one was told of a row that the primary does not have. */
function explore(rules: Protocol): { readonly told: ReadonlySet<string>; readonly isWrong: boolean } {
  const seen = new Set<string>();
  const told = new Set<string>();
  const open = [start];
  let isWrong = false;
  for (let state = open.pop(); state; state = open.pop()) {
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    if (state.told) told.add(state.told);
    isWrong ||= state.told === "yes" && !state.hasRow[state.primary];
    open.push(...stepsOfServers(state), ...stepsOfProcess(state, rules));
  }
  return { told, isWrong };
}

test("in no order of reads, marks, cut commits and promotions is a row told of that a failover takes back", () => {
  const { told, isWrong } = explore(protocol);
  assert.equal(isWrong, false);
  assert.deepEqual([...told].sort(), ["no", "unknown", "yes"]);
});

for (const [mistake, rules] of Object.entries<Partial<Protocol>>({
  "a mark on the promoted standby confirms rows of the lost primary": { counts: () => true },
  "a mark from before the read counts": { marksEarly: true },
  "there is no mark": { marks: false },
})) {
  test(`the model finds the mistake: ${mistake}`, () => {
    assert.equal(explore({ ...protocol, ...rules }).isWrong, true);
  });
}
