import { UsageError, type Command, type Commands, type Given } from "../../../server/src/commands/command.ts";
import { show, shownTime } from "../../../server/src/commands/show.ts";
import type { Settings } from "../settings.ts";
import type { Decision } from "./decide-review.tx.ts";
import type { ShownReview } from "./review-by-command.ts";
import { businessFields, gapsOf } from "./review.ts";

type ReadSettings = (names: readonly (keyof Settings)[]) => Settings;

const json = { json: { does: "print the result as one line of JSON" } };
const ownersSettings = "It needs ACCOUNTS_OWNER_DATABASE_URL.";
const merchant = ["ORGANISATION_ID"];

/** Reviews of merchants who ask to go live, for operators without a browser. */
export function reviewCommands(settingsWith: ReadSettings): Commands {
  return {
    "review list": {
      does: "the merchants that wait for a decision about going live",
      about: ownersSettings,
      options: json,
      examples: ["node accounts/src/main.ts review list"],
      run: async (given) => {
        const { listWaiting } = await import("./review-by-command.ts");
        const waiting = await listWaiting(settingsWith(["ownerDatabaseUrl"]));
        const lines = waiting.map(
          ({ organisationId, name, submittedAt }) => `${organisationId}  ${shownTime(submittedAt)}  ${name}`,
        );
        show(given, waiting, lines.length === 0 ? "Nobody waits." : lines.join("\n"));
      },
    },
    "review show": {
      takes: merchant,
      does: "what a merchant said of its business, and the papers that it sent",
      about: `The look is in the merchant's audit. ${ownersSettings}`,
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
      does: "save a paper of a merchant to a file",
      about: `It is a stranger's file: open it with care. ${ownersSettings} And ACCOUNTS_KEY_FILE.`,
      options: { to: { value: "FILE", does: "where to; it must not exist yet", isRequired: true } },
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
        ? "let a merchant into live, and tell its owners"
        : "do not let a merchant into live yet, and tell its owners why",
    about: `${ownersSettings} And ACCOUNTS_PUBLIC_URL, ACCOUNTS_SMTP_URL and ACCOUNTS_MAIL_FROM, for the letters.`,
    options: {
      submission: {
        value: "NUMBER",
        does: "which submission, as `review show` says: the merchant may have sent another since",
        isRequired: true,
      },
      reason: { value: "TEXT", does: "why; the owners read it when it is a refusal", isRequired: true },
      ...json,
    },
    examples: [`node accounts/src/main.ts review ${word} org_… --submission 1 --reason "Register checked."`],
    run: async (given) => {
      const settings = settingsWith(["ownerDatabaseUrl", "publicUrl", "smtpUrl", "mailFrom"]);
      const { decideByCommand } = await import("./review-by-command.ts");
      const submission = Number(given.value("submission"));
      if (!Number.isSafeInteger(submission)) throw new UsageError("--submission has to be a number.");
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
