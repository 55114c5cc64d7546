/**
 * Where a client lives, as the database of one cell knows it. A cell that has no row about a client serves it if it has
 * its data, and otherwise has nothing to do with it. docs/decisions/0093 tells the whole protocol.
 */
export interface Holding {
  readonly state: HomeState;
  /** Counts the attempts to move the client: each attempt has a number that no other has, wherever it leads. */
  readonly epoch: number;
  /** The other cell: where it leaves for or has gone to, or comes from. */
  readonly cell?: string | undefined;
  /** Which run of the mover may write what arrives; a later one shuts out all before it, so it never counts anew. */
  readonly turn?: number | undefined;
}

/**
 * `here` is the only state in which anything is read or written for the client. `leaving`: nothing more is written, and the
 * way back is open. `gone`: it never accepts anything again, unless the client arrives once more. `arriving`: being copied.
 * `ready`: all of it was copied after the fence, and compared.
 */
export type HomeState = "here" | "leaving" | "gone" | "arriving" | "ready";

/** All that a cell's own database says about a client. */
export interface Held {
  readonly holding?: Holding | undefined;
  /** Whether its rows are here: one of `clients`. */
  readonly hasClient: boolean;
  /** Whether the client's bucket is this cell's: then it has a row about every client of the bucket that there is. */
  readonly ownsBucket: boolean;
}

/** What the directory says about a client, at this cell or at the edge; it may be old. */
export interface Listed {
  /** The client's own entry: it was moved. */
  readonly client?: { readonly cell: string; readonly epoch: number } | undefined;
  /** The cell of its bucket. */
  readonly bucket?: string | undefined;
}

/** What becomes of a call. It is answered by this cell, another one, nobody now, or nobody ever. */
export type Answerer = "serve" | "later" | "nobody" | { readonly forward: string };

/** The fence. Whoever writes for a client asks this in its transaction, of the row and not of a copy. */
export function acceptsWrites({ holding, hasClient }: Held): boolean {
  return hasClient && (holding === undefined || holding.state === "here");
}

/** The client's own entry first: a moved merchant is not where its bucket is. */
export function listedHome({ client, bucket }: Listed): string | undefined {
  return client?.cell ?? bucket;
}

/**
 * What a cell does with a call. A call that another cell has forwarded is not forwarded again, so that two cells that each
 * think the other has the client cannot play ball with it. "Nobody" is final, so only the owner of the bucket says it.
 */
export function whoAnswers(me: string, held: Held, listed: Listed, isForwarded: boolean): Answerer {
  const answer = acceptsWrites(held) ? "serve" : elsewhere(me, held, listed);
  return isForwarded && typeof answer === "object" ? "later" : answer;
}

function elsewhere(me: string, { holding, ownsBucket }: Held, { client, bucket }: Listed): Answerer {
  if (holding) {
    if (holding.state === "leaving") return "later";
    // The later move counts, whoever heard of it; of the same one, whoever heard how it ended.
    const isTold = client && client.cell !== me && client.epoch >= holding.epoch;
    const cell = isTold ? client.cell : holding.cell;
    return cell === undefined ? "later" : { forward: cell };
  }
  if (client && client.cell !== me) return { forward: client.cell };
  if (ownsBucket) return "nobody";
  return bucket === undefined || bucket === me ? "later" : { forward: bucket };
}

/** What the mover does to one database, each in one transaction under the lock of the client's row. */
export type MoveStep =
  /** At the target: begins an attempt, or takes it over from another run of the mover. */
  | { readonly step: "prepare"; readonly epoch: number; readonly from: string }
  /** At the target: all is copied and compared; nothing more is written. */
  | { readonly step: "seal"; readonly epoch: number; readonly turn: number }
  /** At the target: opens. Only after the source is `gone` in this epoch. */
  | { readonly step: "settle"; readonly epoch: number }
  /** At the source: nothing is written from now on. */
  | { readonly step: "fence"; readonly epoch: number; readonly to: string }
  /** At the source: the way back, as long as it is only leaving. */
  | { readonly step: "undo"; readonly epoch: number }
  /** At the source: for good. Only after the target is `ready` in this epoch. */
  | { readonly step: "leave"; readonly epoch: number };

/** The row about the client after a step; undefined when the step comes too late, or too early, and changes nothing. */
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
  // What is left of an attempt that came to nothing, or of the time when the client lived here.
  return state !== "here" && state !== "leaving" && before < epoch ? begun : undefined;
}

/** Whether a run of the mover may still write rows that arrive; asked in the transaction that writes them. */
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

/** What a mover does next: a step at one of the two databases, or a longer piece of work. */
export type NextMove =
  | { readonly at: "source" | "target"; readonly do: MoveStep }
  /** Copy what is there, and what changes meanwhile, until little is missing. Then fence. */
  | { readonly work: "copy"; readonly epoch: number }
  /** Behind the fence: wait for transactions from before it, copy the rest, compare, and seal. */
  | { readonly work: "finish"; readonly epoch: number }
  /** Write the new home into the directory; the move is done. */
  | { readonly work: "publish"; readonly epoch: number }
  /** Nothing is moved, and nothing is left to be undone. */
  | { readonly work: "none" };

export interface MoveView {
  readonly source: { readonly name: string; readonly held: Held };
  readonly target: { readonly name: string; readonly held: Held };
  /** What the operator wants. */
  readonly wants: "move" | "undo";
  /** The turn that this run of the mover has taken at the target. */
  readonly turn: number | undefined;
  /** Whether this run has copied what there was before the fence. */
  readonly hasCopied: boolean;
}

/**
 * What to do next, by what both databases say alone: whoever runs the mover after a crash finds the same. It may have
 * looked a while ago; `afterStep` then refuses.
 */
export function nextMove({ source, target, wants, turn, hasCopied }: MoveView): NextMove {
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
