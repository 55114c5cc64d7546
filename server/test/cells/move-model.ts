import {
  acceptsWrites,
  afterStep,
  mayCopy,
  nextMoveAction,
  routeRequest,
  listedHome,
  type Held,
  type Holding,
  type Listed,
  type MoveStep,
  type NextMove,
} from "../../src/cells/home.ts";

/** The decision functions of the product, which the model explores. A seeded bug replaces one of them. */
export const protocol = {
  acceptsWrites,
  afterStep,
  mayCopy,
  nextMoveAction,
  routeRequest,
  /** Returns whether the last copy waits until transactions from before the fence have ended. */
  waitsForWriters: (): boolean => true,
  /** Returns whether a process checks the fence in the transaction that writes, and not in a cached copy. */
  asksInTransaction: (): boolean => true,
  /** Returns whether a cell permanently keeps a tombstone of a client that moved away. */
  keepsTombstones: (): boolean => true,
  /** Returns whether the mover records copied rows in the transaction that writes them, and not when it reads them. */
  notesCopiesWithRows: (): boolean => true,
  /** Returns whether a new attempt discards the copy progress of an earlier attempt, whose copied rows are deleted. */
  forgetsCopies: (): boolean => true,
};
export type Protocol = typeof protocol;

const cells = ["a", "b", "c"] as const;
type Cell = (typeof cells)[number];

/** One cell's database in the model: the client's home as recorded there, and the client's writes in it, as bits. */
interface Place {
  readonly held: Held;
  readonly data: number;
  /** The write of a transaction that has passed the fence and is not committed yet. */
  readonly open: number;
  /** In the target: writes that mover runs have copied in this attempt. The next pass copies only the other writes. */
  readonly copied?: number | undefined;
}

/**
 * A run of the mover. It reads the source, then the target, then acts on what it read. It may be killed at any step.
 */
interface Mover {
  readonly wants?: "move" | "undo" | undefined;
  readonly sawSource?: Held | undefined;
  readonly sawTarget?: Held | undefined;
  readonly turn?: number | undefined;
  /** Whether this run has copied rows before the fence. */
  readonly hasCopied?: boolean | undefined;
  /** Writes that were read at the source and not written to the target yet. */
  readonly carries?: number | undefined;
}

interface State {
  readonly places: Readonly<Record<Cell, Place>>;
  readonly movers: readonly Mover[];
  /** Writes that were confirmed to merchants. */
  readonly told: number;
  /** The newest entry of the directory. A cell or the edge may have any earlier entry, or none. */
  readonly published?: { readonly cell: string; readonly epoch: number } | undefined;
}

/** The orders of each mover. */
export interface Plan {
  readonly source: Cell;
  readonly target: Cell;
  /** The operator's decision. With `either`, the operator may have changed it at each read. */
  readonly wants: "move" | "undo" | "either";
}

export interface Explored {
  readonly states: number;
  /** The violated invariant with the steps that lead to it; undefined when there is none. */
  readonly violation: { readonly what: string; readonly way: readonly string[] } | undefined;
}

/** The number of move attempts that the model explores. In reality there is no limit. */
const epochMax = 2;
const writesMax = 2;

interface Edge {
  readonly label: string;
  readonly next: State;
  /** True if the step is progress. The kill of a mover is no progress. */
  readonly isProgress: boolean;
}

/**
 * Explores every interleaving of merchants, movers and crashes, breadth first, so that the steps to a violation are the
 * fewest.
 */
export function explore(plans: readonly Plan[], rules: Protocol = protocol): Explored {
  const first = start(plans.length);
  const ways = new Map<string, { readonly from: string; readonly label: string } | undefined>([
    [keyOf(first), undefined],
  ]);
  const queue: State[] = [first];
  /** Key → states from which progress alone leads to it. */
  const before = new Map<string, string[]>();
  const good: string[] = [];
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] as State;
    const key = keyOf(state);
    const what = violationIn(state, rules);
    if (what) return { states: ways.size, violation: { what, way: wayTo(ways, key) } };
    if (isServed(state, rules)) good.push(key);
    for (const { label, next: reached, isProgress } of edgesOf(state, plans, rules)) {
      const next = withSmallTurns(reached, plans);
      const nextKey = keyOf(next);
      if (isProgress) append(before, nextKey, key);
      if (ways.has(nextKey)) continue;
      ways.set(nextKey, { from: key, label });
      queue.push(next);
    }
  }
  const lost = firstOutside([...ways.keys()], reachedBackwards(good, before));
  const violation =
    lost === undefined
      ? undefined
      : { what: "nobody serves the client any more, for ever", way: wayTo(ways, lost) };
  return { states: ways.size, violation };
}

function start(moverCount: number): State {
  const none = { held: { hasClient: false, ownsBucket: false }, data: 0, open: 0 };
  const home = { ...none, held: { hasClient: true, ownsBucket: true } };
  return {
    places: { a: home, b: none, c: none },
    movers: Array.from({ length: moverCount }, () => ({})),
    told: 0,
  };
}

function keyOf({ places, movers, told, published }: State): string {
  const homes = cells.map((cell) => {
    const { held, data, open, copied } = places[cell];
    return `${heldKey(held)},${data},${open},${copied}`;
  });
  const runs = movers.map(
    ({ wants, sawSource, sawTarget, turn, hasCopied, carries }) =>
      `${wants},${sawSource && heldKey(sawSource)},${sawTarget && heldKey(sawTarget)},${turn},${hasCopied},${carries}`,
  );
  return [...homes, ...runs, told, published?.cell, published?.epoch].join(";");
}

function heldKey({ holding, hasClient }: Held): string {
  return `${hasClient}${holding?.state}${holding?.epoch}${holding?.cell}${holding?.turn}`;
}

/** Turns are counted without limit. Only their order matters, so the model renumbers those in use. */
function withSmallTurns(state: State, plans: readonly Plan[]): State {
  const inUse = (cell: Cell): readonly number[] => {
    const seen = state.movers.flatMap(({ turn, sawTarget, sawSource }, index) => [
      ...(plans[index]?.target === cell ? [turn, sawTarget?.holding?.turn] : []),
      ...(plans[index]?.source === cell ? [sawSource?.holding?.turn] : []),
    ]);
    const turns = [state.places[cell].held.holding?.turn, ...seen].filter((turn) => turn !== undefined);
    return [...new Set(turns)].toSorted((one, other) => one - other);
  };
  const ranks = { a: inUse("a"), b: inUse("b"), c: inUse("c") };
  if (cells.every((cell) => ranks[cell].every((turn, rank) => turn === rank + 1))) return state;
  const small = (cell: Cell, turn: number | undefined): number | undefined =>
    turn === undefined ? undefined : ranks[cell].indexOf(turn) + 1;
  const held = (cell: Cell, each: Held): Held =>
    each.holding ? { ...each, holding: { ...each.holding, turn: small(cell, each.holding.turn) } } : each;
  return {
    ...state,
    places: {
      a: { ...state.places.a, held: held("a", state.places.a.held) },
      b: { ...state.places.b, held: held("b", state.places.b.held) },
      c: { ...state.places.c, held: held("c", state.places.c.held) },
    },
    movers: state.movers.map((mover, index) => {
      const { source, target } = plans[index] as Plan;
      return {
        ...mover,
        turn: small(target, mover.turn),
        sawSource: mover.sawSource && held(source, mover.sawSource),
        sawTarget: mover.sawTarget && held(target, mover.sawTarget),
      };
    }),
  };
}

/** The invariant that a state violates, for every possible cached directory at the edge and in each cell. */
function violationIn(state: State, rules: Protocol): string | undefined {
  const homes = cells.filter((cell) => rules.acceptsWrites(state.places[cell].held));
  if (homes.length > 1) return `two homes: ${homes.join(" and ")}`;
  for (const home of homes)
    if ((state.told & ~state.places[home].data) !== 0)
      return `${home} is home, and lacks a write that was told`;
  const writing = cells.filter((cell) => state.places[cell].open !== 0);
  const [home] = homes;
  if (home !== undefined && writing.some((cell) => cell !== home))
    return `${home} is home, and another still writes`;
  return wrongRoute(state, rules);
}

/** Follows a request from the edge, with every directory that each place may have. */
function wrongRoute({ places, published }: State, rules: Protocol): string | undefined {
  const bucket = "a";
  const remembered: Listed[] = [{}, { bucket }, ...(published ? [{ bucket, client: published }] : [])];
  for (const atEdge of remembered)
    for (const atCell of remembered) {
      const arrived = (listedHome(atEdge) ?? "c") as Cell;
      const first = rules.routeRequest(arrived, places[arrived].held, atCell, false);
      if (first === "unknown-client") return `${arrived} says for ever that there is no such client`;
      if (typeof first === "string") continue;
      const second = rules.routeRequest(first.forward, places[first.forward as Cell].held, atCell, true);
      if (second === "unknown-client") return `${first.forward} says for ever that there is no such client`;
      if (typeof second === "object") return `a call is forwarded twice, to ${second.forward}`;
    }
  return undefined;
}

/** Returns whether every cell serves a request that follows the newest directory, with at most one forwarding hop. */
function isServed({ places, published }: State, rules: Protocol): boolean {
  const listed: Listed = { bucket: "a", client: published };
  return cells.every((cell) => {
    const first = rules.routeRequest(cell, places[cell].held, listed, false);
    if (typeof first === "string") return first === "serve";
    return rules.routeRequest(first.forward, places[first.forward as Cell].held, listed, true) === "serve";
  });
}

function edgesOf(state: State, plans: readonly Plan[], rules: Protocol): readonly Edge[] {
  return [
    ...cells.flatMap((cell) => writes(state, cell, rules)),
    ...plans.flatMap((plan, index) => moves(state, plan, index, rules)),
  ];
}

function writes(state: State, cell: Cell, rules: Protocol): readonly Edge[] {
  const place = state.places[cell];
  const edges: Edge[] = [];
  const write = state.told + 1;
  const mayBegin = rules.acceptsWrites(place.held) || (!rules.asksInTransaction() && place.held.hasClient);
  const isFirst = cells.every((each) => state.places[each].open === 0);
  if (mayBegin && isFirst && write < 2 ** writesMax)
    edges.push({
      label: `${cell}: a write passes the fence`,
      next: put(state, cell, { open: write }),
      isProgress: false,
    });
  if (place.open !== 0) {
    const committed = put(state, cell, { open: 0, data: place.data | place.open });
    edges.push({
      label: `${cell}: it commits`,
      next: { ...committed, told: state.told | place.open },
      isProgress: true,
    });
  }
  return edges;
}

function moves(state: State, plan: Plan, index: number, rules: Protocol): readonly Edge[] {
  const mover = state.movers[index] as Mover;
  const name = `mover ${index + 1}`;
  const become = (next: Mover, from = state): State => ({
    ...from,
    movers: from.movers.map((each, nth) => (nth === index ? next : each)),
  });
  const killed = { label: `${name} is killed`, next: become({}), isProgress: false };
  const edge = (label: string, next: State): readonly Edge[] => [
    { label: `${name} ${label}`, next, isProgress: true },
    killed,
  ];
  const { sawSource, sawTarget, turn, hasCopied } = mover;
  if (!sawSource) {
    const seen = state.places[plan.source].held;
    const wanted = plan.wants === "either" ? (["move", "undo"] as const) : [plan.wants];
    return wanted.flatMap((wants) => edge(`wants to ${wants}`, become({ ...mover, wants, sawSource: seen })));
  }
  if (!sawTarget)
    return edge("looks at the target", become({ ...mover, sawTarget: state.places[plan.target].held }));
  const todo = rules.nextMoveAction({
    source: { name: plan.source, held: sawSource },
    target: { name: plan.target, held: sawTarget },
    wants: mover.wants ?? "move",
    turn,
    hasCopied: hasCopied === true,
  });
  if (!("at" in todo)) return worked(state, { plan, mover, todo, rules, become, edge });
  const cell = plan[todo.at];
  const done = stepped(state, cell, todo.do, rules);
  const isTurn = todo.do.step === "prepare";
  const kept = isTurn ? { turn: done?.places[cell].held.holding?.turn } : { turn, hasCopied };
  return edge(`${todo.do.step}s ${cell}`, become(kept, done ?? state));
}

interface Work {
  readonly plan: Plan;
  readonly mover: Mover;
  readonly todo: Exclude<NextMove, { readonly at: unknown }>;
  readonly rules: Protocol;
  readonly become: (next: Mover, from?: State) => State;
  readonly edge: (label: string, next: State) => readonly Edge[];
}

/** Steps of the mover that take time: it reads, and writes later what it read. */
function worked(state: State, { plan, mover, todo, rules, become, edge }: Work): readonly Edge[] {
  const { turn, carries } = mover;
  if (todo.work === "none") return edge("has nothing to do", become({}));
  const { epoch } = todo;
  if (todo.work === "publish") {
    const isNewer = epoch > (state.published?.epoch ?? 0);
    const published = isNewer ? { cell: plan.target, epoch } : state.published;
    return edge("publishes", become({}, { ...state, published }));
  }
  const isLast = todo.work === "finish";
  const source = state.places[plan.source];
  if (carries === undefined) {
    if (isLast && rules.waitsForWriters() && source.open !== 0) return [];
    const noted = rules.notesCopiesWithRows() ? state : put(state, plan.target, { copied: source.data });
    return edge("reads the source", become({ ...mover, carries: source.data }, noted));
  }
  const { held, data, copied } = state.places[plan.target];
  if (!rules.mayCopy(held, epoch, turn ?? 0))
    return edge("comes too late to write", become({ turn, hasCopied: true }));
  if (isLast && copied === undefined) {
    const undone = stepped(state, plan.source, { step: "undo", epoch }, rules);
    return edge("has nothing to go on with, and opens the fence", become({ turn }, undone ?? state));
  }
  // A pass writes rows that were not copied yet, and deletes copied rows that no longer existed when it read.
  const brought = copied === undefined ? carries : (data | (carries & ~copied)) & carries;
  const arrived = { data: brought, copied: carries, held: { ...held, hasClient: true } };
  const written = put(state, plan.target, arrived);
  const seal = { step: "seal", epoch, turn: turn ?? 0 } as const;
  const sealed = isLast ? (stepped(written, plan.target, seal, rules) ?? state) : written;
  return edge(
    isLast ? "writes the rest, and seals" : "writes what it read",
    become({ turn, hasCopied: true }, sealed),
  );
}

function stepped(state: State, cell: Cell, step: MoveStep, rules: Protocol): State | undefined {
  const { held } = state.places[cell];
  const holding = rules.afterStep(held, step);
  if (!holding || holding.epoch > epochMax) return undefined;
  return put(state, cell, afterwards(held, holding, rules));
}

function afterwards(held: Held, holding: Holding, rules: Protocol): Partial<Place> {
  if (holding.state === "gone" && !rules.keepsTombstones())
    return { held: { hasClient: false, ownsBucket: held.ownsBucket } };
  // A new attempt starts with no rows. A new turn of the same attempt continues with the copied rows.
  const isNew = holding.state === "arriving" && held.holding?.epoch !== holding.epoch;
  if (!isNew) return { held: { ...held, holding } };
  const emptied = { held: { ...held, holding, hasClient: false }, data: 0 };
  return rules.forgetsCopies() ? { ...emptied, copied: undefined } : emptied;
}

function put(state: State, cell: Cell, change: Partial<Place>): State {
  return { ...state, places: { ...state.places, [cell]: { ...state.places[cell], ...change } } };
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function reachedBackwards(
  from: readonly string[],
  before: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set(from);
  const queue = [...from];
  for (let key = queue.pop(); key !== undefined; key = queue.pop())
    for (const earlier of before.get(key) ?? [])
      if (!reached.has(earlier)) {
        reached.add(earlier);
        queue.push(earlier);
      }
  return reached;
}

function firstOutside(keys: readonly string[], inside: ReadonlySet<string>): string | undefined {
  return keys.find((key) => !inside.has(key));
}

function wayTo(
  ways: ReadonlyMap<string, { readonly from: string; readonly label: string } | undefined>,
  key: string,
): readonly string[] {
  const labels: string[] = [];
  for (let way = ways.get(key); way; way = ways.get(way.from)) labels.unshift(way.label);
  return labels;
}
