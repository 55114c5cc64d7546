import type { Commands, CommandArguments } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { print, printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

/** Commands that move the history of payments that have been final for a long time into archive files. */
export const archiveCommands: Commands = {
  archive: {
    requiredRole: "owner",
    auditLabel: { english: "Archived payments", chinese: "归档支付" },
    summary: "Move the history of payments that are long final into archive files",
    description:
      "Archives events, callbacks and webhooks of a payment when nothing of it is open, its provider's refund " +
      "window has passed and 180 days have passed. The payment stays in the database with its refunds, " +
      "captures, disputes and ledger rows, so API responses do not change. Payments continue during the run; " +
      `run an interrupted command again. docs/operating/data-retention.md lists the archived tables. ${ownerSettingsHelp}`,
    options: {
      before: {
        value: "MONTH",
        summary: "Archive payments created before this month, such as 2026-01",
        isRequired: true,
      },
      from: {
        value: "MONTH",
        summary: "First month to archive (default: month of the oldest payment)",
      },
      to: { value: "DIR", summary: "Archive folder, on a disk that is backed up" },
      batch: { value: "N", summary: "Payments per file and transaction (default 500)" },
      "dry-run": { summary: "Count the payments to archive; change nothing" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate archive --before 2026-01 --dry-run",
      "tollgate archive --before 2026-01 --to /srv/tollgate-archive --reason 'every January'",
    ],
    run: runArchive,
  },
  "archive verify": {
    requiredRole: "support",
    positionals: ["DIR"],
    summary: "Verify each archive file against the checksums in the database",
    description:
      "Compares checksums and the number of rows of each table with the values stored when the rows were " +
      `deleted. Exits with code 1 if a file is missing or changed. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate archive verify /srv/tollgate-archive"],
    run: async (args) => {
      const { verifyArchive, formatVerification } = await import("../../archive/archive-read.workflow.ts");
      const verification = await verifyArchive(operatorOf(args), args.positionals[0] ?? "");
      printResult(args, verification, formatVerification(verification));
      if (verification.problems.length > 0) process.exitCode = 1;
    },
  },
  "archive show": {
    requiredRole: "support",
    summary: "Print the archived rows of a payment as JSON lines",
    description: `The rows are printed as they were in PostgreSQL and may contain personal data of a buyer. ${ownerSettingsHelp}`,
    options: {
      "payment-id": { value: "ID", summary: "Payment id", isRequired: true },
      archive: { value: "DIR", summary: "Archive folder", isRequired: true },
      ...operatorOptions,
    },
    examples: [
      "tollgate archive show --payment-id 20251115093000123047601530017744120 --archive /srv/tollgate-archive",
    ],
    run: async (args) => {
      const { findArchivedRows } = await import("../../archive/archive-read.workflow.ts");
      const [folder, paymentId] = [requiredOption(args, "archive"), requiredOption(args, "payment-id")];
      const lines = await findArchivedRows(operatorOf(args), folder, paymentId);
      print(lines.join("\n"));
    },
  },
};

async function runArchive(args: CommandArguments): Promise<void> {
  const [{ archivePayments, formatArchivedMonths }, { isMonth }] = await Promise.all([
    import("../../archive/archive.workflow.ts"),
    import("../../archive/archive.ts"),
  ]);
  const [before, from] = [requiredOption(args, "before"), args.value("from")];
  for (const month of [before, from ?? before])
    if (!isMonth(month)) throw new UsageError(`${month} is not a month. Write it as 2026-01.`);
  const isDryRun = args.has("dry-run");
  if (isDryRun === args.has("to"))
    throw new UsageError("Give either the archive folder with --to DIR, or --dry-run.");
  const months = await archivePayments(operatorOf(args), {
    before,
    from,
    folder: args.value("to"),
    batchSize: parseWholeNumber(args, "batch", [1, 20_000]) ?? 500,
    now: new Date(),
  });
  printResult(args, months, formatArchivedMonths(months, isDryRun));
}
