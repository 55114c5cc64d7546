import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { align } from "../../formats/text-table.ts";

/** Commands for bank holidays. */
export const holidayCommands: Commands = {
  "holiday set": {
    needs: "finance",
    acts: { english: "Set bank holidays", chinese: "设置银行假日" },
    takes: ["CURRENCY", "YEAR"],
    does: "Set the bank holidays of a currency for a year",
    about:
      "Replaces the year's earlier list. Omit weekends. Closed batches keep their due day.\n" +
      ownersSettings,
    options: {
      days: { value: "DAYS", does: "Days separated by commas; '' for none", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate holiday set EUR 2027 --days 2027-01-01,2027-03-26,2027-03-29"],
    run: async (given) => {
      const { setHolidays } = await import("../../settlement/holidays.workflow.ts");
      const [currency = "", year = ""] = given.words;
      const days = required(given, "days").split(",").filter(Boolean);
      const set = await setHolidays(operatorOf(given), { currency: currency.toUpperCase(), year, days });
      show(given, set, `Set ${set.days.length} days of ${year}.`);
    },
  },
  "holiday list": {
    needs: "support",
    takes: ["[CURRENCY]"],
    does: "List bank holidays",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate holiday list", "tollgate holiday list EUR"],
    run: async (given) => {
      const { findHolidaysSet } = await import("../../settlement/holidays.workflow.ts");
      const holidays = await findHolidaysSet(operatorOf(given), given.words[0]?.toUpperCase());
      const rows = holidays.map(({ currency, day }) => [currency, day]);
      show(
        given,
        holidays,
        rows.length === 0 ? "There are no bank holidays." : align([["currency", "day"], ...rows]),
      );
    },
  },
};
