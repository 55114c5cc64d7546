import { randomInt } from "node:crypto";
import { isAccountingDay, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { isCurrency } from "../../core/currency.ts";
import { formatMoney, type Money } from "../../core/money.ts";
import { parseRequestTime } from "../../core/request-time.ts";
import { newShortId } from "../../core/short-id.ts";
import { house } from "../../ledger/account.ts";
import { dealEffects, type Deal } from "../../ledger/exchange-effects.ts";
import { insertQuote, listPositions, listQuotes } from "../../ledger/exchange.sql.ts";
import {
  averagePrice,
  pairText,
  priceLessMargin,
  promisedFor,
  readPrice,
  type Pair,
  type Position,
  type Quote,
} from "../../ledger/exchange.ts";
import { findHasHouseAccount, findIsPosted, insertHouseEffects } from "../../ledger/house-account.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { lockReconciliation } from "../../reconciliation/compare.sql.ts";
import { actAsOwner, asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { percentText } from "./fee.ts";
import { align } from "../../formats/text-table.ts";

/** An FX rate as the operator enters it. */
export interface AskedQuote {
  readonly pair: string;
  readonly price: string;
  readonly marginMillionths: bigint;
  /** The start of the FX rate: an accounting day or a time; absent means now. */
  readonly from: string | undefined;
  readonly until: string;
}

/** `setQuote` adds an FX rate. The rate applies to batches that close while it is valid, and not to earlier ones. */
export async function setQuote(operator: Operator, asked: AskedQuote): Promise<Quote> {
  const pair = readPair(asked.pair);
  const marketPrice = readPrice(asked.price);
  const price = marketPrice && priceLessMargin(marketPrice, asked.marginMillionths);
  if (marketPrice === undefined || price === undefined)
    throw new CommandFailed(
      `${asked.price} is not a price. Write a decimal above zero with up to 15 decimal places.`,
    );
  const fromAt = asked.from === undefined ? new Date() : momentOf(asked.from, "first");
  const untilAt = momentOf(asked.until, "last");
  if (untilAt <= fromAt || untilAt <= new Date())
    throw new CommandFailed(`${asked.until} is in the past, or not after --from.`);
  const quote = {
    ...pair,
    quoteId: newShortId("QUOTE_", 10, (below) => randomInt(below)),
    marketPrice,
    marginMillionths: asked.marginMillionths,
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
      subject: `${asked.pair} from ${asked.from ?? "now"} until ${asked.until}`,
      after: { marketPrice, margin: percentText(asked.marginMillionths), price },
    };
    return { value: quote, audit };
  });
}

export async function findQuotes({ url, environment }: Operator, limit: number): Promise<readonly Quote[]> {
  return asOwner(url, environment, systemScope, (tx) => listQuotes(tx, limit));
}

function readPair(text: string): Pair {
  const [from = "", to = "", ...rest] = text.split("/");
  if (isCurrency(from) && isCurrency(to) && from !== to && rest.length === 0) return { from, to };
  throw new CommandFailed(`${text} is not a currency pair. Write two currencies, such as EUR/USD.`);
}

/** Parses the start or the end of an accounting day, or a time in ISO 8601 with a zone. */
function momentOf(text: string, day: "first" | "last"): Date {
  const ms = text[10] === "T" ? parseRequestTime(text) : undefined;
  if (ms !== undefined) return new Date(ms);
  if (!isAccountingDay(text))
    throw new CommandFailed(
      `${text} is not a time. Write a day, such as 2026-12-01, or a time in ISO 8601 with a zone.`,
    );
  return startOfAccountingDay(day === "first" ? text : nextAccountingDay(text));
}

export function quoteTable(quotes: readonly Quote[], now: Date): string {
  if (quotes.length === 0) return "There are no FX rates. Add one with `tollgate fx rate set`.";
  const head = ["pair", "price", "market price", "margin", "from", "until", "quote", ""];
  const rows = quotes.map((quote) => [
    pairText(quote),
    quote.price,
    quote.marketPrice,
    percentText(quote.marginMillionths),
    quote.fromAt.toISOString(),
    quote.untilAt.toISOString(),
    quote.quoteId,
    stateOf(quote, now),
  ]);
  return align([head, ...rows]);
}

function stateOf({ fromAt, untilAt }: Quote, now: Date): string {
  if (fromAt > now) return "future";
  return untilAt > now ? "" : "over";
}

/** An FX deal with a bank, with the bank's reference. */
export interface AskedDeal {
  readonly pair: string;
  readonly reference: string;
  readonly soldMinor: bigint;
  readonly boughtMinor: bigint;
}

export interface BookedDeal extends Deal {
  /** Gain of the deal over the amount promised to merchants; negative for a loss. */
  readonly gained: Money;
}

/** `bookDeal` books a deal once per reference. The bank's entries have the same reference and clear it. */
export async function bookDeal(operator: Operator, asked: AskedDeal, now = new Date()): Promise<BookedDeal> {
  const { from, to } = readPair(asked.pair);
  if (!/^[\x21-\x7e]{1,35}$/.test(asked.reference))
    throw new CommandFailed(
      `${asked.reference} is not a reference. Use at most 35 printable characters without spaces.`,
    );
  const sold = { currency: from, minor: asked.soldMinor };
  const bought = { currency: to, minor: asked.boughtMinor };
  return actAsOwner(operator, [house], async (tx) => {
    await lockReconciliation(tx);
    if (!(await findHasHouseAccount(tx)))
      throw new CommandFailed("The house accounts are in another cell. Book the deal there.");
    if (await findIsPosted(tx, asked.reference, "exchange sold"))
      throw new CommandFailed(`The deal ${asked.reference} is already booked.`);
    const position = (await listPositions(tx)).find(
      ({ held, promised }) => held.currency === from && promised.currency === to,
    );
    if (!position || position.held.minor < sold.minor)
      throw new CommandFailed(
        `The open position is only ${formatMoney(position?.held ?? { currency: from, minor: 0n })}, less than the amount sold.`,
      );
    const gained = { currency: to, minor: bought.minor - promisedFor(position, sold.minor) };
    const postings = dealEffects(position, { sold, bought }).map((effect) => ({
      ...effect,
      subjectId: asked.reference,
      at: now,
    }));
    await insertHouseEffects(tx, postings);
    const after = { sold: formatMoney(sold), bought: formatMoney(bought), gained: formatMoney(gained) };
    return {
      value: { sold, bought, gained },
      audit: { act: "fx deal book", subject: asked.reference, after },
    };
  });
}

export async function findPositions({ url, environment }: Operator): Promise<readonly Position[]> {
  return asOwner(url, environment, systemScope, listPositions);
}

export function positionTable(positions: readonly Position[]): string {
  const open = positions.filter(({ held, promised }) => held.minor !== 0n || promised.minor !== 0n);
  if (open.length === 0) return "There is no open FX position.";
  const rows = open.map((position) => {
    const { held, promised } = position;
    return [
      pairText({ from: held.currency, to: promised.currency }),
      formatMoney(held),
      formatMoney(promised),
      averagePrice(position) ?? "",
    ];
  });
  return align([["pair", "held", "promised", "at"], ...rows]);
}
