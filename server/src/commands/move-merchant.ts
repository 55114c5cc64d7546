import { setTimeout as delay } from "node:timers/promises";
import { acceptsWrites, nextMove, type Holding, type MoveStep } from "../cells/home.ts";
import { updateHome } from "../cells/home.sql.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { copyWhileItSells, finishCopy, heldAt, requireNoOpenPayout, type Copying } from "./move-copy.ts";
import {
  asTx,
  cellOf,
  inTransaction,
  openEnd,
  openSource,
  requireOneTime,
  type MoveEnd,
} from "./move-end.ts";
import { clearRows, listMovedTables, type MovedTable } from "./move-rows.ts";

export interface Move {
  readonly clientId: string;
  readonly sourceUrl: string;
  readonly targetUrl: string;
  /** The cell that the target has to be; any other is refused. */
  readonly to?: string | undefined;
  readonly wants: "move" | "undo";
  /** Receives the name of the next step, before it is done. */
  readonly onStep: (step: string) => void | Promise<void>;
  /** Hears how many rows have come, and in which pass; the last one, behind the fence, is number 0. */
  readonly onRows?: (pass: number, rowCount: number) => void;
}

export interface Moved {
  readonly outcome: "moved" | "undone";
  readonly from: string;
  readonly to: string;
  readonly epoch: number;
  readonly rows: number;
  /** How often the source was read before the fence was closed. */
  readonly passes: number;
  /** How long nobody served the merchant; undefined when another run has closed the fence. */
  readonly pauseMs: number | undefined;
}

const attemptsMax = 8;
/** Connections that read tables beside each other behind the fence. */
const readersMax = 4;

/**
 * Moves a merchant from one cell's database to another's. What to do next is asked of both databases each time
 * (`nextMove`), so a run that was killed is gone on with by the next one, wherever it was.
 */
export async function moveMerchant(move: Move): Promise<Moved> {
  if (isUniverseId(move.clientId)) throw new Impossible("A universe lives and ends in one cell.");
  const { clientId, sourceUrl, targetUrl } = move;
  const open: MoveEnd[] = [];
  const kept = async (opening: Promise<MoveEnd>): Promise<MoveEnd> => {
    const end = await opening;
    open.push(end);
    return end;
  };
  try {
    const source = await kept(openSource(sourceUrl, clientId));
    const target = await kept(openEnd(targetUrl, clientId));
    const readers: MoveEnd[] = [];
    for (let nth = 1; nth <= readersMax; nth += 1) readers.push(await kept(openSource(sourceUrl, clientId)));
    return await runMove(move, { source, target, readers });
  } finally {
    await Promise.all(open.map(({ client }) => client.end()));
  }
}

type Ends = Pick<Copying, "source" | "target" | "readers">;

/** The same as an act of an operator's, with its row in the audit of the cell that the merchant has lived in. */
export async function moveMerchantAsOwner(operator: Operator, move: Omit<Move, "sourceUrl">): Promise<Moved> {
  const moved = await moveMerchant({ ...move, sourceUrl: operator.url });
  const { clientId } = move;
  return actAsOwner(operator, systemScope, async () => ({
    value: moved,
    audit: { act: "merchant move", subject: clientId, clientId, after: { ...moved } },
  }));
}

export function movedText(clientId: string, { outcome, to, rows, passes, pauseMs }: Moved): string {
  if (outcome === "undone") return `${clientId} is not being moved, and lives where it did.`;
  const pause = pauseMs === undefined ? "" : `, ${pauseMs} ms without an answer`;
  return `${clientId} lives in ${to}: ${rows} rows in ${passes} passes${pause}.`;
}

interface Run {
  turn: number | undefined;
  /** Whether this run has copied what there was before the fence. */
  hasCopied: boolean;
  rows: number;
  passes: number;
  fencedAtMs?: number;
  settledAtMs?: number;
  attempts: number;
}

async function runMove(move: Move, { source, target, readers }: Ends): Promise<Moved> {
  const { clientId, onStep, onRows = () => undefined } = move;
  const [from, to] = [await cellOf(asTx(source.client)), await cellOf(asTx(target.client))];
  const tables = await requireAlike(move, { source, target, from, to });
  const run: Run = { turn: undefined, hasCopied: false, rows: 0, passes: 0, attempts: 0 };
  const copyingIn = (epoch: number): Copying => ({
    source,
    readers,
    target,
    tables,
    epoch,
    turn: run.turn ?? 0,
    onRows: (pass, rowCount) => {
      run.rows += rowCount;
      onRows(pass, rowCount);
    },
  });
  let { wants } = move;
  for (;;) {
    const [there, here] = [await heldAt(target), await heldAt(source)];
    if (!here.hasClient && !here.holding)
      throw new Impossible(`There is no merchant ${clientId} in ${from}.`);
    const next = nextMove({
      source: { name: from, held: here },
      target: { name: to, held: there },
      wants,
      turn: run.turn,
      hasCopied: run.hasCopied,
    });
    if ("at" in next) {
      await onStep(next.do.step);
      if (next.do.step === "fence") run.fencedAtMs = performance.now();
      const holding = await takeStep(next.at === "source" ? source : target, tables, next.do);
      if (next.do.step === "prepare") takeTurn(run, holding, { clientId, to });
      if (next.do.step === "settle") run.settledAtMs = performance.now();
      continue;
    }
    await onStep(next.work);
    if (next.work === "none") return endOf(run, "undone", { from, to, epoch: 0 });
    if (next.work === "publish") return endOf(run, "moved", { from, to, epoch: next.epoch });
    if (next.work === "copy") {
      run.passes += await copyWhileItSells(copyingIn(next.epoch));
      run.hasCopied = true;
    } else if (!(await finishOrOpen(copyingIn(next.epoch)))) {
      run.attempts += 1;
      run.hasCopied = false;
      if (run.attempts >= attemptsMax) wants = "undo";
      else await delay(500 * run.attempts);
    }
  }
}

/** What both ends have to have in common: a move, one release, and the time. The tables that move. */
async function requireAlike(
  { clientId, to: wanted, wants }: Move,
  { source, target, from, to }: { source: MoveEnd; target: MoveEnd; from: string; to: string },
): Promise<readonly MovedTable[]> {
  if (wanted !== undefined && wanted !== to)
    throw new Impossible(`The database that is given for ${wanted} is that of ${to}.`);
  if (from === to) throw new Impossible(`${clientId} is to be moved to another cell, and both are ${from}.`);
  const [tables, there] = [await listMovedTables(source), await listMovedTables(target)];
  if (JSON.stringify(tables) !== JSON.stringify(there))
    throw new Impossible(`${from} and ${to} have different tables: bring both to the same release first.`);
  if (wants === "move") await requireOneTime(source, target);
  // Before anything is copied. Behind the fence it is checked again, because a payout run can begin meanwhile.
  if (wants === "move" && acceptsWrites(await heldAt(source))) await requireNoOpenPayout(source);
  return tables;
}

function takeTurn(
  run: Run,
  holding: Holding | undefined,
  { clientId, to }: { readonly clientId: string; readonly to: string },
): void {
  if (!holding)
    throw new Impossible(
      `${clientId} cannot be moved to ${to} now: it lives there, or another move has begun.`,
    );
  run.turn = holding.turn;
  run.hasCopied = false;
}

/** Opens the fence again when the rest could not be copied: whatever is wrong, the merchant does not wait for it. */
async function finishOrOpen(copying: Copying): Promise<boolean> {
  const { source, tables, epoch } = copying;
  const open = (): Promise<unknown> => takeStep(source, tables, { step: "undo", epoch });
  try {
    if (await finishCopy(copying)) return true;
  } catch (error) {
    await open().catch(() => undefined);
    throw error;
  }
  await open();
  return false;
}

function endOf(
  { rows, passes, fencedAtMs, settledAtMs }: Run,
  outcome: Moved["outcome"],
  ends: Pick<Moved, "from" | "to" | "epoch">,
): Moved {
  const pauseMs =
    fencedAtMs === undefined || settledAtMs === undefined ? undefined : Math.round(settledAtMs - fencedAtMs);
  return { outcome, ...ends, rows, passes, pauseMs };
}

/** One step in one transaction, with what belongs to it in the same database. */
async function takeStep(
  end: MoveEnd,
  tables: readonly MovedTable[],
  step: MoveStep,
): Promise<Holding | undefined> {
  const { client, clientId } = end;
  return inTransaction(end, "", async () => {
    const { hasClient, holding: before } = await heldAt(end);
    const holding = await updateHome(asTx(client), { clientId, hasClient }, step);
    // What is left of another attempt, or of the time when the merchant lived here.
    if (holding && step.step === "prepare" && before?.epoch !== step.epoch)
      for (const table of tables.toReversed()) await clearRows(end, table);
    // Its new home has them: nobody here is to try them in vain.
    if (holding && step.step === "leave")
      await client.query("delete from jobs where client_id = $1", [clientId]);
    return holding;
  });
}
