import type { Commands, Given } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { print, show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

/** Commands that move the history of payments that have been final for a long time into archive files. */
export const archiveCommands: Commands = {
  archive: {
    needs: "owner",
    acts: { english: "Archived payments", chinese: "归档支付" },
    does: "Move the history of payments that are long final into archive files",
    about:
      "Archives events, callbacks and webhooks of a payment when nothing of it is open, its provider's refund " +
      "window has passed and 180 days have passed. The payment stays in the database with its refunds, " +
      "captures, disputes and ledger rows, so API responses do not change. Payments continue during the run; " +
      `run an interrupted command again. docs/operating/data-retention.md lists the archived tables. ${ownersSettings}`,
    options: {
      before: {
        value: "MONTH",
        does: "Archive payments created before this month, such as 2026-01",
        isRequired: true,
      },
      from: {
        value: "MONTH",
        does: "First month to archive (default: month of the oldest payment)",
      },
      to: { value: "DIR", does: "Archive folder, on a disk that is backed up" },
      batch: { value: "N", does: "Payments per file and transaction (default 500)" },
      "dry-run": { does: "Count the payments to archive; change nothing" },
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
    needs: "support",
    takes: ["DIR"],
    does: "Verify each archive file against the checksums in the database",
    about:
      "Compares checksums and the number of rows of each table with the values stored when the rows were " +
      `deleted. Exits with code 1 if a file is missing or changed. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate archive verify /srv/tollgate-archive"],
    run: async (given) => {
      const { verifyArchive, verifiedText } = await import("../../archive/archive-read.workflow.ts");
      const verified = await verifyArchive(operatorOf(given), given.words[0] ?? "");
      show(given, verified, verifiedText(verified));
      if (verified.problems.length > 0) process.exitCode = 1;
    },
  },
  "archive show": {
    needs: "support",
    does: "Print the archived rows of a payment as JSON lines",
    about: `The rows are printed as they were in PostgreSQL and may contain personal data of a buyer. ${ownersSettings}`,
    options: {
      "payment-id": { value: "ID", does: "Payment id", isRequired: true },
      archive: { value: "DIR", does: "Archive folder", isRequired: true },
      ...operatorOptions,
    },
    examples: [
      "tollgate archive show --payment-id 20251115093000123047601530017744120 --archive /srv/tollgate-archive",
    ],
    run: async (given) => {
      const { findArchivedRows } = await import("../../archive/archive-read.workflow.ts");
      const [folder, paymentId] = [required(given, "archive"), required(given, "payment-id")];
      const lines = await findArchivedRows(operatorOf(given), folder, paymentId);
      print(lines.join("\n"));
    },
  },
};

async function runArchive(given: Given): Promise<void> {
  const [{ archivePayments, archivedText }, { isMonth }] = await Promise.all([
    import("../../archive/archive.workflow.ts"),
    import("../../archive/archive.ts"),
  ]);
  const [before, from] = [required(given, "before"), given.value("from")];
  for (const month of [before, from ?? before])
    if (!isMonth(month)) throw new UsageError(`${month} is not a month. Write it as 2026-01.`);
  const isCounted = given.has("dry-run");
  if (isCounted === given.has("to"))
    throw new UsageError("Give either the archive folder with --to DIR, or --dry-run.");
  const months = await archivePayments(operatorOf(given), {
    before,
    from,
    folder: given.value("to"),
    batchSize: wholeNumber(given, "batch", [1, 20_000]) ?? 500,
    now: new Date(),
  });
  show(given, months, archivedText(months, isCounted));
}
