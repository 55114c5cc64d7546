import { nextBookDay, bookDayOf, startOfBookDay } from "../core/book-day.ts";
import { reserveHoldEffect, reserveReleaseEffect } from "../ledger/payout-effects.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  addDays,
  statusOf,
  sumsOf,
  windowFor,
  workingDayAfter,
  type Batch,
  type Terms,
  type Window,
} from "./batch.ts";
import {
  findClosedDay,
  findOldestUnsettled,
  findReleaseDay,
  insertBatch,
  insertItem,
  insertItems,
  listMoved,
  updateCarried,
  updateReleased,
  type SettledKey,
} from "./batch.sql.ts";
import { lockTerms } from "./terms.sql.ts";

/** Movements of records that are older than that are looked for only by `settlement check`, and with `--whole`. */
const lookBackDays = 400;

export interface Closing {
  /** The last day of the books that may be closed. */
  readonly throughDay: string;
  /** Whether to look at all that ever moved. */
  readonly whole: boolean;
  readonly batchId: string;
  readonly now: Date;
}

/**
 * Closes the next batch of a merchant that has ended by a day, or returns undefined when there is none. The movements are taken first
 * and added up after that, so a payment that commits meanwhile is either in both or in the next batch.
 */
export async function closeNextBatch(tx: Tx, key: SettledKey, closing: Closing): Promise<Batch | undefined> {
  const terms = await lockTerms(tx, key, key.currency);
  const closedDay = await findClosedDay(tx, key);
  const idFrom = closedDay === undefined || closing.whole ? "" : firstIdOf(addDays(closedDay, -lookBackDays));
  const window = await findWindow(tx, key, { terms, closedDay, idFrom, throughDay: closing.throughDay });
  if (!window) return undefined;

  const { batchId } = closing;
  await insertItems(tx, key, batchId, { idFrom, before: startOfBookDay(nextBookDay(window.toDay)) });
  const moved = await listMoved(tx, key, batchId);
  const released = await updateReleased(tx, key, batchId, window.toDay);
  const carried = await updateCarried(tx, key, batchId);
  const releasedMinor = released.reduce((sum, { minor }) => sum + minor, 0n);
  const sums = sumsOf(moved, window.terms, { released: releasedMinor, carried });
  const batch: Batch = {
    batchId,
    currency: key.currency,
    fromDay: window.fromDay,
    toDay: window.toDay,
    dueDay: workingDayAfter(window.toDay, window.terms.daysAfter),
    sums,
    releaseDay: sums.held > 0n ? addDays(window.toDay, window.terms.reserveDays) : undefined,
    status: statusOf(sums.net, window.terms.minimumMinor),
    closedAt: closing.now,
  };
  for (const { batchId: from, minor } of released) {
    const amount = { currency: key.currency, minor };
    post(tx, key, from, reserveReleaseEffect(key.clientId, amount), batch);
  }
  if (sums.held > 0n) {
    const amount = { currency: key.currency, minor: sums.held };
    post(tx, key, batchId, reserveHoldEffect(key.clientId, amount), batch);
  }
  insertBatch(tx, key, batch);
  return batch;
}

async function findWindow(
  tx: Tx,
  key: SettledKey,
  known: {
    readonly terms: readonly Terms[];
    readonly closedDay: string | undefined;
    readonly idFrom: string;
    readonly throughDay: string;
  },
): Promise<(Window & { readonly terms: Terms }) | undefined> {
  const before = startOfBookDay(nextBookDay(known.throughDay));
  const oldest = await findOldestUnsettled(tx, key, { idFrom: known.idFrom, before });
  const releaseDay = await findReleaseDay(tx, key);
  const [first] = [...(oldest ? [bookDayOf(oldest)] : []), ...(releaseDay ? [releaseDay] : [])].toSorted();
  const window = first === undefined ? undefined : windowFor(first, known.terms, known.closedDay);
  return window && window.toDay <= known.throughDay ? window : undefined;
}

/** A movement of the reserve is part of the batch that made it. */
function post(
  tx: Tx,
  key: SettledKey,
  subjectId: string,
  effect: ReturnType<typeof reserveHoldEffect>,
  { batchId, closedAt }: Batch,
): void {
  insertEffect(tx, { ...key, subjectId }, effect, closedAt);
  insertItem(tx, key, { subjectId, effect: effect.name, batchId });
}

/** Ids begin with their time in UTC, which is behind that of the books. */
function firstIdOf(day: string): string {
  return startOfBookDay(day).toISOString().slice(0, 10).replaceAll("-", "");
}
