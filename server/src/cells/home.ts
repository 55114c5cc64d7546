/**
 * The home of a client in the database of one cell. A cell without a row about a client's home serves the client if it
 * has the client's data. docs/decisions/0093 describes the whole protocol.
 */
export interface Holding {
  readonly state: HomeState;
  /** Counts the attempts to move the client. Each attempt has a unique number, whatever its target is. */
  readonly epoch: number;
  /** The other cell of the move: the target while the client is leaving or gone, the source while it is arriving. */
  readonly cell?: string | undefined;
  /**
   * Number of the mover's run that may write arriving rows (fencing). A later run excludes all earlier runs, so the
   * number never restarts.
   */
  readonly turn?: number | undefined;
}

/**
 * The state of a client in this cell. `here` is the only state in which the client is read or written. `leaving`: no
 * more writes, and the move can be undone. `gone`: never writable again, unless the client returns by another move.
 * `arriving`: being copied. `ready`: everything was copied after the fence, and compared.
 */
export type HomeState = "here" | "leaving" | "gone" | "arriving" | "ready";

/** Everything that a cell's own database knows about a client. */
export interface Held {
  readonly holding?: Holding | undefined;
  /** Whether this database has the client's row of `clients`. */
  readonly hasClient: boolean;
  /** Whether this cell owns the client's bucket, so that it has a row about every client of the bucket. */
  readonly ownsBucket: boolean;
}

/** The directory's entries about a client, at this cell or at the edge proxy; they may be stale. */
export interface Listed {
  /** The client's own entry, if it was moved. */
  readonly client?: { readonly cell: string; readonly epoch: number } | undefined;
  /** The owner of the client's bucket. */
  readonly bucket?: string | undefined;
}

/**
 * How a cell answers a request: `serve` it, forward it to another cell, answer `later` with U because the home is
 * unknown now, or answer `unknown-client` because the client does not exist.
 */
export type Answerer = "serve" | "later" | "unknown-client" | { readonly forward: string };

/**
 * `acceptsWrites` is the fence: it returns whether the client may be written in this cell. Each transaction that writes
 * for a client checks the row itself and not a cached copy.
 */
export function acceptsWrites({ holding, hasClient }: Held): boolean {
  return hasClient && (holding === undefined || holding.state === "here");
}

/**
 * `listedHome` returns the home of a client by the directory. The client's own entry comes first, because a moved
 * merchant is not at its bucket's owner.
 */
export function listedHome({ client, bucket }: Listed): string | undefined {
  return client?.cell ?? bucket;
}

/**
 * `routeRequest` decides how a cell answers a request. A forwarded request is not forwarded again, to prevent a loop
 * between two cells that each believe that the other one is the home. `unknown-client` is final, so only the owner of the
 * bucket may return it.
 */
export function routeRequest(me: string, held: Held, listed: Listed, isForwarded: boolean): Answerer {
  const answer = acceptsWrites(held) ? "serve" : elsewhere(me, held, listed);
  return isForwarded && typeof answer === "object" ? "later" : answer;
}

function elsewhere(me: string, { holding, ownsBucket }: Held, { client, bucket }: Listed): Answerer {
  if (holding) {
    if (holding.state === "leaving") return "later";
    // The later move wins, of the directory's entry and this cell's row. For the same move, the directory wins, because
    // it is updated at the end of the move.
    const isTold = client && client.cell !== me && client.epoch >= holding.epoch;
    const cell = isTold ? client.cell : holding.cell;
    return cell === undefined ? "later" : { forward: cell };
  }
  if (client && client.cell !== me) return { forward: client.cell };
  if (ownsBucket) return "unknown-client";
  return bucket === undefined || bucket === me ? "later" : { forward: bucket };
}

/** A change that the mover makes in one database, in one transaction under the lock of the client's row. */
export type MoveStep =
  /** At the target: starts an attempt, or takes it over from another run of the mover. */
  | { readonly step: "prepare"; readonly epoch: number; readonly from: string }
  /** At the target: everything is copied and compared; no more rows are written. */
  | { readonly step: "seal"; readonly epoch: number; readonly turn: number }
  /** At the target: opens the client. Only allowed after the source is `gone` in this epoch. */
  | { readonly step: "settle"; readonly epoch: number }
  /** At the source: closes the fence, so that the client accepts no more writes. */
  | { readonly step: "fence"; readonly epoch: number; readonly to: string }
  /** At the source: undoes the fence, while the state is `leaving`. */
  | { readonly step: "undo"; readonly epoch: number }
  /** At the source: the client leaves permanently. Only allowed after the target is `ready` in this epoch. */
  | { readonly step: "leave"; readonly epoch: number };

/**
 * `afterStep` returns the client's row after a step; undefined if the step comes too late or too early, and changes
 * nothing.
 */
export function afterStep(held: Held, step: MoveStep): Holding | undefined {
  const { epoch } = step;
  switch (step.step) {
    case "prepare":
      return afterPrepare(held, epoch, step.from);
    case "seal":
      return mayCopy(held, epoch, step.turn) ? { ...of(held), state: "ready", epoch } : undefined;
    case "settle":
      return isAt(held, "ready", epoch) ? { state: "here", epoch, turn: held.holding?.turn } : undefined;
    case "fence":
      return acceptsWrites(held) && epoch === epochOf(held) + 1
        ? { state: "leaving", epoch, cell: step.to, turn: held.holding?.turn }
        : undefined;
    case "undo":
      return isAt(held, "leaving", epoch) ? { state: "here", epoch, turn: held.holding?.turn } : undefined;
    case "leave":
      return isAt(held, "leaving", epoch) ? { ...of(held), state: "gone", epoch } : undefined;
  }
}

function afterPrepare(held: Held, epoch: number, from: string): Holding | undefined {
  const { state, epoch: before, turn = 0 } = of(held);
  const begun: Holding = { state: "arriving", epoch, cell: from, turn: turn + 1 };
  if (!held.holding) return held.hasClient ? undefined : begun;
  if (state === "arriving" && before === epoch) return begun;
  // The old row is left over from a failed attempt, or from the time when this cell was the client's home.
  return state !== "here" && state !== "leaving" && before < epoch ? begun : undefined;
}

/**
 * `mayCopy` returns whether a run of the mover may still write arriving rows; checked in the transaction that writes
 * them.
 */
export function mayCopy(held: Held, epoch: number, turn: number): boolean {
  return isAt(held, "arriving", epoch) && held.holding?.turn === turn;
}

function epochOf({ holding }: Held): number {
  return holding?.epoch ?? 0;
}

function of({ holding }: Held): Holding {
  return holding ?? { state: "here", epoch: 0 };
}

function isAt({ holding }: Held, state: HomeState, epoch: number): boolean {
  return holding?.state === state && holding.epoch === epoch;
}

/** The mover's next action: a step in one of the two databases, or a longer task. */
export type NextMove =
  | { readonly at: "source" | "target"; readonly do: MoveStep }
  /** Copy the client's rows, and then the changes since the copy, until few are missing. Then close the fence. */
  | { readonly work: "copy"; readonly epoch: number }
  /** After the fence is closed: wait for transactions from before it, copy the rest, compare, and seal. */
  | { readonly work: "finish"; readonly epoch: number }
  /** Write the new home into the directory; the move is done. */
  | { readonly work: "publish"; readonly epoch: number }
  /** Nothing to move, and nothing to undo. */
  | { readonly work: "none" };

export interface MoveView {
  readonly source: { readonly name: string; readonly held: Held };
  readonly target: { readonly name: string; readonly held: Held };
  /** The operator's request. */
  readonly wants: "move" | "undo";
  /** The number of this run of the mover at the target. */
  readonly turn: number | undefined;
  /** Whether this run has copied the rows from before the fence. */
  readonly hasCopied: boolean;
}

/**
 * `nextMoveAction` decides only by the state of both databases, so that a run after a crash continues correctly. If the
 * state is stale, `afterStep` refuses the step.
 */
export function nextMoveAction({ source, target, wants, turn, hasCopied }: MoveView): NextMove {
  const { state, epoch, cell } = of(source.held);
  const there = target.held.holding;
  if (state === "gone") {
    if (cell !== target.name) return { work: "none" };
    if (isAt(target.held, "ready", epoch)) return { at: "target", do: { step: "settle", epoch } };
    return { work: "publish", epoch };
  }
  if (state === "leaving") {
    const isOurs = cell === target.name && there?.epoch === epoch;
    if (wants === "move" && isOurs && there?.state === "ready")
      return { at: "source", do: { step: "leave", epoch } };
    if (wants === "move" && isOurs && there?.state === "arriving")
      return there.turn === turn && turn !== undefined
        ? { work: "finish", epoch }
        : { at: "target", do: { step: "prepare", epoch, from: source.name } };
    return cell === target.name ? { at: "source", do: { step: "undo", epoch } } : { work: "none" };
  }
  if (wants === "undo" || !acceptsWrites(source.held)) return { work: "none" };
  const next = epoch + 1;
  if (turn === undefined || !mayCopy(target.held, next, turn))
    return { at: "target", do: { step: "prepare", epoch: next, from: source.name } };
  if (!hasCopied) return { work: "copy", epoch: next };
  return { at: "source", do: { step: "fence", epoch: next, to: target.name } };
}
