/**
 * The home of a client in the database of one cell. A cell without a row about a client's home serves the client if it
 * has the client's data. docs/decisions/0093 describes the whole protocol.
 */
export interface StoredHome {
  readonly state: HomeState;
  /** Counts the attempts to move the client. Each attempt has a unique number, whatever its target is. */
  readonly epoch: number;
  /** The other cell of the move: the target while the client is leaving or gone, the source while it is arriving. */
  readonly cell?: string | undefined;
  /**
   * Number of the mover's run that may write arriving rows (fencing). A later run excludes all earlier runs, so the
   * number never restarts.
   */
  readonly moverRun?: number | undefined;
}

/**
 * The state of a client in this cell. `here` is the only state in which the client is read or written. `leaving`: no
 * more writes, and the move can be undone. `gone`: never writable again, unless the client returns by another move.
 * `arriving`: being copied. `ready`: everything was copied after the fence, and compared.
 */
export type HomeState = "here" | "leaving" | "gone" | "arriving" | "ready";

/** Everything that a cell's own database knows about a client. */
export interface LocalHome {
  readonly stored?: StoredHome | undefined;
  /** Whether this database has the client's row of `clients`. */
  readonly hasClient: boolean;
  /** Whether this cell owns the client's bucket, so that it has a row about every client of the bucket. */
  readonly ownsBucket: boolean;
}

/** The directory's entries about a client, at this cell or at the edge proxy; they may be stale. */
export interface DirectoryEntries {
  /** The client's own entry, if it was moved. */
  readonly entry?: { readonly cell: string; readonly epoch: number } | undefined;
  /** The owner of the client's bucket. */
  readonly bucketOwner?: string | undefined;
}

/**
 * How a cell answers a request: `serve` it, forward it to another cell, answer `later` with U because the home is
 * unknown now, or answer `unknown-client` because the client does not exist.
 */
export type RequestRoute = "serve" | "later" | "unknown-client" | { readonly forward: string };

/**
 * `acceptsWrites` is the fence: it returns whether the client may be written in this cell. Each transaction that writes
 * for a client checks the row itself and not a cached copy.
 */
export function acceptsWrites({ stored, hasClient }: LocalHome): boolean {
  return hasClient && (stored === undefined || stored.state === "here");
}

/**
 * `homeByDirectory` returns the home of a client by the directory. The client's own entry comes first, because a moved
 * merchant is not at its bucket's owner.
 */
export function homeByDirectory({ entry, bucketOwner }: DirectoryEntries): string | undefined {
  return entry?.cell ?? bucketOwner;
}

/**
 * `routeRequest` decides how a cell answers a request. A forwarded request is not forwarded again, to prevent a loop
 * between two cells that each believe that the other one is the home. `unknown-client` is final, so only the owner of
 * the bucket may return it.
 */
export function routeRequest(
  ownCell: string,
  localHome: LocalHome,
  entries: DirectoryEntries,
  isForwarded: boolean,
): RequestRoute {
  const route = acceptsWrites(localHome) ? "serve" : routeToOtherCell(ownCell, localHome, entries);
  return isForwarded && typeof route === "object" ? "later" : route;
}

function routeToOtherCell(
  ownCell: string,
  { stored, ownsBucket }: LocalHome,
  { entry, bucketOwner }: DirectoryEntries,
): RequestRoute {
  if (stored) {
    if (stored.state === "leaving") return "later";
    // The later move wins, of the directory's entry and this cell's row. For the same move, the directory wins, because
    // it is updated at the end of the move.
    const isDirectoryNewer = entry && entry.cell !== ownCell && entry.epoch >= stored.epoch;
    const cell = isDirectoryNewer ? entry.cell : stored.cell;
    return cell === undefined ? "later" : { forward: cell };
  }
  if (entry && entry.cell !== ownCell) return { forward: entry.cell };
  if (ownsBucket) return "unknown-client";
  return bucketOwner === undefined || bucketOwner === ownCell ? "later" : { forward: bucketOwner };
}

/** A change that the mover makes in one database, in one transaction under the lock of the client's row. */
export type MoveStep =
  /** At the target: starts an attempt, or takes it over from another run of the mover. */
  | { readonly step: "prepare"; readonly epoch: number; readonly from: string }
  /** At the target: everything is copied and compared; no more rows are written. */
  | { readonly step: "seal"; readonly epoch: number; readonly moverRun: number }
  /** At the target: opens the client. Only allowed after the source is `gone` in this epoch. */
  | { readonly step: "settle"; readonly epoch: number }
  /** At the source: closes the fence, so that the client accepts no more writes. */
  | { readonly step: "fence"; readonly epoch: number; readonly to: string }
  /** At the source: undoes the fence, while the state is `leaving`. */
  | { readonly step: "undo"; readonly epoch: number }
  /** At the source: the client leaves permanently. Only allowed after the target is `ready` in this epoch. */
  | { readonly step: "leave"; readonly epoch: number };

/**
 * `applyMoveStep` returns the client's row after a step; undefined if the step comes too late or too early, and changes
 * nothing.
 */
export function applyMoveStep(localHome: LocalHome, step: MoveStep): StoredHome | undefined {
  const { epoch } = step;
  switch (step.step) {
    case "prepare":
      return applyPrepare(localHome, epoch, step.from);
    case "seal":
      return mayCopy(localHome, epoch, step.moverRun)
        ? { ...storedHomeOf(localHome), state: "ready", epoch }
        : undefined;
    case "settle":
      return isInState(localHome, "ready", epoch)
        ? { state: "here", epoch, moverRun: localHome.stored?.moverRun }
        : undefined;
    case "fence":
      return acceptsWrites(localHome) && epoch === epochOf(localHome) + 1
        ? { state: "leaving", epoch, cell: step.to, moverRun: localHome.stored?.moverRun }
        : undefined;
    case "undo":
      return isInState(localHome, "leaving", epoch)
        ? { state: "here", epoch, moverRun: localHome.stored?.moverRun }
        : undefined;
    case "leave":
      return isInState(localHome, "leaving", epoch)
        ? { ...storedHomeOf(localHome), state: "gone", epoch }
        : undefined;
  }
}

function applyPrepare(localHome: LocalHome, epoch: number, from: string): StoredHome | undefined {
  const { state, epoch: previousEpoch, moverRun = 0 } = storedHomeOf(localHome);
  const arriving: StoredHome = { state: "arriving", epoch, cell: from, moverRun: moverRun + 1 };
  if (!localHome.stored) return localHome.hasClient ? undefined : arriving;
  if (state === "arriving" && previousEpoch === epoch) return arriving;
  // The old row is left over from a failed attempt, or from the time when this cell was the client's home.
  return state !== "here" && state !== "leaving" && previousEpoch < epoch ? arriving : undefined;
}

/**
 * `mayCopy` returns whether a run of the mover may still write arriving rows; checked in the transaction that writes
 * them.
 */
export function mayCopy(localHome: LocalHome, epoch: number, turn: number): boolean {
  return isInState(localHome, "arriving", epoch) && localHome.stored?.moverRun === turn;
}

function epochOf({ stored }: LocalHome): number {
  return stored?.epoch ?? 0;
}

function storedHomeOf({ stored }: LocalHome): StoredHome {
  return stored ?? { state: "here", epoch: 0 };
}

function isInState({ stored }: LocalHome, state: HomeState, epoch: number): boolean {
  return stored?.state === state && stored.epoch === epoch;
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
  readonly source: { readonly name: string; readonly home: LocalHome };
  readonly target: { readonly name: string; readonly home: LocalHome };
  /** The operator's request. */
  readonly goal: "move" | "undo";
  /** The number of this run of the mover at the target. */
  readonly moverRun: number | undefined;
  /** Whether this run has copied the rows from before the fence. */
  readonly hasCopied: boolean;
}

/**
 * `nextMoveAction` decides only by the state of both databases, so that a run after a crash continues correctly. If the
 * state is stale, `applyMoveStep` refuses the step.
 */
export function nextMoveAction({ source, target, goal, moverRun, hasCopied }: MoveView): NextMove {
  const { state, epoch, cell } = storedHomeOf(source.home);
  const targetHome = target.home.stored;
  if (state === "gone") {
    if (cell !== target.name) return { work: "none" };
    if (isInState(target.home, "ready", epoch)) return { at: "target", do: { step: "settle", epoch } };
    return { work: "publish", epoch };
  }
  if (state === "leaving") {
    const isSameMove = cell === target.name && targetHome?.epoch === epoch;
    if (goal === "move" && isSameMove && targetHome?.state === "ready")
      return { at: "source", do: { step: "leave", epoch } };
    if (goal === "move" && isSameMove && targetHome?.state === "arriving")
      return targetHome.moverRun === moverRun && moverRun !== undefined
        ? { work: "finish", epoch }
        : { at: "target", do: { step: "prepare", epoch, from: source.name } };
    return cell === target.name ? { at: "source", do: { step: "undo", epoch } } : { work: "none" };
  }
  if (goal === "undo" || !acceptsWrites(source.home)) return { work: "none" };
  const next = epoch + 1;
  if (moverRun === undefined || !mayCopy(target.home, next, moverRun))
    return { at: "target", do: { step: "prepare", epoch: next, from: source.name } };
  if (!hasCopied) return { work: "copy", epoch: next };
  return { at: "source", do: { step: "fence", epoch: next, to: target.name } };
}
