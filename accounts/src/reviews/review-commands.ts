import type { Command, Commands, Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { show } from "../../../server/src/operators/framework/show.ts";
import { shownTime } from "../../../server/src/formats/text-table.ts";
import type { Settings } from "../settings.ts";
import type { Decision } from "./decide-review.tx.ts";
import type { ShownReview } from "./review-by-command.ts";
import { businessFields, gapsOf } from "./review.ts";

type ReadSettings = (names: readonly (keyof Settings)[]) => Settings;

const json = { json: { does: "print the result as one line of JSON" } };
const ownersSettings = "Required setting: ACCOUNTS_OWNER_DATABASE_URL.";
const merchant = ["ORGANISATION_ID"];

/** `reviewCommands` returns the commands for go-live reviews, for operators without a browser. */
export function reviewCommands(settingsWith: ReadSettings): Commands {
  return {
    "review list": {
      does: "list pending go-live reviews",
      about: ownersSettings,
      options: json,
      examples: ["node accounts/src/main.ts review list"],
      run: async (given) => {
        const { listWaiting } = await import("./review-by-command.ts");
        const waiting = await listWaiting(settingsWith(["ownerDatabaseUrl"]));
        const lines = waiting.map(
          ({ organisationId, name, submittedAt }) => `${organisationId}  ${shownTime(submittedAt)}  ${name}`,
        );
        show(given, waiting, lines.length === 0 ? "No pending reviews." : lines.join("\n"));
      },
    },
    "review show": {
      takes: merchant,
      does: "show a merchant's business details and documents",
      about: `The view is written to the merchant's audit log. ${ownersSettings}`,
      options: json,
      examples: ["node accounts/src/main.ts review show org_…"],
      run: async (given) => {
        const { readReview } = await import("./review-by-command.ts");
        const shown = await readReview(settingsWith(["ownerDatabaseUrl"]), organisationIn(given));
        show(given, { name: shown.name, ...shown.review, documents: shown.documents }, textOf(shown));
      },
    },
    "review document": {
      takes: ["DOCUMENT_ID"],
      does: "download a merchant's document to a file",
      about: `The file is untrusted: open it with care. ${ownersSettings} Also required: ACCOUNTS_KEY_FILE.`,
      options: { to: { value: "FILE", does: "path of the new file; it must not exist", isRequired: true } },
      examples: ["node accounts/src/main.ts review document doc_… --to paper.pdf"],
      run: async (given) => {
        const { saveDocument } = await import("./review-by-command.ts");
        const file = given.value("to") ?? "";
        await saveDocument(settingsWith(["ownerDatabaseUrl", "keyFile"]), given.words[0] ?? "", file);
        show(given, { file }, file);
      },
    },
    "review approve": deciding("approved", settingsWith),
    "review refuse": deciding("refused", settingsWith),
  };
}

function deciding(verdict: Decision["verdict"], settingsWith: ReadSettings): Command {
  const word = verdict === "approved" ? "approve" : "refuse";
  return {
    takes: merchant,
    does:
      verdict === "approved"
        ? "approve a merchant for live, and notify its owners"
        : "reject a go-live request, and send the reason to the owners",
    about: `${ownersSettings} Also required, for the emails: ACCOUNTS_PUBLIC_URL, ACCOUNTS_SMTP_URL and ACCOUNTS_MAIL_FROM.`,
    options: {
      submission: {
        value: "NUMBER",
        does: "number of the reviewed submission, from `review show`",
        isRequired: true,
      },
      reason: { value: "TEXT", does: "reason; a rejection sends it to the owners", isRequired: true },
      ...json,
    },
    examples: [`node accounts/src/main.ts review ${word} org_… --submission 1 --reason "Register checked."`],
    run: async (given) => {
      const settings = settingsWith(["ownerDatabaseUrl", "publicUrl", "smtpUrl", "mailFrom"]);
      const { decideByCommand } = await import("./review-by-command.ts");
      const submission = Number(given.value("submission"));
      if (!Number.isSafeInteger(submission)) throw new UsageError("--submission must be a number.");
      const reason = given.value("reason") ?? "";
      const organisationId = organisationIn(given);
      await decideByCommand(settings, { organisationId, submission, verdict, reason });
      show(given, { organisationId, verdict }, verdict);
    },
  };
}

function organisationIn(given: Given): string {
  return given.words[0] ?? "";
}

function textOf({ name, review, documents }: ShownReview): string {
  const { status, submission, submittedAt, business, reason } = review;
  const missing = gapsOf(
    business,
    documents.map(({ shows }) => shows),
  );
  return [
    `${name}: ${status}, submission ${submission}, submitted ${shownTime(submittedAt)}`,
    ...businessFields.map((field) => `  ${field}: ${business[field].replaceAll("\n", ", ") || "–"}`),
    ...documents.map(
      ({ documentId, shows, name: file, bytes }) => `  ${documentId}  ${shows}  ${file}  ${bytes} bytes`,
    ),
    ...(missing.length > 0 ? [`missing: ${missing.join(", ")}`] : []),
    ...(reason === undefined ? [] : [`last decision: ${reason}`]),
  ].join("\n");
}
