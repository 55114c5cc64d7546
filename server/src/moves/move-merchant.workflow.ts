import { setTimeout as delay } from "node:timers/promises";
import { acceptsWrites, nextMoveAction, type StoredHome, type MoveStep } from "../cells/home.ts";
import { updateHome } from "../cells/home.sql.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import {
  copyWhileServing,
  finishCopy,
  findLocalHome,
  requireNoOpenPayout,
  type CopyRun,
} from "./move-copy.workflow.ts";
import {
  asTx,
  requireCellName,
  inTransaction,
  openMoveConnection,
  openSource,
  requireSynchronizedClocks,
  type MoveConnection,
} from "./move-connection.workflow.ts";
import { clearRows, listMovedTables, type MovedTable } from "./move-rows.workflow.ts";

export interface MerchantMove {
  readonly clientId: string;
  readonly sourceUrl: string;
  readonly targetUrl: string;
  /** The required name of the target cell; a move to any other cell is rejected. */
  readonly to?: string | undefined;
  readonly goal: "move" | "undo";
  /** Called with the name of the next step, before it is made. */
  readonly onStep: (step: string) => void | Promise<void>;
  /**
   * Called with the number of copied rows, and with the pass; the last pass, after the fence is closed, is number 0.
   */
  readonly onRows?: (pass: number, rowCount: number) => void;
}

export interface MerchantMoveResult {
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
export async function moveMerchant(move: MerchantMove): Promise<MerchantMoveResult> {
  if (isUniverseId(move.clientId))
    throw new CommandFailed("An isolated test merchant cannot be moved to another cell.");
  const { clientId, sourceUrl, targetUrl } = move;
  const connections: MoveConnection[] = [];
  const openTracked = async (opening: Promise<MoveConnection>): Promise<MoveConnection> => {
    const connection = await opening;
    connections.push(connection);
    return connection;
  };
  try {
    const source = await openTracked(openSource(sourceUrl, clientId));
    const target = await openTracked(openMoveConnection(targetUrl, clientId));
    const readers: MoveConnection[] = [];
    for (let nth = 1; nth <= readersMax; nth += 1)
      readers.push(await openTracked(openSource(sourceUrl, clientId)));
    return await runMove(move, { source, target, readers });
  } finally {
    await Promise.all(connections.map(({ client }) => client.end()));
  }
}

type MoveConnections = Pick<CopyRun, "source" | "target" | "readers">;

/**
 * `moveMerchantAsOwner` moves a merchant like `moveMerchant`, as an operator's action, with a row in the audit log of
 * the merchant's old cell.
 */
export async function moveMerchantAsOwner(
  operator: Operator,
  move: Omit<MerchantMove, "sourceUrl">,
): Promise<MerchantMoveResult> {
  const result = await moveMerchant({ ...move, sourceUrl: operator.url });
  const { clientId } = move;
  return actAsOwner(operator, systemScope, async () => ({
    value: result,
    audit: { act: "merchant move", subject: clientId, clientId, after: { ...result } },
  }));
}

export function formatMoveResult(
  clientId: string,
  { outcome, to, rows, passes, pauseMs }: MerchantMoveResult,
): string {
  if (outcome === "undone") return `${clientId} is not moving, and stays in its cell.`;
  const pause = pauseMs === undefined ? "" : `, ${pauseMs} ms without service`;
  return `${clientId} is now in cell ${to}: ${rows} rows in ${passes} passes${pause}.`;
}

interface Run {
  moverRun: number | undefined;
  /** Whether this run has copied the rows from before the fence. */
  hasCopied: boolean;
  rows: number;
  passes: number;
  fencedAtMs?: number;
  settledAtMs?: number;
  attempts: number;
}

async function runMove(
  move: MerchantMove,
  { source, target, readers }: MoveConnections,
): Promise<MerchantMoveResult> {
  const { clientId, onStep, onRows = () => undefined } = move;
  const [from, to] = [await requireCellName(asTx(source.client)), await requireCellName(asTx(target.client))];
  const tables = await requireCompatibleEnds(move, { source, target, from, to });
  const run: Run = { moverRun: undefined, hasCopied: false, rows: 0, passes: 0, attempts: 0 };
  const createCopyRun = (epoch: number): CopyRun => ({
    source,
    readers,
    target,
    tables,
    epoch,
    moverRun: run.moverRun ?? 0,
    onRows: (pass, rowCount) => {
      run.rows += rowCount;
      onRows(pass, rowCount);
    },
  });
  let { goal } = move;
  for (;;) {
    const [targetState, sourceState] = [await findLocalHome(target), await findLocalHome(source)];
    if (!sourceState.hasClient && !sourceState.stored)
      throw new CommandFailed(`Cell ${from} has no merchant ${clientId}.`);
    const next = nextMoveAction({
      source: { name: from, home: sourceState },
      target: { name: to, home: targetState },
      goal,
      moverRun: run.moverRun,
      hasCopied: run.hasCopied,
    });
    if ("at" in next) {
      await onStep(next.do.step);
      if (next.do.step === "fence") run.fencedAtMs = performance.now();
      const holding = await performStep(next.at === "source" ? source : target, tables, next.do);
      if (next.do.step === "prepare") startMoverRun(run, holding, { clientId, to });
      if (next.do.step === "settle") run.settledAtMs = performance.now();
      continue;
    }
    await onStep(next.work);
    if (next.work === "none") return buildResult(run, "undone", { from, to, epoch: 0 });
    if (next.work === "publish") return buildResult(run, "moved", { from, to, epoch: next.epoch });
    if (next.work === "copy") {
      run.passes += await copyWhileServing(createCopyRun(next.epoch));
      run.hasCopied = true;
    } else if (!(await finishOrReopen(createCopyRun(next.epoch)))) {
      run.attempts += 1;
      run.hasCopied = false;
      if (run.attempts >= attemptsMax) goal = "undo";
      else await delay(500 * run.attempts);
    }
  }
}

/** `requireCompatibleEnds` checks that both ends have the same release and the same time. It returns the tables that move. */
async function requireCompatibleEnds(
  { clientId, to: requiredCell, goal }: MerchantMove,
  { source, target, from, to }: { source: MoveConnection; target: MoveConnection; from: string; to: string },
): Promise<readonly MovedTable[]> {
  if (requiredCell !== undefined && requiredCell !== to)
    throw new CommandFailed(`The given database of cell ${requiredCell} belongs to cell ${to}.`);
  if (from === to)
    throw new CommandFailed(`${clientId} is already in cell ${from}: source and target are the same cell.`);
  const [tables, targetTables] = [await listMovedTables(source), await listMovedTables(target)];
  if (JSON.stringify(tables) !== JSON.stringify(targetTables))
    throw new CommandFailed(
      `Cells ${from} and ${to} have different tables: upgrade both to the same release first.`,
    );
  if (goal === "move") await requireSynchronizedClocks(source, target);
  // Open payouts are checked before anything is copied, and again after the fence is closed, because a payout run can
  // start in between.
  if (goal === "move" && acceptsWrites(await findLocalHome(source))) await requireNoOpenPayout(source);
  return tables;
}

function startMoverRun(
  run: Run,
  holding: StoredHome | undefined,
  { clientId, to }: { readonly clientId: string; readonly to: string },
): void {
  if (!holding)
    throw new CommandFailed(
      `${clientId} cannot be moved to ${to} now: it is already there, or another move has started.`,
    );
  run.moverRun = holding.moverRun;
  run.hasCopied = false;
}

/**
 * `finishOrReopen` opens the fence again if the rest could not be copied, so that the cell serves the merchant again,
 * whatever the error is.
 */
async function finishOrReopen(copyRun: CopyRun): Promise<boolean> {
  const { source, tables, epoch } = copyRun;
  const reopenFence = (): Promise<unknown> => performStep(source, tables, { step: "undo", epoch });
  try {
    if (await finishCopy(copyRun)) return true;
  } catch (error) {
    await reopenFence().catch(() => undefined);
    throw error;
  }
  await reopenFence();
  return false;
}

function buildResult(
  { rows, passes, fencedAtMs, settledAtMs }: Run,
  outcome: MerchantMoveResult["outcome"],
  ends: Pick<MerchantMoveResult, "from" | "to" | "epoch">,
): MerchantMoveResult {
  const pauseMs =
    fencedAtMs === undefined || settledAtMs === undefined ? undefined : Math.round(settledAtMs - fencedAtMs);
  return { outcome, ...ends, rows, passes, pauseMs };
}

/** `performStep` makes one step in one transaction, with its related changes in the same database. */
async function performStep(
  connection: MoveConnection,
  tables: readonly MovedTable[],
  step: MoveStep,
): Promise<StoredHome | undefined> {
  const { client, clientId } = connection;
  return inTransaction(connection, "", async () => {
    const { hasClient, stored: before } = await findLocalHome(connection);
    const holding = await updateHome(asTx(client), { clientId, hasClient }, step);
    // Rows in the target are left over from another attempt, or from the time when the target was the merchant's home.
    if (holding && step.step === "prepare" && before?.epoch !== step.epoch)
      for (const table of tables.toReversed()) await clearRows(connection, table);
    // The new home has these jobs; workers of the old home would run them in vain.
    if (holding && step.step === "leave")
      await client.query("delete from jobs where client_id = $1", [clientId]);
    return holding;
  });
}
