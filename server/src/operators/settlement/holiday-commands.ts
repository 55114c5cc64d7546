import type { Commands } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** Commands for bank holidays. */
export const holidayCommands: Commands = {
  "holiday set": {
    requiredRole: "finance",
    auditLabel: { english: "Set bank holidays", chinese: "设置银行假日" },
    positionals: ["CURRENCY", "YEAR"],
    summary: "Set the bank holidays of a currency for a year",
    description:
      "Replaces the year's earlier list. Omit weekends. Closed batches keep their due day.\n" +
      ownerSettingsHelp,
    options: {
      days: { value: "DAYS", summary: "Days separated by commas; '' for none", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate holiday set EUR 2027 --days 2027-01-01,2027-03-26,2027-03-29"],
    run: async (args) => {
      const { setHolidays } = await import("../../settlement/holidays.workflow.ts");
      const [currency = "", year = ""] = args.positionals;
      const days = requiredOption(args, "days").split(",").filter(Boolean);
      const savedHolidays = await setHolidays(operatorOf(args), {
        currency: currency.toUpperCase(),
        year,
        days,
      });
      printResult(args, savedHolidays, `Set ${savedHolidays.days.length} days of ${year}.`);
    },
  },
  "holiday list": {
    requiredRole: "support",
    positionals: ["[CURRENCY]"],
    summary: "List bank holidays",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate holiday list", "tollgate holiday list EUR"],
    run: async (args) => {
      const { findStoredHolidays } = await import("../../settlement/holidays.workflow.ts");
      const holidays = await findStoredHolidays(operatorOf(args), args.positionals[0]?.toUpperCase());
      const rows = holidays.map(({ currency, day }) => [currency, day]);
      printResult(
        args,
        holidays,
        rows.length === 0 ? "There are no bank holidays." : formatTextTable([["currency", "day"], ...rows]),
      );
    },
  },
};
