import { isAccountingDay } from "../core/accounting-day.ts";
import { isCurrency } from "../core/currency.ts";
import { systemScope } from "../postgres/database.ts";
import { listHolidays, writeHolidays, type Holiday } from "./holiday.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";

export interface HolidayYear {
  readonly currency: string;
  readonly year: string;
  readonly days: readonly string[];
}

/** `setHolidays` replaces the bank holidays of a year in a currency. Closed batches stay unchanged. */
export async function setHolidays(operator: Operator, holidays: HolidayYear): Promise<HolidayYear> {
  const { currency, year } = holidays;
  if (!isCurrency(currency)) throw new CommandFailed(`${currency} is not a currency code, such as EUR.`);
  if (!/^\d{4}$/.test(year)) throw new CommandFailed(`${year} is not a year, such as 2027.`);
  const invalidDay = holidays.days.find((day) => !isAccountingDay(day) || !day.startsWith(`${year}-`));
  if (invalidDay !== undefined)
    throw new CommandFailed(`${invalidDay} is not a day of ${year}, such as ${year}-01-01.`);
  const days = [...new Set(holidays.days)].toSorted();
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

export async function findStoredHolidays(
  { url, environment }: Operator,
  currency: string | undefined,
): Promise<readonly Holiday[]> {
  return queryAsOwner(url, environment, systemScope, (tx) => listHolidays(tx, currency));
}
