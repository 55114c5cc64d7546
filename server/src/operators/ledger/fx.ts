import { randomInt } from "node:crypto";
import { isAccountingDay, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { isCurrency } from "../../core/currency.ts";
import { formatMoney, type Money } from "../../core/money.ts";
import { parseRequestTime } from "../../core/request-time.ts";
import { newShortId } from "../../core/short-id.ts";
import { house } from "../../ledger/account.ts";
import { buildDealEffects, type FxDeal } from "../../ledger/currency-conversion-effects.ts";
import { insertQuote, listPositions, listQuotes } from "../../ledger/currency-conversion.sql.ts";
import {
  averagePrice,
  formatPair,
  subtractMargin,
  promisedPart,
  parsePrice,
  type CurrencyPair,
  type FxPosition,
  type FxQuote,
} from "../../ledger/currency-conversion.ts";
import { hasHouseAccount, isHouseEffectPosted, insertHouseEffects } from "../../ledger/house-account.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { lockReconciliation } from "../../reconciliation/compare.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { percentText } from "./fee-rules.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** An FX rate as the operator enters it. */
export interface QuoteRequest {
  readonly pair: string;
  readonly price: string;
  readonly marginMillionths: bigint;
  /** The start of the FX rate: an accounting day or a time; absent means now. */
  readonly from: string | undefined;
  readonly until: string;
}

/** `setQuote` adds an FX rate. The rate applies to batches that close while it is valid, and not to earlier ones. */
export async function setQuote(operator: Operator, request: QuoteRequest): Promise<FxQuote> {
  const pair = parsePair(request.pair);
  const marketPrice = parsePrice(request.price);
  const price = marketPrice && subtractMargin(marketPrice, request.marginMillionths);
  if (marketPrice === undefined || price === undefined)
    throw new CommandFailed(
      `${request.price} is not a price. Write a decimal above zero with up to 15 decimal places.`,
    );
  const fromAt = request.from === undefined ? new Date() : parseMoment(request.from, "first");
  const untilAt = parseMoment(request.until, "last");
  if (untilAt <= fromAt || untilAt <= new Date())
    throw new CommandFailed(`${request.until} is in the past, or not after --from.`);
  const quote = {
    ...pair,
    quoteId: newShortId("QUOTE_", 10, (below) => randomInt(below)),
    marketPrice,
    marginMillionths: request.marginMillionths,
    price,
    fromAt,
    untilAt,
  };
  return actAsOwner(operator, systemScope, async (tx) => {
    await insertQuote(tx, quote);
    const audit = {
      act: "fx rate set",
      // The audit row has the values as entered, without the id, so that they are equal when the command runs again
      // after an approval.
      subject: `${request.pair} from ${request.from ?? "now"} until ${request.until}`,
      after: { marketPrice, margin: percentText(request.marginMillionths), price },
    };
    return { value: quote, audit };
  });
}

export async function findQuotes({ url, environment }: Operator, limit: number): Promise<readonly FxQuote[]> {
  return queryAsOwner(url, environment, systemScope, (tx) => listQuotes(tx, limit));
}

function parsePair(text: string): CurrencyPair {
  const [from = "", to = "", ...rest] = text.split("/");
  if (isCurrency(from) && isCurrency(to) && from !== to && rest.length === 0) return { from, to };
  throw new CommandFailed(`${text} is not a currency pair. Write two currencies, such as EUR/USD.`);
}

/** Parses the start or the end of an accounting day, or a time in ISO 8601 with a zone. */
function parseMoment(text: string, day: "first" | "last"): Date {
  const ms = text[10] === "T" ? parseRequestTime(text) : undefined;
  if (ms !== undefined) return new Date(ms);
  if (!isAccountingDay(text))
    throw new CommandFailed(
      `${text} is not a time. Write a day, such as 2026-12-01, or a time in ISO 8601 with a zone.`,
    );
  return startOfAccountingDay(day === "first" ? text : nextAccountingDay(text));
}

export function quoteTable(quotes: readonly FxQuote[], now: Date): string {
  if (quotes.length === 0) return "There are no FX rates. Add one with `tollgate fx rate set`.";
  const head = ["pair", "price", "market price", "margin", "from", "until", "quote", ""];
  const rows = quotes.map((quote) => [
    formatPair(quote),
    quote.price,
    quote.marketPrice,
    percentText(quote.marginMillionths),
    quote.fromAt.toISOString(),
    quote.untilAt.toISOString(),
    quote.quoteId,
    stateOf(quote, now),
  ]);
  return formatTextTable([head, ...rows]);
}

function stateOf({ fromAt, untilAt }: FxQuote, now: Date): string {
  if (fromAt > now) return "future";
  return untilAt > now ? "" : "over";
}

/** An FX deal with a bank, with the bank's reference. */
export interface DealRequest {
  readonly pair: string;
  readonly reference: string;
  readonly soldMinor: bigint;
  readonly boughtMinor: bigint;
}

export interface BookedDeal extends FxDeal {
  /** Gain of the deal over the amount promised to merchants; negative for a loss. */
  readonly gained: Money;
}

/** `bookDeal` books a deal once per reference. The bank's entries have the same reference and clear it. */
export async function bookDeal(
  operator: Operator,
  request: DealRequest,
  now = new Date(),
): Promise<BookedDeal> {
  const { from, to } = parsePair(request.pair);
  if (!/^[\x21-\x7e]{1,35}$/.test(request.reference))
    throw new CommandFailed(
      `${request.reference} is not a reference. Use at most 35 printable characters without spaces.`,
    );
  const sold = { currency: from, minor: request.soldMinor };
  const bought = { currency: to, minor: request.boughtMinor };
  return actAsOwner(operator, [house], async (tx) => {
    await lockReconciliation(tx);
    if (!(await hasHouseAccount(tx)))
      throw new CommandFailed("The house accounts are in another cell. Book the deal there.");
    if (await isHouseEffectPosted(tx, request.reference, "exchange sold"))
      throw new CommandFailed(`The deal ${request.reference} is already booked.`);
    const position = (await listPositions(tx)).find(
      ({ held, promised }) => held.currency === from && promised.currency === to,
    );
    if (!position || position.held.minor < sold.minor)
      throw new CommandFailed(
        `The open position is only ${formatMoney(position?.held ?? { currency: from, minor: 0n })}, less than the amount sold.`,
      );
    const gained = { currency: to, minor: bought.minor - promisedPart(position, sold.minor) };
    const postings = buildDealEffects(position, { sold, bought }).map((effect) => ({
      ...effect,
      subjectId: request.reference,
      at: now,
    }));
    await insertHouseEffects(tx, postings);
    const after = { sold: formatMoney(sold), bought: formatMoney(bought), gained: formatMoney(gained) };
    return {
      value: { sold, bought, gained },
      audit: { act: "fx deal book", subject: request.reference, after },
    };
  });
}

export async function findPositions({ url, environment }: Operator): Promise<readonly FxPosition[]> {
  return queryAsOwner(url, environment, systemScope, listPositions);
}

export function positionTable(positions: readonly FxPosition[]): string {
  const openPositions = positions.filter(({ held, promised }) => held.minor !== 0n || promised.minor !== 0n);
  if (openPositions.length === 0) return "There is no open FX position.";
  const rows = openPositions.map((position) => {
    const { held, promised } = position;
    return [
      formatPair({ from: held.currency, to: promised.currency }),
      formatMoney(held),
      formatMoney(promised),
      averagePrice(position) ?? "",
    ];
  });
  return formatTextTable([["pair", "held", "promised", "at"], ...rows]);
}
