import { setTimeout as delay } from "node:timers/promises";
import { acceptsWrites, mayCopy, nextMove, type Held, type Holding, type MoveStep } from "../cells/home.ts";
import { findCell, findHome, updateHome } from "../cells/home.sql.ts";
import { isUniverseId } from "../core/universe-id.ts";
import type { Statement, Tx } from "../postgres/sql.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import {
  clearRows,
  copyRows,
  listMovedTables,
  openEnd,
  sumRows,
  waitForOthers,
  type MovedTable,
  type MoveEnd,
} from "./move-rows.ts";

export interface Move {
  readonly clientId: string;
  readonly sourceUrl: string;
  readonly targetUrl: string;
  readonly wants: "move" | "undo";
  /** Hears what is about to be done. */
  readonly onStep: (step: string) => void;
}

export interface Moved {
  readonly outcome: "moved" | "undone";
  readonly from: string;
  readonly to: string;
  readonly epoch: number;
  readonly rows: number;
  /** How long nobody served the merchant; undefined when another run has closed the fence. */
  readonly pauseMs: number | undefined;
}

/** For how long transactions from before the fence are waited for, while the merchant is told to come later. */
const waitMs = 2_000;
const attemptsMax = 5;

/**
 * Moves a merchant from one cell's database to another's. What to do next is asked of both databases each time
 * (`nextMove`), so a run that was killed is gone on with by the next one, wherever it was.
 */
export async function moveMerchant(move: Move): Promise<Moved> {
  if (isUniverseId(move.clientId)) throw new Impossible("A universe lives and ends in one cell.");
  const [source, target] = [
    await openEnd(move.sourceUrl, move.clientId),
    await openEnd(move.targetUrl, move.clientId),
  ];
  try {
    return await runMove(move, source, target);
  } finally {
    await Promise.all([source.client.end(), target.client.end()]);
  }
}

/** The same as an act of an operator's, with its row in the audit of the cell that the merchant has lived in. */
export async function moveMerchantAsOwner(operator: Operator, move: Omit<Move, "sourceUrl">): Promise<Moved> {
  const moved = await moveMerchant({ ...move, sourceUrl: operator.url });
  const { clientId } = move;
  return actAsOwner(operator, systemScope, async () => ({
    value: moved,
    audit: { act: "merchant move", subject: clientId, clientId, after: { ...moved } },
  }));
}

export function movedText(clientId: string, { outcome, to, epoch, rows, pauseMs }: Moved): string {
  if (outcome === "undone") return `${clientId} is not being moved, and lives where it did.`;
  const pause = pauseMs === undefined ? "" : `, ${pauseMs} ms without an answer`;
  return `${clientId} lives in ${to}: ${rows} rows${pause}. Publish it: "${clientId}": { "cell": "${to}", "epoch": ${epoch} }`;
}

interface Run {
  turn: number | undefined;
  /** The transaction since which rows of the source are not copied yet; undefined before the first copy. */
  copiedUpTo: string | undefined;
  rows: number;
  fencedAtMs: number | undefined;
  settledAtMs?: number;
  attempts: number;
}

async function runMove(
  { clientId, wants: wanted, onStep }: Move,
  source: MoveEnd,
  target: MoveEnd,
): Promise<Moved> {
  const [from, to] = [await cellOf(source), await cellOf(target)];
  if (from === to) throw new Impossible(`${clientId} is to be moved to another cell, and both are ${from}.`);
  const tables = await listMovedTables(source);
  const run: Run = { turn: undefined, copiedUpTo: undefined, rows: 0, fencedAtMs: undefined, attempts: 0 };
  let wants = wanted;
  for (;;) {
    const [there, here] = [await heldAt(target), await heldAt(source)];
    if (!here.hasClient && !here.holding)
      throw new Impossible(`There is no merchant ${clientId} in ${from}.`);
    const next = nextMove({
      source: { name: from, held: here },
      target: { name: to, held: there },
      wants,
      turn: run.turn,
      hasCopied: run.copiedUpTo !== undefined,
    });
    if ("at" in next) {
      onStep(next.do.step);
      const holding = await takeStep(next.at === "source" ? source : target, tables, next.do);
      if (next.do.step === "prepare") {
        if (!holding)
          throw new Impossible(
            `${clientId} cannot be moved to ${to} now: it lives there, or another move has begun.`,
          );
        run.turn = holding.turn;
        run.copiedUpTo = undefined;
      }
      if (next.do.step === "fence") run.fencedAtMs = performance.now();
      if (next.do.step === "settle") run.settledAtMs = performance.now();
      continue;
    }
    onStep(next.work);
    if (next.work === "none")
      return { outcome: "undone", from, to, epoch: 0, rows: run.rows, pauseMs: undefined };
    if (next.work === "publish") return endOf(run, { from, to, epoch: next.epoch });
    if (next.work === "copy") await copyWhileItSells(run, source, target, tables, next.epoch);
    else if (!(await finish(run, source, target, tables, next.epoch))) {
      run.attempts += 1;
      await takeStep(source, tables, { step: "undo", epoch: next.epoch });
      if (run.attempts >= attemptsMax) wants = "undo";
      else await delay(500 * run.attempts);
    }
  }
}

function endOf(
  { rows, fencedAtMs, settledAtMs = 0 }: Run,
  { from, to, epoch }: Pick<Moved, "from" | "to" | "epoch">,
): Moved {
  const pauseMs = fencedAtMs === undefined ? undefined : Math.round(settledAtMs - fencedAtMs);
  return { outcome: "moved", from, to, epoch, rows, pauseMs };
}

async function cellOf({ client }: MoveEnd): Promise<string> {
  const name = await findCell(txOf(client));
  if (name === undefined)
    throw new Impossible("Both installations have to be cells: `tollgate cell become`.");
  return name;
}

async function heldAt({ client, clientId }: MoveEnd): Promise<Held> {
  const { rowCount } = await client.query("select from clients where client_id = $1", [clientId]);
  return { ...(await findHome(txOf(client), clientId)), hasClient: rowCount === 1 };
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
    const holding = await updateHome(txOf(client), { clientId, hasClient }, step);
    // What is left of another attempt, or of the time when the merchant lived here.
    if (holding && step.step === "prepare" && before?.epoch !== step.epoch)
      for (const table of tables.toReversed()) await clearRows(end, table);
    // Its new home has them: nobody here is to try them in vain.
    if (holding && step.step === "leave")
      await client.query("delete from jobs where client_id = $1", [clientId]);
    return holding;
  });
}

async function copyWhileItSells(
  run: Run,
  source: MoveEnd,
  target: MoveEnd,
  tables: readonly MovedTable[],
  epoch: number,
): Promise<void> {
  // The first pass copies everything; each further one what was written meanwhile, until that is quick.
  for (let passes = 0; passes < 10; passes += 1) {
    const sinceMs = performance.now();
    await copyPass(run, source, target, tables, epoch);
    if (passes > 0 && performance.now() - sinceMs < 200) return;
  }
}

/** One snapshot of the source into one transaction of the target, if it is still this run's turn. */
async function copyPass(
  run: Run,
  source: MoveEnd,
  target: MoveEnd,
  tables: readonly MovedTable[],
  epoch: number,
): Promise<void> {
  await inTransaction(source, "isolation level repeatable read", async () => {
    const mark = (
      await source.client.query<{ mark: string }>(
        "select pg_snapshot_xmin(pg_current_snapshot())::text as mark",
      )
    ).rows[0]?.mark;
    const since = run.copiedUpTo;
    await inTransaction(target, "", async () => {
      await target.client.query("select 1 from client_homes where client = $1 for update", [target.clientId]);
      if (!mayCopy(await heldAt(target), epoch, run.turn ?? 0)) return;
      for (const table of tables) run.rows += await copyRows(source, target, table, since);
    });
    run.copiedUpTo = mark === undefined ? undefined : String(BigInt(mark) % 2n ** 32n);
  });
}

/** Behind the fence: the rest, then both ends compared table by table. False when it has to be undone. */
async function finish(
  run: Run,
  source: MoveEnd,
  target: MoveEnd,
  tables: readonly MovedTable[],
  epoch: number,
): Promise<boolean> {
  if (!(await waitForOthers(source, waitMs))) return false;
  if (acceptsWrites(await heldAt(source))) return false;
  return inTransaction(source, "isolation level repeatable read", async () =>
    inTransaction(target, "", async () => {
      await target.client.query("select 1 from client_homes where client = $1 for update", [target.clientId]);
      if (!mayCopy(await heldAt(target), epoch, run.turn ?? 0)) return true;
      for (const table of tables) {
        run.rows += await copyRows(source, target, table, run.copiedUpTo);
        if (await isSame(source, target, table)) continue;
        // Rows were deleted meanwhile, or keys changed: the table once more, whole.
        await clearRows(target, table);
        run.rows += await copyRows(source, target, table, undefined);
        if (!(await isSame(source, target, table)))
          throw new Error(`${table.name} is not the same at both ends.`);
      }
      const { clientId } = target;
      await updateHome(
        txOf(target.client),
        { clientId, hasClient: true },
        { step: "seal", epoch, turn: run.turn ?? 0 },
      );
      return true;
    }),
  );
}

async function isSame(source: MoveEnd, target: MoveEnd, table: MovedTable): Promise<boolean> {
  const [one, other] = await Promise.all([sumRows(source, table), sumRows(target, table)]);
  return one === other;
}

async function inTransaction<Value>(
  { client }: MoveEnd,
  mode: string,
  work: () => Promise<Value>,
): Promise<Value> {
  await client.query(`begin ${mode}`);
  try {
    const value = await work();
    await client.query("commit");
    return value;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

function txOf(client: MoveEnd["client"]): Tx {
  const query = async <Row extends object>({ text, values }: Statement): Promise<Row[]> =>
    (await client.query<Row>(text, values)).rows;
  return { query, write: (statement) => void query(statement) };
}
