import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { conversionAccount } from "./currency-conversion-effects.ts";
import {
  parsePrice,
  type CurrencyPair,
  type FxPosition,
  type FxPrice,
  type FxQuote,
} from "./currency-conversion.ts";

export async function insertQuote(tx: Tx, quote: FxQuote): Promise<void> {
  await tx.query(sql`
    insert into exchange_quotes
      (quote_id, from_currency, to_currency, market_price, margin_millionths, price, from_at, until_at)
    values (${quote.quoteId}, ${quote.from}, ${quote.to}, ${quote.marketPrice}::numeric,
      ${quote.marginMillionths}, ${quote.price}::numeric, ${quote.fromAt}, ${quote.untilAt})
  `);
}

/**
 * Returns the FX rate that is valid at a time: the newest that has begun and not expired. If two rates have the same
 * start, the later one is valid.
 */
export async function findQuote(tx: Tx, { from, to }: CurrencyPair, at: Date): Promise<FxQuote | undefined> {
  const [row] = await tx.query<QuoteRow>(sql`
    select ${columns} from exchange_quotes
    where from_currency = ${from} and to_currency = ${to} and from_at <= ${at} and until_at > ${at}
    order by from_at desc, set_at desc limit 1
  `);
  return row && toQuote(row);
}

/** Newest first. */
export async function listQuotes(tx: Tx, limit: number): Promise<readonly FxQuote[]> {
  const rows = await tx.query<QuoteRow>(sql`
    select ${columns} from exchange_quotes order by from_at desc, set_at desc limit ${limit}
  `);
  return rows.map(toQuote);
}

const columns = fragment`quote_id, from_currency, to_currency, market_price, margin_millionths, price, from_at, until_at`;

interface QuoteRow {
  readonly quote_id: string;
  readonly from_currency: string;
  readonly to_currency: string;
  readonly market_price: string;
  readonly margin_millionths: number;
  readonly price: string;
  readonly from_at: Date;
  readonly until_at: Date;
}

function toQuote(row: QuoteRow): FxQuote {
  return {
    quoteId: row.quote_id,
    from: row.from_currency,
    to: row.to_currency,
    marketPrice: parseStoredPrice(row.market_price),
    marginMillionths: BigInt(row.margin_millionths),
    price: parseStoredPrice(row.price),
    fromAt: row.from_at,
    untilAt: row.until_at,
  };
}

/** PostgreSQL returns all 15 decimal places. */
export function parseStoredPrice(text: string): FxPrice {
  const price = parsePrice(text);
  if (price === undefined) throw new Error(`${text} is not a price.`);
  return price;
}

/**
 * Returns the position of each pair from the ledger. Rows of a merchant that moved to another cell count, because this
 * cell converted its amounts and books the deals for them. Needs an operator with oversight over all merchants.
 */
export async function listPositions(tx: Tx): Promise<readonly FxPosition[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ account: string; currency: string; minor: string }>(sql`
    select account, currency, sum(minor)::text as minor from ledger_transfers
    cross join lateral (values (debit_account, amount_minor), (credit_account, -amount_minor)) as side (account, minor)
    where starts_with(effect, 'exchange') and account like 'exchange ___/___'
    group by account, currency order by account
  `);
  const balanceOf = (pair: CurrencyPair, currency: string): bigint =>
    BigInt(
      rows.find((row) => row.account === conversionAccount(pair) && row.currency === currency)?.minor ?? 0,
    );
  return [...new Set(rows.map(({ account }) => account))].map((account) => {
    const [from = "", to = ""] = account.slice("exchange ".length).split("/");
    return {
      held: { currency: from, minor: -balanceOf({ from, to }, from) },
      promised: { currency: to, minor: balanceOf({ from, to }, to) },
    };
  });
}
