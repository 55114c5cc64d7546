import {
  acceptsWrites,
  applyMoveStep,
  mayCopy,
  nextMoveAction,
  routeRequest,
  homeByDirectory,
  type LocalHome,
  type StoredHome,
  type DirectoryEntries,
  type MoveStep,
  type NextMove,
} from "../../src/cells/home.ts";
import { append, firstOutside, pathTo, reachableBackwards } from "./state-graph.ts";

/** The decision functions of the product, which the model explores. A seeded bug replaces one of them. */
export const protocol = {
  acceptsWrites,
  afterStep: applyMoveStep,
  mayCopy,
  nextMoveAction,
  routeRequest,
  /** Returns whether the last copy waits until transactions from before the fence have ended. */
  waitsForWriters: (): boolean => true,
  /** Returns whether a process checks the fence in the transaction that writes, and not in a cached copy. */
  checksFenceInTransaction: (): boolean => true,
  /** Returns whether a cell permanently keeps a tombstone of a client that moved away. */
  keepsTombstones: (): boolean => true,
  /** Returns whether the mover records copied rows in the transaction that writes them, and not when it reads them. */
  recordsCopiesWithRows: (): boolean => true,
  /** Returns whether a new attempt discards the copy progress of an earlier attempt, whose copied rows are deleted. */
  discardsCopyProgress: (): boolean => true,
};
export type Protocol = typeof protocol;

const cells = ["a", "b", "c"] as const;
type Cell = (typeof cells)[number];

/** One cell's database in the model: the client's home as recorded there, and the client's writes in it, as bits. */
interface CellDatabase {
  readonly held: LocalHome;
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
  readonly goal?: "move" | "undo" | undefined;
  readonly readSource?: LocalHome | undefined;
  readonly readTarget?: LocalHome | undefined;
  readonly moverRun?: number | undefined;
  /** Whether this run has copied rows before the fence. */
  readonly hasCopied?: boolean | undefined;
  /** Writes that were read at the source and not written to the target yet. */
  readonly carried?: number | undefined;
}

interface State {
  readonly databases: Readonly<Record<Cell, CellDatabase>>;
  readonly movers: readonly Mover[];
  /** Writes that were confirmed to merchants. */
  readonly confirmed: number;
  /** The newest entry of the directory. A cell or the edge may have any earlier entry, or none. */
  readonly published?: { readonly cell: string; readonly epoch: number } | undefined;
}

/** The orders of each mover. */
export interface Plan {
  readonly source: Cell;
  readonly target: Cell;
  /** The operator's decision. With `either`, the operator may have changed it at each read. */
  readonly goal: "move" | "undo" | "either";
}

export interface ExplorationResult {
  readonly states: number;
  /** The violated invariant with the steps that lead to it; undefined when there is none. */
  readonly violation: { readonly invariant: string; readonly steps: readonly string[] } | undefined;
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
export function explore(plans: readonly Plan[], rules: Protocol = protocol): ExplorationResult {
  const first = start(plans.length);
  const predecessorOf = new Map<string, { readonly from: string; readonly label: string } | undefined>([
    [stateKey(first), undefined],
  ]);
  const queue: State[] = [first];
  /** Key → states from which progress alone leads to it. */
  const predecessors = new Map<string, string[]>();
  const servedKeys: string[] = [];
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] as State;
    const key = stateKey(state);
    const invariant = violationIn(state, rules);
    if (invariant)
      return { states: predecessorOf.size, violation: { invariant, steps: pathTo(predecessorOf, key) } };
    if (isServed(state, rules)) servedKeys.push(key);
    for (const { label, next: reached, isProgress } of edgesOf(state, plans, rules)) {
      const next = renumberMoverRuns(reached, plans);
      const nextKey = stateKey(next);
      if (isProgress) append(predecessors, nextKey, key);
      if (predecessorOf.has(nextKey)) continue;
      predecessorOf.set(nextKey, { from: key, label });
      queue.push(next);
    }
  }
  const lost = firstOutside([...predecessorOf.keys()], reachableBackwards(servedKeys, predecessors));
  const violation =
    lost === undefined
      ? undefined
      : { invariant: "permanently, no cell serves the client", steps: pathTo(predecessorOf, lost) };
  return { states: predecessorOf.size, violation };
}

function start(moverCount: number): State {
  const none = { held: { hasClient: false, ownsBucket: false }, data: 0, open: 0 };
  const home = { ...none, held: { hasClient: true, ownsBucket: true } };
  return {
    databases: { a: home, b: none, c: none },
    movers: Array.from({ length: moverCount }, () => ({})),
    confirmed: 0,
  };
}

function stateKey({ databases, movers, confirmed, published }: State): string {
  const homes = cells.map((cell) => {
    const { held, data, open, copied } = databases[cell];
    return `${heldKey(held)},${data},${open},${copied}`;
  });
  const runs = movers.map(
    ({ goal, readSource, readTarget, moverRun, hasCopied, carried }) =>
      `${goal},${readSource && heldKey(readSource)},${readTarget && heldKey(readTarget)},${moverRun},${hasCopied},${carried}`,
  );
  return [...homes, ...runs, confirmed, published?.cell, published?.epoch].join(";");
}

function heldKey({ stored, hasClient }: LocalHome): string {
  return `${hasClient}${stored?.state}${stored?.epoch}${stored?.cell}${stored?.moverRun}`;
}

/** Mover runs are counted without limit. Only their order matters, so the model renumbers those in use. */
function renumberMoverRuns(state: State, plans: readonly Plan[]): State {
  const moverRunsInUse = (cell: Cell): readonly number[] => {
    const seen = state.movers.flatMap(({ moverRun, readTarget, readSource }, index) => [
      ...(plans[index]?.target === cell ? [moverRun, readTarget?.stored?.moverRun] : []),
      ...(plans[index]?.source === cell ? [readSource?.stored?.moverRun] : []),
    ]);
    const moverRuns = [state.databases[cell].held.stored?.moverRun, ...seen].filter(
      (moverRun) => moverRun !== undefined,
    );
    return [...new Set(moverRuns)].toSorted((one, other) => one - other);
  };
  const ranks = { a: moverRunsInUse("a"), b: moverRunsInUse("b"), c: moverRunsInUse("c") };
  if (cells.every((cell) => ranks[cell].every((moverRun, rank) => moverRun === rank + 1))) return state;
  const renumber = (cell: Cell, moverRun: number | undefined): number | undefined =>
    moverRun === undefined ? undefined : ranks[cell].indexOf(moverRun) + 1;
  const held = (cell: Cell, each: LocalHome): LocalHome =>
    each.stored
      ? { ...each, stored: { ...each.stored, moverRun: renumber(cell, each.stored.moverRun) } }
      : each;
  return {
    ...state,
    databases: {
      a: { ...state.databases.a, held: held("a", state.databases.a.held) },
      b: { ...state.databases.b, held: held("b", state.databases.b.held) },
      c: { ...state.databases.c, held: held("c", state.databases.c.held) },
    },
    movers: state.movers.map((mover, index) => {
      const { source, target } = plans[index] as Plan;
      return {
        ...mover,
        moverRun: renumber(target, mover.moverRun),
        readSource: mover.readSource && held(source, mover.readSource),
        readTarget: mover.readTarget && held(target, mover.readTarget),
      };
    }),
  };
}

/** The invariant that a state violates, for every possible cached directory at the edge and in each cell. */
function violationIn(state: State, rules: Protocol): string | undefined {
  const homes = cells.filter((cell) => rules.acceptsWrites(state.databases[cell].held));
  if (homes.length > 1) return `two homes: ${homes.join(" and ")}`;
  for (const home of homes)
    if ((state.confirmed & ~state.databases[home].data) !== 0)
      return `${home} is home, and lacks a write that was reported`;
  const writing = cells.filter((cell) => state.databases[cell].open !== 0);
  const [home] = homes;
  if (home !== undefined && writing.some((cell) => cell !== home))
    return `${home} is home, and another still writes`;
  return routeViolation(state, rules);
}

/** Follows a request from the edge, with every directory that each place may have. */
function routeViolation({ databases, published }: State, rules: Protocol): string | undefined {
  const bucket = "a";
  const listings: DirectoryEntries[] = [
    {},
    { bucketOwner: bucket },
    ...(published ? [{ bucketOwner: bucket, entry: published }] : []),
  ];
  for (const atEdge of listings)
    for (const atCell of listings) {
      const cell = (homeByDirectory(atEdge) ?? "c") as Cell;
      const first = rules.routeRequest(cell, databases[cell].held, atCell, false);
      if (first === "unknown-client") return `${cell} reports permanently that the client is unknown`;
      if (typeof first === "string") continue;
      const second = rules.routeRequest(first.forward, databases[first.forward as Cell].held, atCell, true);
      if (second === "unknown-client")
        return `${first.forward} reports permanently that the client is unknown`;
      if (typeof second === "object") return `a call is forwarded twice, to ${second.forward}`;
    }
  return undefined;
}

/** Returns whether every cell serves a request that follows the newest directory, with at most one forwarding hop. */
function isServed({ databases, published }: State, rules: Protocol): boolean {
  const listed: DirectoryEntries = { bucketOwner: "a", entry: published };
  return cells.every((cell) => {
    const first = rules.routeRequest(cell, databases[cell].held, listed, false);
    if (typeof first === "string") return first === "serve";
    return rules.routeRequest(first.forward, databases[first.forward as Cell].held, listed, true) === "serve";
  });
}

function edgesOf(state: State, plans: readonly Plan[], rules: Protocol): readonly Edge[] {
  return [
    ...cells.flatMap((cell) => writeEdges(state, cell, rules)),
    ...plans.flatMap((plan, index) => moverEdges(state, plan, index, rules)),
  ];
}

function writeEdges(state: State, cell: Cell, rules: Protocol): readonly Edge[] {
  const database = state.databases[cell];
  const edges: Edge[] = [];
  const write = state.confirmed + 1;
  const mayBegin =
    rules.acceptsWrites(database.held) || (!rules.checksFenceInTransaction() && database.held.hasClient);
  const isFirst = cells.every((each) => state.databases[each].open === 0);
  if (mayBegin && isFirst && write < 2 ** writesMax)
    edges.push({
      label: `${cell}: a write passes the fence`,
      next: withDatabase(state, cell, { open: write }),
      isProgress: false,
    });
  if (database.open !== 0) {
    const committed = withDatabase(state, cell, { open: 0, data: database.data | database.open });
    edges.push({
      label: `${cell}: it commits`,
      next: { ...committed, confirmed: state.confirmed | database.open },
      isProgress: true,
    });
  }
  return edges;
}

function moverEdges(state: State, plan: Plan, index: number, rules: Protocol): readonly Edge[] {
  const mover = state.movers[index] as Mover;
  const name = `mover ${index + 1}`;
  const withMover = (next: Mover, from = state): State => ({
    ...from,
    movers: from.movers.map((each, nth) => (nth === index ? next : each)),
  });
  const killedEdge = { label: `${name} is killed`, next: withMover({}), isProgress: false };
  const edge = (label: string, next: State): readonly Edge[] => [
    { label: `${name} ${label}`, next, isProgress: true },
    killedEdge,
  ];
  const { readSource, readTarget, moverRun, hasCopied } = mover;
  if (!readSource) {
    const seen = state.databases[plan.source].held;
    const wanted = plan.goal === "either" ? (["move", "undo"] as const) : [plan.goal];
    return wanted.flatMap((wants) =>
      edge(`wants to ${wants}`, withMover({ ...mover, goal: wants, readSource: seen })),
    );
  }
  if (!readTarget)
    return edge(
      "looks at the target",
      withMover({ ...mover, readTarget: state.databases[plan.target].held }),
    );
  const action = rules.nextMoveAction({
    source: { name: plan.source, home: readSource },
    target: { name: plan.target, home: readTarget },
    goal: mover.goal ?? "move",
    moverRun,
    hasCopied: hasCopied === true,
  });
  if (!("at" in action)) return workEdges(state, { plan, mover, action, rules, withMover, edge });
  const cell = plan[action.at];
  const stateAfter = afterMoveStep(state, cell, action.do, rules);
  const isNewRun = action.do.step === "prepare";
  const moverAfter = isNewRun
    ? { moverRun: stateAfter?.databases[cell].held.stored?.moverRun }
    : { moverRun, hasCopied };
  return edge(`${action.do.step}s ${cell}`, withMover(moverAfter, stateAfter ?? state));
}

interface WorkContext {
  readonly plan: Plan;
  readonly mover: Mover;
  readonly action: Exclude<NextMove, { readonly at: unknown }>;
  readonly rules: Protocol;
  readonly withMover: (next: Mover, from?: State) => State;
  readonly edge: (label: string, next: State) => readonly Edge[];
}

/** Steps of the mover that take time: it reads, and writes later what it read. */
function workEdges(
  state: State,
  { plan, mover, action, rules, withMover, edge }: WorkContext,
): readonly Edge[] {
  const { moverRun, carried } = mover;
  if (action.work === "none") return edge("has nothing to do", withMover({}));
  const { epoch } = action;
  if (action.work === "publish") {
    const isNewer = epoch > (state.published?.epoch ?? 0);
    const published = isNewer ? { cell: plan.target, epoch } : state.published;
    return edge("publishes", withMover({}, { ...state, published }));
  }
  const isLast = action.work === "finish";
  const source = state.databases[plan.source];
  if (carried === undefined) {
    if (isLast && rules.waitsForWriters() && source.open !== 0) return [];
    const noted = rules.recordsCopiesWithRows()
      ? state
      : withDatabase(state, plan.target, { copied: source.data });
    return edge("reads the source", withMover({ ...mover, carried: source.data }, noted));
  }
  const { held, data, copied } = state.databases[plan.target];
  if (!rules.mayCopy(held, epoch, moverRun ?? 0))
    return edge("comes too late to write", withMover({ moverRun, hasCopied: true }));
  if (isLast && copied === undefined) {
    const undone = afterMoveStep(state, plan.source, { step: "undo", epoch }, rules);
    return edge("has nothing to go on with, and opens the fence", withMover({ moverRun }, undone ?? state));
  }
  // A pass writes rows that were not copied yet, and deletes copied rows that no longer existed when it read.
  const copiedRows = copied === undefined ? carried : (data | (carried & ~copied)) & carried;
  const targetAfterCopy = { data: copiedRows, copied: carried, held: { ...held, hasClient: true } };
  const written = withDatabase(state, plan.target, targetAfterCopy);
  const seal = { step: "seal", epoch, moverRun: moverRun ?? 0 } as const;
  const sealed = isLast ? (afterMoveStep(written, plan.target, seal, rules) ?? state) : written;
  return edge(
    isLast ? "writes the rest, and seals" : "writes what it read",
    withMover({ moverRun, hasCopied: true }, sealed),
  );
}

function afterMoveStep(state: State, cell: Cell, step: MoveStep, rules: Protocol): State | undefined {
  const { held } = state.databases[cell];
  const holding = rules.afterStep(held, step);
  if (!holding || holding.epoch > epochMax) return undefined;
  return withDatabase(state, cell, databaseAfter(held, holding, rules));
}

function databaseAfter(held: LocalHome, stored: StoredHome, rules: Protocol): Partial<CellDatabase> {
  if (stored.state === "gone" && !rules.keepsTombstones())
    return { held: { hasClient: false, ownsBucket: held.ownsBucket } };
  // A new attempt starts with no rows. A new mover run of the same attempt continues with the copied rows.
  const isNew = stored.state === "arriving" && held.stored?.epoch !== stored.epoch;
  if (!isNew) return { held: { ...held, stored } };
  const emptyCell = { held: { ...held, stored, hasClient: false }, data: 0 };
  return rules.discardsCopyProgress() ? { ...emptyCell, copied: undefined } : emptyCell;
}

function withDatabase(state: State, cell: Cell, change: Partial<CellDatabase>): State {
  return { ...state, databases: { ...state.databases, [cell]: { ...state.databases[cell], ...change } } };
}
