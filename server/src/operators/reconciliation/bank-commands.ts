import type { Commands } from "../framework/command.ts";
import { allCellsOption, readFleetOperators } from "../ledger/maintenance-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";

/** Commands for bank statements and provider receivables. */
export const bankCommands: Commands = {
  "bank import": {
    requiredRole: "finance",
    auditLabel: { english: "Imported bank statements", chinese: "导入银行对账单" },
    positionals: ["FILE"],
    summary: "Import and book a bank's statements (camt.053)",
    description:
      "Reads ISO 20022 camt.053. Imports the whole file, or nothing if its balances do not add up. Importing " +
      "the same file again changes nothing. See docs/operating/bank.md.\n" +
      ownerSettingsHelp,
    options: {
      bank: { value: "NAME", summary: "Bank of the statements", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate bank import statement-2026-11-17.xml --bank house-bank"],
    run: async (args) => {
      const { importBankStatements } = await import("../../reconciliation/import-bank-statement.workflow.ts");
      const [file = ""] = args.positionals;
      const importResult = await importBankStatements(operatorOf(args), {
        bank: requiredOption(args, "bank"),
        file,
      });
      const { statementCount, entryCount, isKnown } = importResult;
      const text = `${statementCount} statements, ${entryCount} entries`;
      printResult(
        args,
        importResult,
        isKnown ? `${text}; the file was already imported, and nothing has changed` : text,
      );
    },
  },
  "provider receivables": {
    requiredRole: "support",
    summary: "List the amounts that payment providers owe, with their age",
    description: `Payments of a provider are applied to the oldest amounts first. ${ownerSettingsHelp}`,
    options: { ...allCellsOption, ...operatorOptions, ...jsonOption },
    examples: ["tollgate provider receivables", "tollgate provider receivables --all-cells"],
    run: async (args) => {
      const { findProviderReceivables, receivablesTable } = await import("./provider-receivables.ts");
      const operators = args.has("all-cells")
        ? [...(await readFleetOperators(args)).operators.values()]
        : [operatorOf(args)];
      const receivables = await findProviderReceivables(operators);
      printResult(args, receivables, receivablesTable(receivables));
    },
  },
};
