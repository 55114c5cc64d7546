import type { Commands } from "./command.ts";
import { allCellsOption, fleetOf } from "./money-commands.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";

/** Commands about our banks, and what wallets owe us. */
export const bankCommands: Commands = {
  "bank import": {
    needs: "finance",
    acts: true,
    takes: ["FILE"],
    does: "take in a bank's statements, and book them",
    about:
      "camt.053 of ISO 20022. All of it or, if it does not add up, nothing. The same file twice changes nothing; docs/operating/bank.md has more.\n" +
      ownersSettings,
    options: {
      bank: { value: "NAME", does: "whose statements they are", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate bank import statement-2026-11-17.xml --bank house-bank"],
    run: async (given) => {
      const { importBank } = await import("./bank.ts");
      const [file = ""] = given.words;
      const imported = await importBank(operatorOf(given), { bank: required(given, "bank"), file });
      const { statementCount, entryCount, isKnown } = imported;
      const text = `${statementCount} statements, ${entryCount} entries`;
      show(
        given,
        imported,
        isKnown ? `${text}; the same file was imported before, and nothing has changed` : text,
      );
    },
  },
  "wallet owes": {
    needs: "support",
    does: "what each wallet owes us now, and since when",
    about: `Whatever a wallet pays is taken to pay the oldest first. ${ownersSettings}`,
    options: { ...allCellsOption, ...operatorOptions, ...jsonOption },
    examples: ["tollgate wallet owes", "tollgate wallet owes --all-cells"],
    run: async (given) => {
      const { findOwed, owedTable } = await import("./wallet-owes.ts");
      const operators = given.has("all-cells")
        ? [...(await fleetOf(given)).operators.values()]
        : [operatorOf(given)];
      const owed = await findOwed(operators);
      show(given, owed, owedTable(owed));
    },
  },
};
