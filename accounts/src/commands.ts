import { anchorOptions, readAnchors } from "../../server/src/operators/audit/audit-anchors.ts";
import { checkSettings } from "../../server/src/settings/settings.ts";
import type { Commands } from "../../server/src/operators/framework/command.ts";
import { UsageError } from "../../server/src/core/command-errors.ts";
import { runUntilSignal } from "../../server/src/processes/process-commands.ts";
import { printResult } from "../../server/src/operators/framework/print-result.ts";
import type { Tx } from "../../server/src/postgres/sql.ts";
import { isEmail, toEmail } from "./people/person.ts";
import { reviewCommands } from "./reviews/review-commands.ts";
import { readSettings, settingsOfServe, type Settings } from "./settings.ts";

const json = { json: { summary: "print the result as one line of JSON" } };
const ownerSettingsNote = "Required setting: ACCOUNTS_OWNER_DATABASE_URL.";

/** The commands of accounts, such as `node accounts/src/main.ts serve`. */
export const commands: Commands = {
  serve: {
    summary: "serve sign-in, organisations, roles and tokens",
    description:
      "docs/operating/settings.md lists all settings; they begin with ACCOUNTS_. SIGTERM stops the process after it has completed open requests.",
    options: {},
    examples: ["node accounts/src/main.ts serve"],
    run: async () => {
      const settings = requireSettings(settingsOfServe);
      const { serve } = await import("./serve.ts");
      const serving = await serve(settings);
      await runUntilSignal(`Tollgate's accounts answer at ${serving.url}`, serving);
    },
  },
  migrate: {
    summary: "migrate the accounts database",
    description: ownerSettingsNote,
    options: json,
    examples: ["node accounts/src/main.ts migrate"],
    run: async (given) => {
      const { ownerDatabaseUrl } = requireSettings(["ownerDatabaseUrl"]);
      const { migrateFolder } = await import("../../server/src/postgres/migrate.ts");
      const applied = await migrateFolder(ownerDatabaseUrl, new URL("../migrations/", import.meta.url));
      printResult(given, { applied }, applied.length === 0 ? "up to date" : applied.join("\n"));
    },
  },
  "token-key show": {
    summary: "print id and public key of the token key, for the gateways' settings",
    description: "Required setting: ACCOUNTS_TOKEN_KEY_FILE.",
    options: json,
    examples: ["node accounts/src/main.ts token-key show"],
    run: async (given) => {
      const { tokenKeyFile } = requireSettings(["tokenKeyFile"]);
      const { readTokenKey } = await import("./tokens/token-key.ts");
      const { kid, publicKey } = await readTokenKey(tokenKeyFile);
      const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
      printResult(given, { kid, publicKey: pem }, `${kid}\n${pem}`);
    },
  },
  "staff invite": {
    summary: "print an invitation link for a staff member",
    description: `The link works once and expires after 7 days. It is not stored or sent, so send it to the person yourself. The first staff member can only be invited by this command. Required setting: ACCOUNTS_OPERATOR_URL. ${ownerSettingsNote}`,
    options: {
      email: { value: "ADDRESS", summary: "email address of the person", isRequired: true },
      role: {
        value: "ROLE",
        summary: "role of the person (default staff-admin)",
        oneOf: ["staff-admin", "staff-operator", "staff-finance", "staff-support"],
      },
      ...json,
    },
    examples: ["node accounts/src/main.ts staff invite --email ada@pay.example"],
    run: async (given) => {
      const { ownerDatabaseUrl, operator } = requireSettings(["ownerDatabaseUrl", "operator"]);
      if (!operator)
        throw new UsageError("Set ACCOUNTS_OPERATOR_URL, the address of the operator console in the link.");
      const { publicUrl } = operator;
      const { inviteStaff } = await import("./members/invite-staff.ts");
      const email = given.value("email") ?? "";
      if (!isEmail(toEmail(email))) throw new UsageError("--email must be an email address.");
      const role = given.value("role") ?? "staff-admin";
      const link = await inviteStaff({ url: ownerDatabaseUrl, publicUrl, email, role, now: new Date() });
      printResult(given, { link }, link);
    },
  },
  "staff recover": {
    summary: "recover a staff account when fewer than two other staff-admins exist",
    description:
      "The code is valid after 24 hours. All staff get an email with a link that stops the recovery, and the person gets the code by email. If there are two other " +
      `staff-admins, they vouch in the operator console instead. Required settings: ACCOUNTS_OPERATOR_URL and ACCOUNTS_SMTP_URL. ${ownerSettingsNote}`,
    options: {
      email: { value: "ADDRESS", summary: "email address of the person", isRequired: true },
      reason: {
        value: "TEXT",
        summary: "how you verified the identity, for the audit log",
        isRequired: true,
      },
      ...json,
    },
    examples: [
      'node accounts/src/main.ts staff recover --email ada@pay.example --reason "Lost both passkeys"',
    ],
    run: async (given) => {
      const settings = requireSettings(["ownerDatabaseUrl", "operator", "publicUrl", "smtpUrl", "mailFrom"]);
      const { ownerDatabaseUrl, operator, publicUrl, smtpUrl, mailFrom } = settings;
      if (!operator) throw new UsageError("Set ACCOUNTS_OPERATOR_URL, the address of the operator console.");
      const { openMailer } = await import("./mail/send-email.ts");
      const { recoverStaff } = await import("./recoveries/recover-staff.ts");
      const mailer = openMailer({ url: smtpUrl, from: mailFrom });
      try {
        const { readyAt } = await recoverStaff({
          url: ownerDatabaseUrl,
          siteUrls: { portal: publicUrl, operator: operator.publicUrl },
          email: given.value("email") ?? "",
          reason: given.value("reason") ?? "",
          now: new Date(),
          sendEmail: (email) => mailer.send(email),
        });
        printResult(
          given,
          { readyAt },
          `The code was sent to the person by email. It is valid from ${readyAt.toISOString()}.`,
        );
      } finally {
        mailer.close();
      }
    },
  },
  ...reviewCommands(requireSettings),
  "audit head": {
    summary: "print row count and last hash of the accounts' audit log (anchor)",
    description: `Store the anchor on another system; \`audit verify\` compares the audit log with it. ${ownerSettingsNote}`,
    options: json,
    examples: ["node accounts/src/main.ts audit head"],
    run: async (given) => {
      const { formatAnchor } = await import("../../server/src/audit/audit-chain.ts");
      const { findChainHead } = await import("../../server/src/operators/audit/verify-chain.ts");
      const head = await runOwnerTransaction(findChainHead);
      printResult(given, head, formatAnchor(head));
    },
  },
  "audit verify": {
    summary: "verify the hash chain of the accounts' audit log",
    description: `Finds changed, deleted and moved rows. Exits with code 1 if the audit log was tampered with. ${ownerSettingsNote}`,
    options: { ...anchorOptions, ...json },
    examples: ["node accounts/src/main.ts audit verify"],
    run: async (given) => {
      const { verificationText } = await import("../../server/src/operators/audit/audit-log.ts");
      const { verifyChain } = await import("../../server/src/operators/audit/verify-chain.ts");
      const anchors = await readAnchors(given);
      const verified = await runOwnerTransaction((tx) => verifyChain(tx, anchors));
      printResult(given, verified, verificationText(verified));
      if (verified.problems.length > 0) process.exitCode = 1;
    },
  },
};

async function runOwnerTransaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const { ownerDatabaseUrl } = requireSettings(["ownerDatabaseUrl"]);
  const { runAsOwner } = await import("./run-as-owner.ts");
  return runAsOwner(ownerDatabaseUrl, work);
}

function requireSettings(names: readonly (keyof Settings)[]): Settings {
  const settings = readSettings(process.env);
  checkSettings(settings, names);
  return settings;
}
