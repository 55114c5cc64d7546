import type { Commands, Given } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { readActor, jsonOption, operatorOf, operatorOptions, ownersSettings } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

/** Commands for breaks (discrepancies): assign, explain, reopen and write off. */
export const breakCommands: Commands = {
  "break list": {
    needs: "support",
    does: "List open breaks that `reconcile` found",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "Maximum number of rows (default 100; with --aged, all)" },
      aged: { does: "Print sums of open breaks by currency and age" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate break list", "tollgate break list --aged"],
    run: async (given) => {
      const { findBreaks, findReconciliation, breakTable, agedTable, runText } =
        await import("../../reconciliation/breaks.workflow.ts");
      const limit = wholeNumber(given, "limit", [1, 100_000]) ?? (given.has("aged") ? 100_000 : 100);
      const found = await findBreaks(operatorOf(given), limit);
      const ran = runText(await findReconciliation(operatorOf(given)));
      show(given, found, `${(given.has("aged") ? agedTable : breakTable)(found, new Date())}\n\n${ran}`);
    },
  },
  "break close": {
    needs: "finance",
    acts: { english: "Explained and closed a break", chinese: "说明并关闭差异" },
    takes: ["BREAK"],
    does: "Close a break with an explanation",
    about:
      "The reason is the explanation. The ledger does not change. `reconcile` ignores the break until its amounts " +
      "change.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break close 7 --reason 'gcash pays it with the file of the 17th, ticket 4711'"],
    run: async (given) => {
      const { closeBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const closed = await closeBreak(operatorOf(given), breakOf(given), closingOf(given));
      show(given, closed, breakTable([closed], new Date()));
    },
  },
  "break reopen": {
    needs: "finance",
    acts: { english: "Reopened a break", chinese: "重新打开差异" },
    takes: ["BREAK"],
    does: "Reopen a break whose explanation is wrong",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break reopen 7 --reason 'it was not in the file of the 17th'"],
    run: async (given) => {
      const { reopenBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const opened = await reopenBreak(operatorOf(given), breakOf(given));
      show(given, opened, breakTable([opened], new Date()));
    },
  },
  "break assign": {
    needs: "finance",
    acts: { english: "Assigned a break", chinese: "分配差异" },
    takes: ["BREAK"],
    does: "Assign a break to a person",
    about: ownersSettings,
    options: {
      to: {
        value: "NAME",
        does: "Person responsible; empty to unassign",
        isRequired: true,
        mayBeEmpty: true,
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate break assign 7 --to ada --reason 'she knows their people'"],
    run: async (given) => {
      const { assignBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const to = given.value("to") || undefined;
      const assigned = await assignBreak(operatorOf(given), breakOf(given), to);
      show(given, assigned, breakTable([assigned], new Date()));
    },
  },
  "break write-off": {
    needs: "finance",
    acts: { english: "Wrote a break off", chinese: "核销差异" },
    requiresApproval: true,
    takes: ["BREAK"],
    does: "Write a break off",
    about:
      "Books the difference to the account adjustment, or to rounding if it is one minor unit, and closes the " +
      "break. The ledger then agrees with the provider or the bank.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break write-off 7 --reason 'charge of the bank, statement of the 17th'"],
    run: async (given) => {
      const { writeOffBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const closed = await writeOffBreak(operatorOf(given), breakOf(given), closingOf(given));
      show(given, closed, breakTable([closed], new Date()));
    },
  },
};

function breakOf({ words: [word = ""] }: Given): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new UsageError("The break must be a number from `tollgate break list`.");
}

function closingOf(given: Given): { readonly by: string; readonly reason: string } {
  const { name = "the command line", reason = "" } = readActor(given);
  if (reason === "") throw new UsageError("Give the explanation with --reason TEXT.");
  return { by: name, reason };
}
