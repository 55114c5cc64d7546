import assert from "node:assert/strict";
import { test } from "node:test";
import { afterBucketStep, isOwner, nextBucketMove, type HeldBucket } from "../../src/cells/bucket-owner.ts";
import { routeRequest, type Held } from "../../src/cells/home.ts";

/** The decision functions of the product. A seeded mistake replaces one of them. */
const protocol = {
  afterBucketStep,
  nextBucketMove,
  /** Returns whether the protocol informs the next owner of clients with another home cell. */
  tellsOfOthers: (): boolean => true,
  /**
   * Returns whether the protocol informs the next owner of clients that have returned to the cell that gives the
   * bucket.
   */
  tellsOfItsOwn: (): boolean => true,
};
type Protocol = typeof protocol;

const cells = ["a", "b", "c"] as const;
type Cell = (typeof cells)[number];
interface Known {
  readonly cell: Cell;
  readonly epoch: number;
}

/**
 * One cell's database in the model: the bucket, and one client of the bucket, which is at home here, has moved, or is
 * unknown.
 */
interface Place {
  readonly bucket?: HeldBucket | undefined;
  readonly livesSince?: number | undefined;
  readonly gone?: Known | undefined;
}

/**
 * A run of the mover: it reads the target, then the source, then acts on what it read. It may be killed at any step.
 */
interface Mover {
  readonly sawTarget?: { readonly held: HeldBucket | undefined } | undefined;
  readonly sawSource?: { readonly held: HeldBucket | undefined } | undefined;
  /** The client's home as the mover read it at the source, and has not written to the target yet. */
  readonly carries?: { readonly gone: Known | undefined } | undefined;
}

interface State {
  readonly places: Readonly<Record<Cell, Place>>;
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
    places: { a: { bucket: { epoch: 1 } }, b: {}, c: {} },
    movers: plans.map(() => ({})),
  };
  const seen = new Map<string, State>([[JSON.stringify(first), first]]);
  const before = new Map<string, string[]>();
  const owned: string[] = [];
  for (const [key, state] of seen) {
    const violation = violationIn(state);
    if (violation) return { states: seen.size, violation };
    if (cells.some((cell) => isOwner(state.places[cell].bucket))) owned.push(key);
    for (const { next, isProgress } of [...clientEdges(state), ...moverEdges(state, plans, rules)]) {
      const nextKey = JSON.stringify(next);
      if (isProgress) before.set(nextKey, [...(before.get(nextKey) ?? []), key]);
      if (!seen.has(nextKey)) seen.set(nextKey, next);
    }
  }
  const reached = new Set(owned);
  for (let key = owned.pop(); key !== undefined; key = owned.pop())
    for (const earlier of before.get(key) ?? [])
      if (!reached.has(earlier)) {
        reached.add(earlier);
        owned.push(earlier);
      }
  const isLost = reached.size < seen.size;
  return { states: seen.size, violation: isLost ? "nobody owns the bucket, for ever" : undefined };
}

function violationIn({ places }: State): string | undefined {
  const owners = cells.filter((cell) => isOwner(places[cell].bucket));
  if (owners.length > 1) return `two owners: ${owners.join(" and ")}`;
  if (!cells.some((cell) => places[cell].livesSince !== undefined)) return undefined;
  const liar = cells.find((cell) => routeRequest(cell, heldOf(places[cell]), {}, false) === "unknown-client");
  return liar && `${liar} says for ever that there is no such client`;
}

function heldOf({ bucket, livesSince, gone }: Place): Held {
  const here = livesSince === undefined ? undefined : ({ state: "here", epoch: livesSince } as const);
  const holding = here ?? (gone && ({ state: "gone", ...gone } as const));
  return { holding, hasClient: holding !== undefined, ownsBucket: isOwner(bucket) };
}

/**
 * Steps of the client: the bucket's owner opens it, and then it may move to any cell in one step. The file
 * move-model.ts explores the steps of a move.
 */
function clientEdges(state: State): readonly Edge[] {
  const home = cells.find((cell) => state.places[cell].livesSince !== undefined);
  if (home === undefined)
    return cells
      .filter((cell) => isOwner(state.places[cell].bucket))
      .map((cell) => ({ next: put(state, cell, { livesSince: 0 }), isProgress: true }));
  const epoch = (state.places[home].livesSince ?? 0) + 1;
  if (epoch > clientEpochMax) return [];
  return cells
    .filter((cell) => cell !== home)
    .map((cell) => {
      const left = put(state, home, { livesSince: undefined, gone: { cell, epoch } });
      return { next: put(left, cell, { livesSince: epoch, gone: undefined }), isProgress: true };
    });
}

function moverEdges(state: State, plans: readonly Plan[], rules: Protocol): readonly Edge[] {
  return plans.flatMap(({ source, target }, index) => {
    const mover = state.movers[index] as Mover;
    const become = (next: Mover, from = state): Edge => ({
      next: { ...from, movers: from.movers.map((each, nth) => (nth === index ? next : each)) },
      isProgress: true,
    });
    const killed = { ...become({}), isProgress: false };
    const { sawTarget, sawSource, carries } = mover;
    if (!sawTarget) return [become({ sawTarget: { held: state.places[target].bucket } }), killed];
    if (!sawSource) return [become({ ...mover, sawSource: { held: state.places[source].bucket } }), killed];
    const next = rules.nextBucketMove({
      source: sawSource.held,
      target: { name: target, held: sawTarget.held },
    });
    if (next.do === "give") {
      const { bucket, livesSince } = state.places[source];
      const step = { step: "give", epoch: next.epoch, to: target } as const;
      const given = rules.afterBucketStep(bucket, livesSince !== undefined, step);
      const isFollowed = given && given.epoch < bucketEpochMax;
      return [become({}, isFollowed ? put(state, source, { bucket: given }) : state), killed];
    }
    if (next.do !== "take") return [become({}), killed];
    if (!carries) return [become({ ...mover, carries: knownAt(state, source, rules) }), killed];
    return [become({}, taken(state, target, { epoch: next.epoch, gone: carries.gone }, rules)), killed];
  });
}

/** The home of the client as a cell knows it, including that the client returned after the bucket was given. */
function knownAt({ places }: State, cell: Cell, rules: Protocol): { readonly gone: Known | undefined } {
  const { livesSince, gone } = places[cell];
  if (livesSince === undefined) return { gone };
  return { gone: rules.tellsOfItsOwn() ? { cell, epoch: livesSince } : undefined };
}

function taken(
  state: State,
  target: Cell,
  { epoch, gone }: { readonly epoch: number; readonly gone: Known | undefined },
  rules: Protocol,
): State {
  const place = state.places[target];
  const bucket = rules.afterBucketStep(place.bucket, place.livesSince !== undefined, { step: "take", epoch });
  if (!bucket) return state;
  const isNews =
    gone !== undefined &&
    gone.cell !== target &&
    place.livesSince === undefined &&
    (place.gone?.epoch ?? 0) < gone.epoch;
  return put(state, target, { bucket, ...(isNews && rules.tellsOfOthers() && { gone }) });
}

function put(state: State, cell: Cell, change: Partial<Place>): State {
  return { ...state, places: { ...state.places, [cell]: { ...state.places[cell], ...change } } };
}

const there: Plan = { source: "a", target: "b" };
const fleets: Readonly<Record<string, readonly Plan[]>> = {
  "one mover of a bucket": [there],
  "two movers with the same order": [there, there],
  "two movers with different orders": [there, { source: "a", target: "c" }],
  "a mover, and one that brings the bucket back": [there, { source: "b", target: "a" }],
  "a mover, and one that moves the bucket to a third cell": [there, { source: "b", target: "c" }],
  "two movers, and one that moves the bucket to a third cell": [there, there, { source: "b", target: "c" }],
};

for (const [fleet, plans] of Object.entries(fleets))
  test(`${fleet}: one owner that knows every client, and never without an owner permanently`, (context) => {
    const { states, violation } = explore(plans);
    context.diagnostic(`${states} states`);
    assert.equal(violation, undefined);
    assert.ok(states > 50);
  });

const mistakes: Readonly<Record<string, { readonly rules: Partial<Protocol>; readonly finds: RegExp }>> = {
  "a bucket is given while the cell is home of one of its clients": {
    rules: { afterBucketStep: (held, _hasClients, step) => afterBucketStep(held, false, step) },
    finds: /no such client/,
  },
  "the next owner is not informed of clients with another home cell": {
    rules: { tellsOfOthers: () => false },
    finds: /no such client/,
  },
  "the next owner is not informed of clients that returned to the previous owner": {
    rules: { tellsOfItsOwn: () => false },
    finds: /no such client/,
  },
  "a bucket is taken before it is given": {
    rules: {
      nextBucketMove: (view) => {
        const next = nextBucketMove(view);
        return next.do === "give" ? { do: "take", epoch: next.epoch + 1 } : next;
      },
    },
    finds: /two owners/,
  },
  "a late mover takes a bucket that was given to another cell": {
    rules: {
      afterBucketStep: (held, hasClients, step) =>
        step.step === "take" && !isOwner(held)
          ? { epoch: step.epoch }
          : afterBucketStep(held, hasClients, step),
    },
    finds: /two owners/,
  },
  "no mover continues after a mover was killed between the two steps": {
    rules: {
      nextBucketMove: (view) => {
        const next = nextBucketMove(view);
        return next.do === "take" ? { do: "nothing" } : next;
      },
    },
    finds: /for ever/,
  },
};

for (const [mistake, { rules, finds }] of Object.entries(mistakes))
  test(`the model detects the mistake: ${mistake}`, () => {
    const found = Object.values(fleets).map((plans) => explore(plans, { ...protocol, ...rules }).violation);
    assert.ok(
      found.some((violation) => violation && finds.test(violation)),
      `found: ${found.join("; ")}`,
    );
  });
