import { sql, type Tx } from "../postgres/sql.ts";

export interface Holiday {
  readonly currency: string;
  readonly day: string;
}

/** Lists bank holidays of one currency, or of all, sorted by day. */
export async function listHolidays(tx: Tx, currency: string | undefined): Promise<readonly Holiday[]> {
  return tx.query<{ currency: string; day: string }>(sql`
    select currency, day::text from bank_holidays where ${currency}::text is null or currency = ${currency}
    order by currency, day
  `);
}

/** Returns the bank holidays of a currency from this day on. */
export async function findHolidays(tx: Tx, currency: string, fromDay: string): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ day: string }>(sql`
    select day::text from bank_holidays where currency = ${currency} and day >= ${fromDay}
  `);
  return new Set(rows.map(({ day }) => day));
}

/** Replaces the holidays of a year. */
export async function writeHolidays(
  tx: Tx,
  currency: string,
  {
    firstDay,
    lastDay,
    days,
  }: { readonly firstDay: string; readonly lastDay: string; readonly days: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    delete from bank_holidays where currency = ${currency} and day between ${firstDay} and ${lastDay}
  `);
  await tx.query(sql`
    insert into bank_holidays (currency, day) select ${currency}, unnest(${days}::date[])
  `);
}
