import type { Commands } from "../framework/command.ts";
import { allCellsOption, fleetOf } from "../ledger/money-commands.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { show } from "../framework/show.ts";

/** Commands for bank statements and provider receivables. */
export const bankCommands: Commands = {
  "bank import": {
    needs: "finance",
    acts: { english: "Imported bank statements", chinese: "导入银行对账单" },
    takes: ["FILE"],
    does: "Import and book a bank's statements (camt.053)",
    about:
      "Reads ISO 20022 camt.053. Imports the whole file, or nothing if its balances do not add up. Importing " +
      "the same file again changes nothing. See docs/operating/bank.md.\n" +
      ownersSettings,
    options: {
      bank: { value: "NAME", does: "Bank of the statements", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate bank import statement-2026-11-17.xml --bank house-bank"],
    run: async (given) => {
      const { importBank } = await import("../../reconciliation/import-bank-statement.workflow.ts");
      const [file = ""] = given.words;
      const imported = await importBank(operatorOf(given), { bank: required(given, "bank"), file });
      const { statementCount, entryCount, isKnown } = imported;
      const text = `${statementCount} statements, ${entryCount} entries`;
      show(
        given,
        imported,
        isKnown ? `${text}; the file was already imported, and nothing has changed` : text,
      );
    },
  },
  "provider receivables": {
    needs: "support",
    does: "List the amounts that payment providers owe, with their age",
    about: `Payments of a provider are applied to the oldest amounts first. ${ownersSettings}`,
    options: { ...allCellsOption, ...operatorOptions, ...jsonOption },
    examples: ["tollgate provider receivables", "tollgate provider receivables --all-cells"],
    run: async (given) => {
      const { findProviderReceivables, owedTable } = await import("./provider-receivables.ts");
      const operators = given.has("all-cells")
        ? [...(await fleetOf(given)).operators.values()]
        : [operatorOf(given)];
      const owed = await findProviderReceivables(operators);
      show(given, owed, owedTable(owed));
    },
  },
};
