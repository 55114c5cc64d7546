import { nextAccountingDay, accountingDayOf, startOfAccountingDay } from "../core/accounting-day.ts";
import type { Money } from "../core/money.ts";
import { conversionEffect } from "../ledger/currency-conversion-effects.ts";
import { findQuote } from "../ledger/currency-conversion.sql.ts";
import { convertAmount, type CurrencyPair, type FxQuote } from "../ledger/currency-conversion.ts";
import { reserveHoldEffect, reserveReleaseEffect } from "../ledger/payout-effects.ts";
import { findFreeBalance, lockFreeBalance } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  addDays,
  batchesToJoin,
  idleDaysOf,
  lastWindowBy,
  newBatchStatus,
  sumBatch,
  settlementWindowFor,
  businessDayAfter,
  type Batch,
  type Terms,
  type SettlementWindow,
} from "./batch.ts";
import {
  findCarriedSum,
  findClosedDay,
  findOldestUnsettled,
  findReleaseDay,
  insertBatch,
  insertBatchItem,
  insertBatchItems,
  listMovementSums,
  lockDueBatches,
  updateBatchesCarried,
  updateBatchesJoined,
  updateReservesReleased,
  type SettlementKey,
} from "./batch.sql.ts";
import { findHolidays } from "./holiday.sql.ts";
import { lockTerms } from "./terms.sql.ts";

/**
 * Number of days before a closed day in which late movements are searched. A movement has the time of its transaction,
 * which ends within seconds. So a movement that commits after its day was closed is from the last minutes of that day.
 * Only `settlement check`, and `--whole`, find older ones.
 */
const searchDays = 7;

export interface ClosingRequest {
  /** The last accounting day to close. */
  readonly throughDay: string;
  /** Whether to search all movements. */
  readonly whole: boolean;
  readonly batchId: string;
  readonly now: Date;
}

/** A batch that stays open because no FX rate is valid. */
export interface MissingRate {
  readonly noRate: CurrencyPair;
}

/**
 * `closeNextBatch` closes the next batch of a merchant that has ended by a day; returns undefined if there is none.
 * Batches with movements come first, then a payable carried sum without movements. Movements are inserted first and
 * summed afterwards, so a concurrent payment is fully in this batch or in the next. If a necessary FX rate is missing,
 * it stores nothing.
 */
export async function closeNextBatch(
  tx: Tx,
  key: SettlementKey,
  closing: ClosingRequest,
): Promise<Batch | MissingRate | undefined> {
  const window = await findWindow(tx, key, closing);
  if (!window) return undefined;
  const { settleIn } = window.terms;
  const pair = settleIn === undefined ? undefined : { from: key.currency, to: settleIn };
  const quote = pair && (await findQuote(tx, pair, closing.now));
  if (pair && !quote) return { noRate: pair };

  const unconverted = await buildBatch(tx, key, closing, window);
  const batch =
    quote && unconverted.status === "DUE" ? await convertBatch(tx, key, unconverted, quote) : unconverted;
  insertBatch(tx, key, batch);
  return batch;
}

/** Inserts the movements of a window, and calculates the released and the new reserve. */
async function buildBatch(
  tx: Tx,
  key: SettlementKey,
  { batchId, now }: ClosingRequest,
  window: ClosableWindow,
): Promise<Batch> {
  const end = startOfAccountingDay(nextAccountingDay(window.toDay));
  // Pipelined, in this order.
  const [, movementSums, released, carried, holidays] = await Promise.all([
    insertBatchItems(tx, key, batchId, { from: window.searchFrom, before: end }),
    listMovementSums(tx, key, batchId),
    updateReservesReleased(tx, key, batchId, window.toDay),
    updateBatchesCarried(tx, key, batchId),
    findHolidays(tx, window.terms.settleIn ?? key.currency, window.toDay),
  ]);
  const releasedMinor = released.reduce((sum, { minor }) => sum + minor, 0n);
  const before = { released: releasedMinor, carried };
  const joined = await joinDueBatches(tx, key, batchId, -sumBatch(movementSums, window.terms, before).net);
  const sums = sumBatch(movementSums, window.terms, { ...before, carried: carried + joined });
  const batch: Batch = {
    batchId,
    currency: key.currency,
    fromDay: window.fromDay,
    toDay: window.toDay,
    dueDay: businessDayAfter(window.toDay, window.terms.daysAfter, holidays),
    sums,
    releaseDay: sums.held > 0n ? addDays(window.toDay, window.terms.reserveDays) : undefined,
    status: newBatchStatus(sums.net, window.isIdle ? 0n : window.terms.minimumMinor),
    changed: undefined,
    closedAt: now,
  };
  for (const { batchId: from, minor } of released) {
    const amount = { currency: key.currency, minor };
    postReserveEffect(tx, key, from, reserveReleaseEffect(key.clientId, amount), batch);
  }
  if (sums.held > 0n) {
    const amount = { currency: key.currency, minor: sums.held };
    postReserveEffect(tx, key, batchId, reserveHoldEffect(key.clientId, amount), batch);
  }
  return batch;
}

/**
 * Joins due batches to a negative batch, because refunds or disputes after their closing reduced the merchant's balance
 * below the sum of these batches. Batches with the latest due day are joined first, so that the others keep their due
 * days. Returns their sum.
 */
async function joinDueBatches(
  tx: Tx,
  key: SettlementKey,
  batchId: string,
  lackMinor: bigint,
): Promise<bigint> {
  if (lackMinor <= 0n) return 0n;
  const joined = batchesToJoin(await lockDueBatches(tx, key), lackMinor);
  if (joined.length > 0) await updateBatchesJoined(tx, key, batchId, joined);
  return joined.reduce((sum, { minor }) => sum + minor, 0n);
}

/**
 * Converts a batch into its payout currency. If refunds after the closing have reduced the balance below the batch, or
 * the converted amount is zero, the batch is carried over. Refunds and payouts use the same lock of the reserve, so it
 * is taken last: only writes follow.
 */
async function convertBatch(tx: Tx, key: SettlementKey, batch: Batch, quote: FxQuote): Promise<Batch> {
  const sold = { currency: key.currency, minor: batch.sums.net };
  const converted = convertMinor(key, sold.minor, quote);
  const freeMinor = await lockFreeBalance(tx, key);
  if (freeMinor < sold.minor || converted.minor === 0n) return { ...batch, status: "CARRIED" };
  const subject = { ...key, subjectId: batch.batchId };
  insertEffect(tx, subject, conversionEffect(key.clientId, sold, converted), batch.closedAt);
  return { ...batch, changed: { quoteId: quote.quoteId, price: quote.price, got: converted } };
}

const convertMinor = ({ currency }: SettlementKey, minor: bigint, { to, price }: FxQuote): Money =>
  convertAmount({ currency, minor }, to, price);

interface ClosableWindow extends SettlementWindow {
  readonly terms: Terms;
  /** The search for movements begins at this time. */
  readonly searchFrom: Date;
  /** Whether the minimum is waived, because the merchant had no movement for `idleDaysOf` its terms. */
  readonly isIdle: boolean;
}

async function findWindow(
  tx: Tx,
  key: SettlementKey,
  { throughDay, whole, now }: ClosingRequest,
): Promise<ClosableWindow | undefined> {
  // The queries are pipelined: PostgreSQL takes the lock before it runs the other queries.
  const [terms, closedDay, releaseDay, carried] = await Promise.all([
    lockTerms(tx, key, key.currency),
    findClosedDay(tx, key),
    findReleaseDay(tx, key),
    findCarriedSum(tx, key),
  ]);
  const searchFrom =
    closedDay === undefined || whole ? new Date(0) : startOfAccountingDay(addDays(closedDay, -searchDays));
  const before = startOfAccountingDay(nextAccountingDay(throughDay));
  const oldest = await findOldestUnsettled(tx, key, { from: searchFrom, before });
  const [first] = [
    ...(oldest ? [accountingDayOf(oldest)] : []),
    ...(releaseDay ? [releaseDay] : []),
  ].toSorted();
  const window = first === undefined ? undefined : settlementWindowFor(first, terms, closedDay);
  if (window && window.toDay <= throughDay) return { ...window, searchFrom, isIdle: false };
  // The window of the oldest movement is still open. The carried sum is added to its batch when the window ends.
  if (oldest || closedDay === undefined) return undefined;
  const found = await findCarriedWindow(tx, key, { throughDay, now, terms, closedDay, carried });
  return found && { ...found, searchFrom };
}

interface CarriedSum extends Pick<ClosingRequest, "throughDay" | "now"> {
  readonly terms: readonly Terms[];
  readonly closedDay: string;
  readonly carried: bigint;
}

/**
 * Returns a window without movements for a carried sum that is payable now: due batches cover the merchant's debt, the
 * minimum was lowered, or the merchant is idle. It returns undefined if no sum is payable, so that no empty batch is
 * created.
 */
async function findCarriedWindow(
  tx: Tx,
  key: SettlementKey,
  { throughDay, now, terms, closedDay, carried }: CarriedSum,
): Promise<Omit<ClosableWindow, "searchFrom"> | undefined> {
  const window = carried === 0n ? undefined : lastWindowBy(throughDay, terms, closedDay);
  if (!window) return undefined;
  if (carried < 0n)
    return (await lockDueBatches(tx, key)).length > 0 ? { ...window, isIdle: false } : undefined;
  const { minimumMinor, settleIn } = window.terms;
  const isIdle = addDays(closedDay, idleDaysOf(window.terms)) <= window.toDay;
  if (!isIdle && carried < minimumMinor) return undefined;
  if (settleIn === undefined) return { ...window, isIdle };
  const quote = await findQuote(tx, { from: key.currency, to: settleIn }, now);
  // If the FX rate is missing, the sum is not too small: closing the batch then reports the missing rate.
  const isTooSmall = quote && convertMinor(key, carried, quote).minor === 0n;
  return isTooSmall || (await findFreeBalance(tx, key)) < carried ? undefined : { ...window, isIdle };
}

/** Posts a movement of the reserve, which is an item of the batch that caused it. */
function postReserveEffect(
  tx: Tx,
  key: SettlementKey,
  subjectId: string,
  effect: ReturnType<typeof reserveHoldEffect>,
  { batchId, closedAt }: Batch,
): void {
  insertEffect(tx, { ...key, subjectId }, effect, closedAt);
  insertBatchItem(tx, key, { subjectId, effect: effect.name, batchId });
}
