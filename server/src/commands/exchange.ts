import { randomInt } from "node:crypto";
import { isBookDay, nextBookDay, startOfBookDay } from "../core/book-day.ts";
import { isCurrency } from "../core/currency.ts";
import { formatMoney, type Money } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { newShortId } from "../core/short-id.ts";
import { house } from "../ledger/account.ts";
import { dealEffects, type Deal } from "../ledger/exchange-effects.ts";
import { insertQuote, listPositions, listQuotes } from "../ledger/exchange.sql.ts";
import {
  averagePrice,
  pairText,
  priceLessMargin,
  promisedFor,
  readPrice,
  type Pair,
  type Position,
  type Quote,
} from "../ledger/exchange.ts";
import { findHasHouse, findIsPosted, insertHouseEffects } from "../ledger/house.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { lockMatching } from "../reconciliation/compare.sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { percentText } from "./fee.ts";
import { align } from "./table.ts";

/** A quote as an operator sets it. */
export interface AskedQuote {
  readonly pair: string;
  readonly price: string;
  readonly marginMillionths: bigint;
  /** A day of the books or a time; at once, when it is absent. */
  readonly from: string | undefined;
  readonly until: string;
}

/** Adds a quote. Batches that are closed while it is good go by it, and no batch before. */
export async function setQuote(operator: Operator, asked: AskedQuote): Promise<Quote> {
  const pair = readPair(asked.pair);
  const marketPrice = readPrice(asked.price);
  const price = marketPrice && priceLessMargin(marketPrice, asked.marginMillionths);
  if (marketPrice === undefined || price === undefined)
    throw new Impossible(
      `${asked.price}: a price is a decimal above zero, with up to 15 digits behind the point.`,
    );
  const fromAt = asked.from === undefined ? new Date() : momentOf(asked.from, "first");
  const untilAt = momentOf(asked.until, "last");
  if (untilAt <= fromAt || untilAt <= new Date()) throw new Impossible(`${asked.until}: that is over.`);
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
      act: "rate set",
      // As it was asked for, and without the id: both are the same when the command is run again after somebody has approved it.
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
  throw new Impossible(`${text}: a pair is two currencies, such as EUR/USD.`);
}

/** A day of the books from its beginning, or to its end; or a time in ISO 8601 with a zone. */
function momentOf(text: string, day: "first" | "last"): Date {
  const ms = text[10] === "T" ? parseRequestTime(text) : undefined;
  if (ms !== undefined) return new Date(ms);
  if (!isBookDay(text))
    throw new Impossible(`${text}: say a day, such as 2026-12-01, or a time in ISO 8601 with a zone.`);
  return startOfBookDay(day === "first" ? text : nextBookDay(text));
}

export function quoteTable(quotes: readonly Quote[], now: Date): string {
  if (quotes.length === 0) return "There are none. `tollgate rate set` adds one.";
  const head = ["pair", "price", "of the market", "margin", "from", "until", "quote", ""];
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
  if (fromAt > now) return "to come";
  return untilAt > now ? "" : "over";
}

/** A deal with a bank, as the bank calls it. */
export interface AskedDeal {
  readonly pair: string;
  readonly reference: string;
  readonly soldMinor: bigint;
  readonly boughtMinor: bigint;
}

export interface BookedDeal extends Deal {
  /** What we got beyond what was promised to merchants; below zero, what it fell short. */
  readonly gained: Money;
}

/** Books a deal, once by its reference. The bank's own lines carry the same, and meet it in clearing. */
export async function bookDeal(operator: Operator, asked: AskedDeal, now = new Date()): Promise<BookedDeal> {
  const { from, to } = readPair(asked.pair);
  if (!/^[\x21-\x7e]{1,35}$/.test(asked.reference))
    throw new Impossible(`${asked.reference}: a reference is one word of 35 characters at the most.`);
  const sold = { currency: from, minor: asked.soldMinor };
  const bought = { currency: to, minor: asked.boughtMinor };
  return actAsOwner(operator, [house], async (tx) => {
    await lockMatching(tx);
    if (!(await findHasHouse(tx)))
      throw new Impossible("The books of the house are in another cell: book it there.");
    if (await findIsPosted(tx, asked.reference, "exchange sold"))
      throw new Impossible(`A deal ${asked.reference} is booked already.`);
    const position = (await listPositions(tx)).find(
      ({ held, promised }) => held.currency === from && promised.currency === to,
    );
    if (!position || position.held.minor < sold.minor)
      throw new Impossible(
        `Merchants have changed ${formatMoney(position?.held ?? { currency: from, minor: 0n })} that is not sold yet, which is less.`,
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
      audit: { act: "exchange book", subject: asked.reference, after },
    };
  });
}

export async function findPositions({ url, environment }: Operator): Promise<readonly Position[]> {
  return asOwner(url, environment, systemScope, listPositions);
}

export function positionTable(positions: readonly Position[]): string {
  const open = positions.filter(({ held, promised }) => held.minor !== 0n || promised.minor !== 0n);
  if (open.length === 0) return "Nothing is held: all that merchants changed is sold.";
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
