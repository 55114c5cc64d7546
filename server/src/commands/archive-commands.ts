import { UsageError, type Commands, type Given } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { print, show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

/** Commands about payments that are long over: what only tells how they came to their end is moved into files. */
export const archiveCommands: Commands = {
  archive: {
    needs: "owner",
    acts: true,
    does: "move events, callbacks and notifications of payments that are long over into files",
    about:
      "A payment is over when nothing of it is open, its wallet's refund window has passed, and 180 days. The payment itself stays, with\n" +
      "its refunds, captures, disputes and the ledger: every call is answered as before. Payments go on meanwhile; cut off, run it again.\n" +
      `docs/operating/data.md says what is moved. ${ownersSettings}`,
    options: {
      before: {
        value: "MONTH",
        does: "payments that began before this month, such as 2026-01",
        isRequired: true,
      },
      from: {
        value: "MONTH",
        does: "and from this month on; from the oldest payment, unless said otherwise",
      },
      to: { value: "DIR", does: "the archive's folder, on a disk that is backed up" },
      batch: { value: "N", does: "payments in a file and a transaction; 500 unless said otherwise" },
      "dry-run": { does: "only count what could go" },
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
    does: "read every file of the archive, and compare it with what was recorded when its rows were deleted",
    about: `Checksums, and how many rows of each table. Exit code 1 says that something is missing or changed. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate archive verify /srv/tollgate-archive"],
    run: async (given) => {
      const { verifyArchive, verifiedText } = await import("./archive-read.ts");
      const verified = await verifyArchive(operatorOf(given), given.words[0] ?? "");
      show(given, verified, verifiedText(verified));
      if (verified.problems.length > 0) process.exitCode = 1;
    },
  },
  "archive show": {
    needs: "support",
    does: "print the rows of a payment that are in the archive, as lines of JSON",
    about: `They are as PostgreSQL had them, and may say something about a buyer. ${ownersSettings}`,
    options: {
      "payment-id": { value: "ID", does: "the payment", isRequired: true },
      archive: { value: "DIR", does: "the archive's folder", isRequired: true },
      ...operatorOptions,
    },
    examples: [
      "tollgate archive show --payment-id 20251115093000123047601530017744120 --archive /srv/tollgate-archive",
    ],
    run: async (given) => {
      const { findArchivedRows } = await import("./archive-read.ts");
      const [folder, paymentId] = [required(given, "archive"), required(given, "payment-id")];
      const lines = await findArchivedRows(operatorOf(given), folder, paymentId);
      print(lines.join("\n"));
    },
  },
};

async function runArchive(given: Given): Promise<void> {
  const [{ archivePayments, archivedText }, { isMonth }] = await Promise.all([
    import("./archive.ts"),
    import("../archive/archive.ts"),
  ]);
  const [before, from] = [required(given, "before"), given.value("from")];
  for (const month of [before, from ?? before])
    if (!isMonth(month)) throw new UsageError(`${month} is no month: write it as 2026-01.`);
  const isCounted = given.has("dry-run");
  if (isCounted === given.has("to"))
    throw new UsageError("Say either where to, with --to DIR, or --dry-run.");
  const months = await archivePayments(operatorOf(given), {
    before,
    from,
    folder: given.value("to"),
    batchSize: wholeNumber(given, "batch", [1, 20_000]) ?? 500,
    now: new Date(),
  });
  show(given, months, archivedText(months, isCounted));
}
