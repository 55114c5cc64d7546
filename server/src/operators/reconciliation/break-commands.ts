import type { Commands, CommandArguments } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  readActor,
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

/** Commands for breaks (discrepancies): assign, explain, reopen and write off. */
export const breakCommands: Commands = {
  "break list": {
    requiredRole: "support",
    summary: "List open breaks that `reconcile` found",
    description: ownerSettingsHelp,
    options: {
      limit: { value: "N", summary: "Maximum number of rows (default 100; with --aged, all)" },
      aged: { summary: "Print sums of open breaks by currency and age" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate break list", "tollgate break list --aged"],
    run: async (args) => {
      const { findBreaks, findReconciliation, breakTable, breakAgeTable, runSummary } =
        await import("../../reconciliation/breaks.workflow.ts");
      const limit = parseWholeNumber(args, "limit", [1, 100_000]) ?? (args.has("aged") ? 100_000 : 100);
      const breaks = await findBreaks(operatorOf(args), limit);
      const lastRun = runSummary(await findReconciliation(operatorOf(args)));
      printResult(
        args,
        breaks,
        `${(args.has("aged") ? breakAgeTable : breakTable)(breaks, new Date())}\n\n${lastRun}`,
      );
    },
  },
  "break close": {
    requiredRole: "finance",
    auditLabel: { english: "Explained and closed a break", chinese: "说明并关闭差异" },
    positionals: ["BREAK"],
    summary: "Close a break with an explanation",
    description:
      "The reason is the explanation. The ledger does not change. `reconcile` ignores the break until its amounts " +
      "change.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break close 7 --reason 'gcash pays it with the file of the 17th, ticket 4711'"],
    run: async (args) => {
      const { closeBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const closedBreak = await closeBreak(operatorOf(args), parseBreakId(args), readExplanation(args));
      printResult(args, closedBreak, breakTable([closedBreak], new Date()));
    },
  },
  "break reopen": {
    requiredRole: "finance",
    auditLabel: { english: "Reopened a break", chinese: "重新打开差异" },
    positionals: ["BREAK"],
    summary: "Reopen a break whose explanation is wrong",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break reopen 7 --reason 'it was not in the file of the 17th'"],
    run: async (args) => {
      const { reopenBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const reopenedBreak = await reopenBreak(operatorOf(args), parseBreakId(args));
      printResult(args, reopenedBreak, breakTable([reopenedBreak], new Date()));
    },
  },
  "break assign": {
    requiredRole: "finance",
    auditLabel: { english: "Assigned a break", chinese: "分配差异" },
    positionals: ["BREAK"],
    summary: "Assign a break to a person",
    description: ownerSettingsHelp,
    options: {
      to: {
        value: "NAME",
        summary: "Person responsible; empty to unassign",
        isRequired: true,
        mayBeEmpty: true,
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate break assign 7 --to ada --reason 'she knows their people'"],
    run: async (args) => {
      const { assignBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const to = args.value("to") || undefined;
      const assignedBreak = await assignBreak(operatorOf(args), parseBreakId(args), to);
      printResult(args, assignedBreak, breakTable([assignedBreak], new Date()));
    },
  },
  "break write-off": {
    requiredRole: "finance",
    auditLabel: { english: "Wrote a break off", chinese: "核销差异" },
    requiresApproval: true,
    positionals: ["BREAK"],
    summary: "Write a break off",
    description:
      "Books the difference to the account adjustment, or to rounding if it is one minor unit, and closes the " +
      "break. The ledger then agrees with the provider or the bank.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break write-off 7 --reason 'charge of the bank, statement of the 17th'"],
    run: async (args) => {
      const { writeOffBreak, breakTable } = await import("../../reconciliation/breaks.workflow.ts");
      const closedBreak = await writeOffBreak(operatorOf(args), parseBreakId(args), readExplanation(args));
      printResult(args, closedBreak, breakTable([closedBreak], new Date()));
    },
  },
};

function parseBreakId({ positionals: [word = ""] }: CommandArguments): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new UsageError("The break must be a number from `tollgate break list`.");
}

function readExplanation(args: CommandArguments): { readonly by: string; readonly reason: string } {
  const { name = "the command line", reason = "" } = readActor(args);
  if (reason === "") throw new UsageError("Give the explanation with --reason TEXT.");
  return { by: name, reason };
}
