import { nextBookDay, bookDayOf, startOfBookDay } from "../core/book-day.ts";
import { exchangeEffect } from "../ledger/exchange-effects.ts";
import { findQuote } from "../ledger/exchange.sql.ts";
import { exchanged, type Pair, type Quote } from "../ledger/exchange.ts";
import { reserveHoldEffect, reserveReleaseEffect } from "../ledger/payout-effects.ts";
import { lockFreeBalance } from "../ledger/reserve.sql.ts";
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
import { findHolidays } from "./holiday.sql.ts";
import { lockTerms } from "./terms.sql.ts";

/**
 * A movement is posted at the time of its transaction, which ends within seconds: one that was committed after its day was closed is of the
 * last minutes of that day. What is older than this is looked for only by `settlement check`, and with `--whole`.
 */
const lookBackDays = 7;

export interface Closing {
  /** The last day of the books that may be closed. */
  readonly throughDay: string;
  /** Whether to look at all that ever moved. */
  readonly whole: boolean;
  readonly batchId: string;
  readonly now: Date;
}

/** A batch that stays open, because nobody has said what one currency is worth in the other. */
export interface NoRate {
  readonly noRate: Pair;
}

/**
 * Closes the next batch of a merchant that has ended by a day, or returns undefined when there is none. The movements are taken first
 * and added up after that, so a payment that commits meanwhile is either in both or in the next batch. Without a quote nothing is taken.
 */
export async function closeNextBatch(
  tx: Tx,
  key: SettledKey,
  closing: Closing,
): Promise<Batch | NoRate | undefined> {
  const window = await findWindow(tx, key, closing);
  if (!window) return undefined;
  const { settleIn } = window.terms;
  const pair = settleIn === undefined ? undefined : { from: key.currency, to: settleIn };
  const quote = pair && (await findQuote(tx, pair, closing.now));
  if (pair && !quote) return { noRate: pair };

  const added = await addUp(tx, key, closing, window);
  const batch = quote && added.status === "DUE" ? await change(tx, key, added, quote) : added;
  insertBatch(tx, key, batch);
  return batch;
}

/** Takes the movements of a window, and what is kept back and let go with them. */
async function addUp(
  tx: Tx,
  key: SettledKey,
  { batchId, now }: Closing,
  window: FoundWindow,
): Promise<Batch> {
  const before = startOfBookDay(nextBookDay(window.toDay));
  // Pipelined, in this order.
  const [, moved, released, carried, holidays] = await Promise.all([
    insertItems(tx, key, batchId, { from: window.lookFrom, before }),
    listMoved(tx, key, batchId),
    updateReleased(tx, key, batchId, window.toDay),
    updateCarried(tx, key, batchId),
    findHolidays(tx, window.terms.settleIn ?? key.currency, window.toDay),
  ]);
  const releasedMinor = released.reduce((sum, { minor }) => sum + minor, 0n);
  const sums = sumsOf(moved, window.terms, { released: releasedMinor, carried });
  const batch: Batch = {
    batchId,
    currency: key.currency,
    fromDay: window.fromDay,
    toDay: window.toDay,
    dueDay: workingDayAfter(window.toDay, window.terms.daysAfter, holidays),
    sums,
    releaseDay: sums.held > 0n ? addDays(window.toDay, window.terms.reserveDays) : undefined,
    status: statusOf(sums.net, window.terms.minimumMinor),
    changed: undefined,
    closedAt: now,
  };
  for (const { batchId: from, minor } of released) {
    const amount = { currency: key.currency, minor };
    post(tx, key, from, reserveReleaseEffect(key.clientId, amount), batch);
  }
  if (sums.held > 0n) {
    const amount = { currency: key.currency, minor: sums.held };
    post(tx, key, batchId, reserveHoldEffect(key.clientId, amount), batch);
  }
  return batch;
}

/**
 * Changes what a batch comes to into the currency that it is paid in. What is not there any more, because refunds came since, cannot be
 * changed: the batch is carried over then, and so is one that comes to nothing. The reserve's lock is that of refunds and payouts, and
 * the last: after it there are only writes.
 */
async function change(tx: Tx, key: SettledKey, batch: Batch, quote: Quote): Promise<Batch> {
  const given = { currency: key.currency, minor: batch.sums.net };
  const got = exchanged(given, quote.to, quote.price);
  const freeMinor = await lockFreeBalance(tx, key);
  if (freeMinor < given.minor || got.minor === 0n) return { ...batch, status: "CARRIED" };
  const subject = { ...key, subjectId: batch.batchId };
  insertEffect(tx, subject, exchangeEffect(key.clientId, given, got), batch.closedAt);
  return { ...batch, changed: { quoteId: quote.quoteId, price: quote.price, got } };
}

interface FoundWindow extends Window {
  readonly terms: Terms;
  /** From when on movements are looked for. */
  readonly lookFrom: Date;
}

async function findWindow(
  tx: Tx,
  key: SettledKey,
  { throughDay, whole }: Closing,
): Promise<FoundWindow | undefined> {
  // Pipelined: the lock is taken before the others look.
  const [terms, closedDay, releaseDay] = await Promise.all([
    lockTerms(tx, key, key.currency),
    findClosedDay(tx, key),
    findReleaseDay(tx, key),
  ]);
  const lookFrom =
    closedDay === undefined || whole ? new Date(0) : startOfBookDay(addDays(closedDay, -lookBackDays));
  const before = startOfBookDay(nextBookDay(throughDay));
  const oldest = await findOldestUnsettled(tx, key, { from: lookFrom, before });
  const [first] = [...(oldest ? [bookDayOf(oldest)] : []), ...(releaseDay ? [releaseDay] : [])].toSorted();
  const window = first === undefined ? undefined : windowFor(first, terms, closedDay);
  return window && window.toDay <= throughDay ? { ...window, lookFrom } : undefined;
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
