import type { Command, Commands, CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { printResult } from "../../../server/src/operators/framework/print-result.ts";
import { formatUtcTime } from "../../../server/src/formats/text-table.ts";
import type { Settings } from "../settings.ts";
import type { ReviewDecision } from "./decide-review.tx.ts";
import type { ReviewDetails } from "./review-by-command.ts";
import { businessFields, findMissingItems } from "./review.ts";

type ReadSettings = (names: readonly (keyof Settings)[]) => Settings;

const json = { json: { summary: "print the result as one line of JSON" } };
const ownerSettingsNote = "Required setting: ACCOUNTS_OWNER_DATABASE_URL.";
const merchantArgument = ["ORGANISATION_ID"];

/** `reviewCommands` returns the commands for go-live reviews, for operators without a browser. */
export function reviewCommands(requireSettings: ReadSettings): Commands {
  return {
    "review list": {
      summary: "list pending go-live reviews",
      description: ownerSettingsNote,
      options: json,
      examples: ["node accounts/src/main.ts review list"],
      run: async (commandArguments) => {
        const { listPendingReviews } = await import("./review-by-command.ts");
        const waiting = await listPendingReviews(requireSettings(["ownerDatabaseUrl"]));
        const lines = waiting.map(
          ({ organisationId, name, submittedAt }) =>
            `${organisationId}  ${formatUtcTime(submittedAt)}  ${name}`,
        );
        printResult(commandArguments, waiting, lines.length === 0 ? "No pending reviews." : lines.join("\n"));
      },
    },
    "review show": {
      positionals: merchantArgument,
      summary: "show a merchant's business details and documents",
      description: `The view is written to the merchant's audit log. ${ownerSettingsNote}`,
      options: json,
      examples: ["node accounts/src/main.ts review show org_…"],
      run: async (commandArguments) => {
        const { readReview } = await import("./review-by-command.ts");
        const reviewDetails = await readReview(
          requireSettings(["ownerDatabaseUrl"]),
          organisationIn(commandArguments),
        );
        printResult(
          commandArguments,
          { name: reviewDetails.name, ...reviewDetails.review, documents: reviewDetails.documents },
          formatReview(reviewDetails),
        );
      },
    },
    "review document": {
      positionals: ["DOCUMENT_ID"],
      summary: "download a merchant's document to a file",
      description: `The file is untrusted: open it with care. ${ownerSettingsNote} Also required: ACCOUNTS_KEY_FILE.`,
      options: {
        to: { value: "FILE", summary: "path of the new file; it must not exist", isRequired: true },
      },
      examples: ["node accounts/src/main.ts review document doc_… --to paper.pdf"],
      run: async (commandArguments) => {
        const { saveDocument } = await import("./review-by-command.ts");
        const file = commandArguments.value("to") ?? "";
        await saveDocument(
          requireSettings(["ownerDatabaseUrl", "keyFile"]),
          commandArguments.positionals[0] ?? "",
          file,
        );
        printResult(commandArguments, { file }, file);
      },
    },
    "review approve": decisionCommand("approved", requireSettings),
    "review refuse": decisionCommand("refused", requireSettings),
  };
}

function decisionCommand(verdict: ReviewDecision["verdict"], requireSettings: ReadSettings): Command {
  const verb = verdict === "approved" ? "approve" : "refuse";
  return {
    positionals: merchantArgument,
    summary:
      verdict === "approved"
        ? "approve a merchant for live, and notify its owners"
        : "reject a go-live request, and send the reason to the owners",
    description: `${ownerSettingsNote} Also required, for the emails: ACCOUNTS_PUBLIC_URL, ACCOUNTS_SMTP_URL and ACCOUNTS_MAIL_FROM.`,
    options: {
      submission: {
        value: "NUMBER",
        summary: "number of the reviewed submission, from `review show`",
        isRequired: true,
      },
      reason: { value: "TEXT", summary: "reason; a rejection sends it to the owners", isRequired: true },
      ...json,
    },
    examples: [`node accounts/src/main.ts review ${verb} org_… --submission 1 --reason "Register checked."`],
    run: async (commandArguments) => {
      const settings = requireSettings(["ownerDatabaseUrl", "publicUrl", "smtpUrl", "mailFrom"]);
      const { decideByCommand } = await import("./review-by-command.ts");
      const submission = Number(commandArguments.value("submission"));
      if (!Number.isSafeInteger(submission)) throw new UsageError("--submission must be a number.");
      const reason = commandArguments.value("reason") ?? "";
      const organisationId = organisationIn(commandArguments);
      await decideByCommand(settings, { organisationId, submission, verdict, reason });
      printResult(commandArguments, { organisationId, verdict }, verdict);
    },
  };
}

function organisationIn(commandArguments: CommandArguments): string {
  return commandArguments.positionals[0] ?? "";
}

function formatReview({ name, review, documents }: ReviewDetails): string {
  const { status, submission, submittedAt, business, reason } = review;
  const missing = findMissingItems(
    business,
    documents.map(({ shows }) => shows),
  );
  return [
    `${name}: ${status}, submission ${submission}, submitted ${formatUtcTime(submittedAt)}`,
    ...businessFields.map((field) => `  ${field}: ${business[field].replaceAll("\n", ", ") || "–"}`),
    ...documents.map(
      ({ documentId, shows, name: file, bytes }) => `  ${documentId}  ${shows}  ${file}  ${bytes} bytes`,
    ),
    ...(missing.length > 0 ? [`missing: ${missing.join(", ")}`] : []),
    ...(reason === undefined ? [] : [`last decision: ${reason}`]),
  ].join("\n");
}
