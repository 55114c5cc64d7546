import { isBookDay } from "../core/book-day.ts";
import { isCurrency } from "../core/currency.ts";
import { systemScope } from "../postgres/database.ts";
import { listHolidays, writeHolidays, type Holiday } from "../settlement/holiday.sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";

export interface YearOfHolidays {
  readonly currency: string;
  readonly year: string;
  readonly days: readonly string[];
}

/** All days of a year on which banks do not pay in a currency, in place of those that were set before. Batches that are closed stay as they are. */
export async function setHolidays(operator: Operator, asked: YearOfHolidays): Promise<YearOfHolidays> {
  const { currency, year } = asked;
  if (!isCurrency(currency)) throw new Impossible(`${currency} is no currency, such as EUR.`);
  if (!/^\d{4}$/.test(year)) throw new Impossible(`${year} is no year, such as 2027.`);
  const wrong = asked.days.find((day) => !isBookDay(day) || !day.startsWith(`${year}-`));
  if (wrong !== undefined)
    throw new Impossible(`${wrong}: it has to be a day of ${year}, such as ${year}-01-01.`);
  const days = [...new Set(asked.days)].toSorted();
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = (await listHolidays(tx, currency)).flatMap(({ day }) =>
      day.startsWith(year) ? [day] : [],
    );
    await writeHolidays(tx, currency, { firstDay: `${year}-01-01`, lastDay: `${year}-12-31`, days });
    return {
      value: { currency, year, days },
      audit: {
        act: "holiday set",
        subject: `${currency} ${year}`,
        before: { days: before },
        after: { days },
      },
    };
  });
}

export async function findHolidaysSet(
  { url, environment }: Operator,
  currency: string | undefined,
): Promise<readonly Holiday[]> {
  return asOwner(url, environment, systemScope, (tx) => listHolidays(tx, currency));
}
