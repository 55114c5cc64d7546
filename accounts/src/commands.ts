import { anchorOptions, anchorsIn } from "../../server/src/commands/audit-anchors.ts";
import { checkSettings } from "../../server/src/commands/settings.ts";
import { UsageError, type Commands } from "../../server/src/commands/command.ts";
import { untilTold } from "../../server/src/commands/process-commands.ts";
import { show } from "../../server/src/commands/show.ts";
import type { Tx } from "../../server/src/postgres/sql.ts";
import { isEmail, toEmail } from "./people/person.ts";
import { reviewCommands } from "./reviews/review-commands.ts";
import { readSettings, settingsOfServe, type Settings } from "./settings.ts";

const json = { json: { does: "print the result as one line of JSON" } };
const ownersSettings = "It needs ACCOUNTS_OWNER_DATABASE_URL.";

/** The commands of accounts: `node accounts/src/main.ts serve`. */
export const commands: Commands = {
  serve: {
    does: "answer people: sign-in, organisations, roles, tokens",
    about:
      "docs/operating/settings.md has all settings; they begin with ACCOUNTS_. SIGTERM ends it, once what was begun is done.",
    options: {},
    examples: ["node accounts/src/main.ts serve"],
    run: async () => {
      const settings = settingsWith(settingsOfServe);
      const { serve } = await import("./serve.ts");
      const serving = await serve(settings);
      await untilTold(`Tollgate's accounts answer at ${serving.url}`, serving);
    },
  },
  migrate: {
    does: "bring the accounts' database up to date",
    about: ownersSettings,
    options: json,
    examples: ["node accounts/src/main.ts migrate"],
    run: async (given) => {
      const { ownerDatabaseUrl } = settingsWith(["ownerDatabaseUrl"]);
      const { migrateFolder } = await import("../../server/src/postgres/migrate.ts");
      const applied = await migrateFolder(ownerDatabaseUrl, new URL("../migrations/", import.meta.url));
      show(given, { applied }, applied.length === 0 ? "up to date" : applied.join("\n"));
    },
  },
  "token-key show": {
    does: "the public half of the key that signs tokens, with its id, for each gateway's settings",
    about: "It needs ACCOUNTS_TOKEN_KEY_FILE.",
    options: json,
    examples: ["node accounts/src/main.ts token-key show"],
    run: async (given) => {
      const { tokenKeyFile } = settingsWith(["tokenKeyFile"]);
      const { readTokenKey } = await import("./tokens/token-key.ts");
      const { kid, publicKey } = await readTokenKey(tokenKeyFile);
      const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
      show(given, { kid, publicKey: pem }, `${kid}\n${pem}`);
    },
  },
  "staff invite": {
    does: "invite an operator, and print the link; the first one comes in no other way",
    about: `The link works once, within 7 days, and is stored nowhere: hand it over yourself. It needs ACCOUNTS_OPERATOR_URL. ${ownersSettings}`,
    options: {
      email: { value: "ADDRESS", does: "whom", isRequired: true },
      role: {
        value: "ROLE",
        does: "as what; staff-admin, unless said otherwise",
        oneOf: ["staff-admin", "staff-operator", "staff-finance", "staff-support"],
      },
      ...json,
    },
    examples: ["node accounts/src/main.ts staff invite --email ada@pay.example"],
    run: async (given) => {
      const { ownerDatabaseUrl, operator } = settingsWith(["ownerDatabaseUrl", "operator"]);
      if (!operator)
        throw new UsageError("Set ACCOUNTS_OPERATOR_URL: the link leads to the operator's console.");
      const { publicUrl } = operator;
      const { inviteStaff } = await import("./organisations/invite-staff.ts");
      const email = given.value("email") ?? "";
      if (!isEmail(toEmail(email))) throw new UsageError("--email has to be an address.");
      const role = given.value("role") ?? "staff-admin";
      const link = await inviteStaff({ url: ownerDatabaseUrl, publicUrl, email, role, now: new Date() });
      show(given, { link }, link);
    },
  },
  "staff recover": {
    does: "recover a staff account when fewer than two other staff-admins exist",
    about:
      "It takes effect after 24 hours. All staff get an email with a link that stops it, and the person gets the code by email. With two other " +
      `staff-admins, they vouch in the operator's console instead. It needs ACCOUNTS_OPERATOR_URL and ACCOUNTS_SMTP_URL. ${ownersSettings}`,
    options: {
      email: { value: "ADDRESS", does: "address of the staff person", isRequired: true },
      reason: { value: "TEXT", does: "how you know that it is them, for the audit", isRequired: true },
      ...json,
    },
    examples: [
      'node accounts/src/main.ts staff recover --email ada@pay.example --reason "Lost both passkeys"',
    ],
    run: async (given) => {
      const settings = settingsWith(["ownerDatabaseUrl", "operator", "publicUrl", "smtpUrl", "mailFrom"]);
      const { ownerDatabaseUrl, operator, publicUrl, smtpUrl, mailFrom } = settings;
      if (!operator)
        throw new UsageError("Set ACCOUNTS_OPERATOR_URL: staff recover at the operator's console.");
      const { openPost } = await import("./mail/send-letter.ts");
      const { recoverStaff } = await import("./recoveries/recover-staff.ts");
      const post = openPost({ url: smtpUrl, from: mailFrom });
      try {
        const { readyAt } = await recoverStaff({
          url: ownerDatabaseUrl,
          urls: { portal: publicUrl, operator: operator.publicUrl },
          email: given.value("email") ?? "",
          reason: given.value("reason") ?? "",
          now: new Date(),
          send: (letter) => post.send(letter),
        });
        show(
          given,
          { readyAt },
          `The code is on its way to the person. It is valid from ${readyAt.toISOString()} on.`,
        );
      } finally {
        post.close();
      }
    },
  },
  ...reviewCommands(settingsWith),
  "audit head": {
    does: "how many rows the accounts' audit has, and the hash of the last one: an anchor, to be kept elsewhere",
    about: `\`audit verify\` compares. ${ownersSettings}`,
    options: json,
    examples: ["node accounts/src/main.ts audit head"],
    run: async (given) => {
      const { anchorText } = await import("../../server/src/audit/audit-chain.ts");
      const { findChainHead } = await import("../../server/src/commands/verify-chain.ts");
      const head = await ownersTransaction(findChainHead);
      show(given, head, anchorText(head));
    },
  },
  "audit verify": {
    does: "hash the accounts' whole audit anew, and find what was changed, deleted or moved",
    about: `Exit code 1 says that somebody has tampered with it. ${ownersSettings}`,
    options: { ...anchorOptions, ...json },
    examples: ["node accounts/src/main.ts audit verify"],
    run: async (given) => {
      const { verifiedText } = await import("../../server/src/commands/audit.ts");
      const { verifyChain } = await import("../../server/src/commands/verify-chain.ts");
      const anchors = await anchorsIn(given);
      const verified = await ownersTransaction((tx) => verifyChain(tx, anchors));
      show(given, verified, verifiedText(verified));
      if (verified.problems.length > 0) process.exitCode = 1;
    },
  },
};

async function ownersTransaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const { ownerDatabaseUrl } = settingsWith(["ownerDatabaseUrl"]);
  const { asOwner } = await import("./as-owner.ts");
  return asOwner(ownerDatabaseUrl, work);
}

function settingsWith(names: readonly (keyof Settings)[]): Settings {
  const settings = readSettings(process.env);
  checkSettings(settings, names);
  return settings;
}
