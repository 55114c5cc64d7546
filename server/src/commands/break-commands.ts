import { UsageError, type Commands, type Given } from "./command.ts";
import { byOf, jsonOption, operatorOf, operatorOptions, ownersSettings } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

/** Commands about breaks: who looks after one, how it is explained, and what is given up. */
export const breakCommands: Commands = {
  "break list": {
    needs: "support",
    does: "what `match` found that is not resolved, and how it was explained",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "at most so many; 100 unless said otherwise, and all of them with --aged" },
      aged: { does: "sums by currency and age of those that are open" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate break list", "tollgate break list --aged"],
    run: async (given) => {
      const { findBreaks, findReconciliation, breakTable, agedTable, runText } = await import("./break.ts");
      const limit = wholeNumber(given, "limit", [1, 100_000]) ?? (given.has("aged") ? 100_000 : 100);
      const found = await findBreaks(operatorOf(given), limit);
      const ran = runText(await findReconciliation(operatorOf(given)));
      show(given, found, `${(given.has("aged") ? agedTable : breakTable)(found, new Date())}\n\n${ran}`);
    },
  },
  "break close": {
    needs: "finance",
    acts: true,
    takes: ["BREAK"],
    does: "close a break that you can explain",
    about:
      "The reason is the explanation. It changes nothing in the books: `match` counts the break no more, until it finds other sums.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break close 7 --reason 'gcash pays it with the file of the 17th, ticket 4711'"],
    run: async (given) => {
      const { closeBreak, breakTable } = await import("./break.ts");
      const closed = await closeBreak(operatorOf(given), breakOf(given), closingOf(given));
      show(given, closed, breakTable([closed], new Date()));
    },
  },
  "break reopen": {
    needs: "finance",
    acts: true,
    takes: ["BREAK"],
    does: "open a break again whose explanation does not hold",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break reopen 7 --reason 'it was not in the file of the 17th'"],
    run: async (given) => {
      const { reopenBreak, breakTable } = await import("./break.ts");
      const opened = await reopenBreak(operatorOf(given), breakOf(given));
      show(given, opened, breakTable([opened], new Date()));
    },
  },
  "break assign": {
    needs: "finance",
    acts: true,
    takes: ["BREAK"],
    does: "say who looks after a break",
    about: ownersSettings,
    options: {
      to: {
        value: "NAME",
        does: "whose it is; nobody's, when it is empty",
        isRequired: true,
        mayBeEmpty: true,
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate break assign 7 --to ada --reason 'she knows their people'"],
    run: async (given) => {
      const { assignBreak, breakTable } = await import("./break.ts");
      const to = given.value("to") || undefined;
      const assigned = await assignBreak(operatorOf(given), breakOf(given), to);
      show(given, assigned, breakTable([assigned], new Date()));
    },
  },
  "break write-off": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    takes: ["BREAK"],
    does: "give up what a break is about",
    about:
      "Posts the difference to adjustment, or to rounding when it is one smallest unit, so that the books say what the wallet or the bank says, and closes the break.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate break write-off 7 --reason 'charge of the bank, statement of the 17th'"],
    run: async (given) => {
      const { writeOffBreak, breakTable } = await import("./break.ts");
      const closed = await writeOffBreak(operatorOf(given), breakOf(given), closingOf(given));
      show(given, closed, breakTable([closed], new Date()));
    },
  },
};

function breakOf({ words: [word = ""] }: Given): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new UsageError("A break is a number: `tollgate break list` has them.");
}

function closingOf(given: Given): { readonly by: string; readonly reason: string } {
  const { name = "the command line", reason = "" } = byOf(given);
  if (reason === "") throw new UsageError("Say how it is explained, with --reason TEXT.");
  return { by: name, reason };
}
