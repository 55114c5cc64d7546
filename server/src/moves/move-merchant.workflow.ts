import { setTimeout as delay } from "node:timers/promises";
import { acceptsWrites, nextMoveAction, type Holding, type MoveStep } from "../cells/home.ts";
import { updateHome } from "../cells/home.sql.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, type Operator } from "../operator-session/as-owner.ts";
import { CommandFailed } from "../core/command-errors.ts";
import {
  copyWhileServing,
  finishCopy,
  heldAt,
  requireNoOpenPayout,
  type Copying,
} from "./move-copy.workflow.ts";
import {
  asTx,
  cellOf,
  inTransaction,
  openEnd,
  openSource,
  requireSynchronizedClocks,
  type MoveEnd,
} from "./move-end.workflow.ts";
import { clearRows, listMovedTables, type MovedTable } from "./move-rows.workflow.ts";

export interface Move {
  readonly clientId: string;
  readonly sourceUrl: string;
  readonly targetUrl: string;
  /** The required name of the target cell; a move to any other cell is rejected. */
  readonly to?: string | undefined;
  readonly wants: "move" | "undo";
  /** Called with the name of the next step, before it is made. */
  readonly onStep: (step: string) => void | Promise<void>;
  /**
   * Called with the number of copied rows, and with the pass; the last pass, after the fence is closed, is number 0.
   */
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
  /** How long no cell served the merchant, in milliseconds; undefined if another run closed the fence. */
  readonly pauseMs: number | undefined;
}

const attemptsMax = 8;
/** Number of connections that read tables in parallel after the fence is closed. */
const readersMax = 4;

/**
 * `moveMerchant` moves a merchant from one cell's database to another's. Each step depends only on the state of both
 * databases (`nextMoveAction`), so the next run continues a killed run at any point.
 */
export async function moveMerchant(move: Move): Promise<Moved> {
  if (isUniverseId(move.clientId))
    throw new CommandFailed("An isolated test merchant cannot be moved to another cell.");
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

/**
 * `moveMerchantAsOwner` moves a merchant like `moveMerchant`, as an operator's action, with a row in the audit log of
 * the merchant's old cell.
 */
export async function moveMerchantAsOwner(operator: Operator, move: Omit<Move, "sourceUrl">): Promise<Moved> {
  const moved = await moveMerchant({ ...move, sourceUrl: operator.url });
  const { clientId } = move;
  return actAsOwner(operator, systemScope, async () => ({
    value: moved,
    audit: { act: "merchant move", subject: clientId, clientId, after: { ...moved } },
  }));
}

export function movedText(clientId: string, { outcome, to, rows, passes, pauseMs }: Moved): string {
  if (outcome === "undone") return `${clientId} is not moving, and stays in its cell.`;
  const pause = pauseMs === undefined ? "" : `, ${pauseMs} ms without service`;
  return `${clientId} is now in cell ${to}: ${rows} rows in ${passes} passes${pause}.`;
}

interface Run {
  turn: number | undefined;
  /** Whether this run has copied the rows from before the fence. */
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
  const tables = await requireCompatibleEnds(move, { source, target, from, to });
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
      throw new CommandFailed(`Cell ${from} has no merchant ${clientId}.`);
    const next = nextMoveAction({
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
      run.passes += await copyWhileServing(copyingIn(next.epoch));
      run.hasCopied = true;
    } else if (!(await finishOrReopen(copyingIn(next.epoch)))) {
      run.attempts += 1;
      run.hasCopied = false;
      if (run.attempts >= attemptsMax) wants = "undo";
      else await delay(500 * run.attempts);
    }
  }
}

/** `requireCompatibleEnds` checks that both ends have the same release and the same time. It returns the tables that move. */
async function requireCompatibleEnds(
  { clientId, to: wanted, wants }: Move,
  { source, target, from, to }: { source: MoveEnd; target: MoveEnd; from: string; to: string },
): Promise<readonly MovedTable[]> {
  if (wanted !== undefined && wanted !== to)
    throw new CommandFailed(`The given database of cell ${wanted} belongs to cell ${to}.`);
  if (from === to)
    throw new CommandFailed(`${clientId} is already in cell ${from}: source and target are the same cell.`);
  const [tables, there] = [await listMovedTables(source), await listMovedTables(target)];
  if (JSON.stringify(tables) !== JSON.stringify(there))
    throw new CommandFailed(
      `Cells ${from} and ${to} have different tables: upgrade both to the same release first.`,
    );
  if (wants === "move") await requireSynchronizedClocks(source, target);
  // Open payouts are checked before anything is copied, and again after the fence is closed, because a payout run can
  // start in between.
  if (wants === "move" && acceptsWrites(await heldAt(source))) await requireNoOpenPayout(source);
  return tables;
}

function takeTurn(
  run: Run,
  holding: Holding | undefined,
  { clientId, to }: { readonly clientId: string; readonly to: string },
): void {
  if (!holding)
    throw new CommandFailed(
      `${clientId} cannot be moved to ${to} now: it is already there, or another move has started.`,
    );
  run.turn = holding.turn;
  run.hasCopied = false;
}

/**
 * `finishOrReopen` opens the fence again if the rest could not be copied, so that the cell serves the merchant again,
 * whatever the error is.
 */
async function finishOrReopen(copying: Copying): Promise<boolean> {
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

/** `takeStep` makes one step in one transaction, with its related changes in the same database. */
async function takeStep(
  end: MoveEnd,
  tables: readonly MovedTable[],
  step: MoveStep,
): Promise<Holding | undefined> {
  const { client, clientId } = end;
  return inTransaction(end, "", async () => {
    const { hasClient, holding: before } = await heldAt(end);
    const holding = await updateHome(asTx(client), { clientId, hasClient }, step);
    // Rows in the target are left over from another attempt, or from the time when the target was the merchant's home.
    if (holding && step.step === "prepare" && before?.epoch !== step.epoch)
      for (const table of tables.toReversed()) await clearRows(end, table);
    // The new home has these jobs; workers of the old home would run them in vain.
    if (holding && step.step === "leave")
      await client.query("delete from jobs where client_id = $1", [clientId]);
    return holding;
  });
}
