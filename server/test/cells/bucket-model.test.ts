import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyBucketStep,
  isOwner,
  nextBucketMove,
  type BucketOwnership,
} from "../../src/cells/bucket-owner.ts";
import { routeRequest, type LocalHome } from "../../src/cells/home.ts";

/** The decision functions of the product. A seeded mistake replaces one of them. */
const protocol = {
  afterBucketStep: applyBucketStep,
  nextBucketMove,
  /** Returns whether the protocol informs the next owner of clients with another home cell. */
  informsOfOtherHomes: (): boolean => true,
  /**
   * Returns whether the protocol informs the next owner of clients that have returned to the cell that gives the
   * bucket.
   */
  informsOfReturnedClients: (): boolean => true,
};
type Protocol = typeof protocol;

const cells = ["a", "b", "c"] as const;
type Cell = (typeof cells)[number];
interface KnownHome {
  readonly cell: Cell;
  readonly epoch: number;
}

/**
 * One cell's database in the model: the bucket, and one client of the bucket, which is at home here, has moved, or is
 * unknown.
 */
interface CellState {
  readonly bucket?: BucketOwnership | undefined;
  readonly homeSinceEpoch?: number | undefined;
  readonly movedTo?: KnownHome | undefined;
}

/**
 * A run of the mover: it reads the target, then the source, then acts on what it read. It may be killed at any step.
 */
interface Mover {
  readonly readTarget?: { readonly held: BucketOwnership | undefined } | undefined;
  readonly readSource?: { readonly held: BucketOwnership | undefined } | undefined;
  /** The client's home as the mover read it at the source, and has not written to the target yet. */
  readonly carriedHome?: { readonly movedTo: KnownHome | undefined } | undefined;
}

interface State {
  readonly cellStates: Readonly<Record<Cell, CellState>>;
  readonly movers: readonly Mover[];
}

interface Plan {
  readonly source: Cell;
  readonly target: Cell;
}

interface Edge {
  readonly next: State;
  readonly isProgress: boolean;
}

const bucketEpochMax = 3;
const clientEpochMax = 2;

/** Explores every interleaving of clients that are opened and moved, of two movers of the bucket, and of crashes. */
function explore(
  plans: readonly Plan[],
  rules: Protocol = protocol,
): { states: number; violation: string | undefined } {
  const first: State = {
    cellStates: { a: { bucket: { epoch: 1 } }, b: {}, c: {} },
    movers: plans.map(() => ({})),
  };
  const seen = new Map<string, State>([[JSON.stringify(first), first]]);
  const predecessors = new Map<string, string[]>();
  const keysWithOwner: string[] = [];
  for (const [key, state] of seen) {
    const violation = violationIn(state);
    if (violation) return { states: seen.size, violation };
    if (cells.some((cell) => isOwner(state.cellStates[cell].bucket))) keysWithOwner.push(key);
    for (const { next, isProgress } of [...clientEdges(state), ...moverEdges(state, plans, rules)]) {
      const nextKey = JSON.stringify(next);
      if (isProgress) predecessors.set(nextKey, [...(predecessors.get(nextKey) ?? []), key]);
      if (!seen.has(nextKey)) seen.set(nextKey, next);
    }
  }
  const reached = new Set(keysWithOwner);
  for (let key = keysWithOwner.pop(); key !== undefined; key = keysWithOwner.pop())
    for (const earlier of predecessors.get(key) ?? [])
      if (!reached.has(earlier)) {
        reached.add(earlier);
        keysWithOwner.push(earlier);
      }
  const isLost = reached.size < seen.size;
  return { states: seen.size, violation: isLost ? "permanently, no cell owns the bucket" : undefined };
}

function violationIn({ cellStates }: State): string | undefined {
  const owners = cells.filter((cell) => isOwner(cellStates[cell].bucket));
  if (owners.length > 1) return `two owners: ${owners.join(" and ")}`;
  if (!cells.some((cell) => cellStates[cell].homeSinceEpoch !== undefined)) return undefined;
  const wrongCell = cells.find(
    (cell) => routeRequest(cell, heldOf(cellStates[cell]), {}, false) === "unknown-client",
  );
  return wrongCell && `${wrongCell} reports permanently that the client is unknown`;
}

function heldOf({ bucket, homeSinceEpoch, movedTo }: CellState): LocalHome {
  const here = homeSinceEpoch === undefined ? undefined : ({ state: "here", epoch: homeSinceEpoch } as const);
  const stored = here ?? (movedTo && ({ state: "gone", ...movedTo } as const));
  return { stored, hasClient: stored !== undefined, ownsBucket: isOwner(bucket) };
}

/**
 * Steps of the client: the bucket's owner opens it, and then it may move to any cell in one step. The file
 * move-model.ts explores the steps of a move.
 */
function clientEdges(state: State): readonly Edge[] {
  const home = cells.find((cell) => state.cellStates[cell].homeSinceEpoch !== undefined);
  if (home === undefined)
    return cells
      .filter((cell) => isOwner(state.cellStates[cell].bucket))
      .map((cell) => ({ next: withCellState(state, cell, { homeSinceEpoch: 0 }), isProgress: true }));
  const epoch = (state.cellStates[home].homeSinceEpoch ?? 0) + 1;
  if (epoch > clientEpochMax) return [];
  return cells
    .filter((cell) => cell !== home)
    .map((cell) => {
      const afterLeaving = withCellState(state, home, {
        homeSinceEpoch: undefined,
        movedTo: { cell, epoch },
      });
      return {
        next: withCellState(afterLeaving, cell, { homeSinceEpoch: epoch, movedTo: undefined }),
        isProgress: true,
      };
    });
}

function moverEdges(state: State, plans: readonly Plan[], rules: Protocol): readonly Edge[] {
  return plans.flatMap(({ source, target }, index) => {
    const mover = state.movers[index] as Mover;
    const withMover = (next: Mover, from = state): Edge => ({
      next: { ...from, movers: from.movers.map((each, nth) => (nth === index ? next : each)) },
      isProgress: true,
    });
    const killedEdge = { ...withMover({}), isProgress: false };
    const { readTarget, readSource, carriedHome } = mover;
    if (!readTarget)
      return [withMover({ readTarget: { held: state.cellStates[target].bucket } }), killedEdge];
    if (!readSource)
      return [withMover({ ...mover, readSource: { held: state.cellStates[source].bucket } }), killedEdge];
    const next = rules.nextBucketMove({
      source: readSource.held,
      target: { name: target, ownership: readTarget.held },
    });
    if (next.do === "give") {
      const { bucket, homeSinceEpoch } = state.cellStates[source];
      const step = { step: "give", epoch: next.epoch, to: target } as const;
      const given = rules.afterBucketStep(bucket, homeSinceEpoch !== undefined, step);
      const isExplored = given && given.epoch < bucketEpochMax;
      return [
        withMover({}, isExplored ? withCellState(state, source, { bucket: given }) : state),
        killedEdge,
      ];
    }
    if (next.do !== "take") return [withMover({}), killedEdge];
    if (!carriedHome)
      return [withMover({ ...mover, carriedHome: homeKnownTo(state, source, rules) }), killedEdge];
    return [
      withMover({}, afterTake(state, target, { epoch: next.epoch, movedTo: carriedHome.movedTo }, rules)),
      killedEdge,
    ];
  });
}

/** The home of the client as a cell knows it, including that the client returned after the bucket was given. */
function homeKnownTo(
  { cellStates }: State,
  cell: Cell,
  rules: Protocol,
): { readonly movedTo: KnownHome | undefined } {
  const { homeSinceEpoch, movedTo } = cellStates[cell];
  if (homeSinceEpoch === undefined) return { movedTo };
  return { movedTo: rules.informsOfReturnedClients() ? { cell, epoch: homeSinceEpoch } : undefined };
}

function afterTake(
  state: State,
  target: Cell,
  { epoch, movedTo }: { readonly epoch: number; readonly movedTo: KnownHome | undefined },
  rules: Protocol,
): State {
  const cellState = state.cellStates[target];
  const bucket = rules.afterBucketStep(cellState.bucket, cellState.homeSinceEpoch !== undefined, {
    step: "take",
    epoch,
  });
  if (!bucket) return state;
  const isNewer =
    movedTo !== undefined &&
    movedTo.cell !== target &&
    cellState.homeSinceEpoch === undefined &&
    (cellState.movedTo?.epoch ?? 0) < movedTo.epoch;
  return withCellState(state, target, { bucket, ...(isNewer && rules.informsOfOtherHomes() && { movedTo }) });
}

function withCellState(state: State, cell: Cell, change: Partial<CellState>): State {
  return { ...state, cellStates: { ...state.cellStates, [cell]: { ...state.cellStates[cell], ...change } } };
}

const moveFromAToB: Plan = { source: "a", target: "b" };
const fleets: Readonly<Record<string, readonly Plan[]>> = {
  "one mover of a bucket": [moveFromAToB],
  "two movers with the same order": [moveFromAToB, moveFromAToB],
  "two movers with different orders": [moveFromAToB, { source: "a", target: "c" }],
  "a mover, and one that brings the bucket back": [moveFromAToB, { source: "b", target: "a" }],
  "a mover, and one that moves the bucket to a third cell": [moveFromAToB, { source: "b", target: "c" }],
  "two movers, and one that moves the bucket to a third cell": [
    moveFromAToB,
    moveFromAToB,
    { source: "b", target: "c" },
  ],
};

for (const [fleet, plans] of Object.entries(fleets))
  test(`${fleet}: one owner that knows every client, and never without an owner permanently`, (context) => {
    const { states, violation } = explore(plans);
    context.diagnostic(`${states} states`);
    assert.equal(violation, undefined);
    assert.ok(states > 50);
  });

const mistakes: Readonly<
  Record<string, { readonly rules: Partial<Protocol>; readonly expectedViolation: RegExp }>
> = {
  "a bucket is given while the cell is home of one of its clients": {
    rules: { afterBucketStep: (held, _hasClients, step) => applyBucketStep(held, false, step) },
    expectedViolation: /the client is unknown/,
  },
  "the next owner is not informed of clients with another home cell": {
    rules: { informsOfOtherHomes: () => false },
    expectedViolation: /the client is unknown/,
  },
  "the next owner is not informed of clients that returned to the previous owner": {
    rules: { informsOfReturnedClients: () => false },
    expectedViolation: /the client is unknown/,
  },
  "a bucket is taken before it is given": {
    rules: {
      nextBucketMove: (view) => {
        const next = nextBucketMove(view);
        return next.do === "give" ? { do: "take", epoch: next.epoch + 1 } : next;
      },
    },
    expectedViolation: /two owners/,
  },
  "a late mover takes a bucket that was given to another cell": {
    rules: {
      afterBucketStep: (held, hasClients, step) =>
        step.step === "take" && !isOwner(held)
          ? { epoch: step.epoch }
          : applyBucketStep(held, hasClients, step),
    },
    expectedViolation: /two owners/,
  },
  "no mover continues after a mover was killed between the two steps": {
    rules: {
      nextBucketMove: (view) => {
        const next = nextBucketMove(view);
        return next.do === "take" ? { do: "nothing" } : next;
      },
    },
    expectedViolation: /permanently/,
  },
};

for (const [mistake, { rules, expectedViolation }] of Object.entries(mistakes))
  test(`the model detects the mistake: ${mistake}`, () => {
    const found = Object.values(fleets).map((plans) => explore(plans, { ...protocol, ...rules }).violation);
    assert.ok(
      found.some((violation) => violation && expectedViolation.test(violation)),
      `found: ${found.join("; ")}`,
    );
  });
