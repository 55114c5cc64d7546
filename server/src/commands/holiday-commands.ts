import type { Commands } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";
import { align } from "./table.ts";

/** Commands about days on which banks do not pay. */
export const holidayCommands: Commands = {
  "holiday set": {
    needs: "finance",
    acts: true,
    takes: ["CURRENCY", "YEAR"],
    does: "all days of a year on which banks do not pay in a currency",
    about:
      "In place of those of that year that were set before; weekends need not be said. Batches that are closed keep their due day.\n" +
      ownersSettings,
    options: {
      days: { value: "DAYS", does: "with commas between them; '' for none", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate holiday set EUR 2027 --days 2027-01-01,2027-03-26,2027-03-29"],
    run: async (given) => {
      const { setHolidays } = await import("./holiday.ts");
      const [currency = "", year = ""] = given.words;
      const days = required(given, "days").split(",").filter(Boolean);
      const set = await setHolidays(operatorOf(given), { currency: currency.toUpperCase(), year, days });
      show(given, set, `${set.days.length} days of ${year}`);
    },
  },
  "holiday list": {
    needs: "support",
    takes: ["[CURRENCY]"],
    does: "days on which banks do not pay",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate holiday list", "tollgate holiday list EUR"],
    run: async (given) => {
      const { findHolidaysSet } = await import("./holiday.ts");
      const holidays = await findHolidaysSet(operatorOf(given), given.words[0]?.toUpperCase());
      const rows = holidays.map(({ currency, day }) => [currency, day]);
      show(given, holidays, rows.length === 0 ? "There are none." : align([["currency", "day"], ...rows]));
    },
  },
};
