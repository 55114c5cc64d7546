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
  const terms = await lockTerms(tx, key, key.currency);
  const closedDay = await findClosedDay(tx, key);
  const idFrom = closedDay === undefined || closing.whole ? "" : firstIdOf(addDays(closedDay, -lookBackDays));
  const window = await findWindow(tx, key, { terms, closedDay, idFrom, throughDay: closing.throughDay });
  if (!window) return undefined;
  const { settleIn } = window.terms;
  const pair = settleIn === undefined ? undefined : { from: key.currency, to: settleIn };
  const quote = pair && (await findQuote(tx, pair, closing.now));
  if (pair && !quote) return { noRate: pair };

  const added = await addUp(tx, key, { ...closing, window, idFrom });
  const batch = quote && added.status === "DUE" ? await change(tx, key, added, quote) : added;
  insertBatch(tx, key, batch);
  return batch;
}

/** Takes the movements of a window, and what is kept back and let go with them. */
async function addUp(
  tx: Tx,
  key: SettledKey,
  closing: Closing & { readonly window: Window & { readonly terms: Terms }; readonly idFrom: string },
): Promise<Batch> {
  const { batchId, window, idFrom } = closing;
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
    changed: undefined,
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
