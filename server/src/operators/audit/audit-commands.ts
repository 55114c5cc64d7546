import { readFile } from "node:fs/promises";
import { anchorOptions, readAnchors, gatewayKeyOption } from "./audit-anchors.ts";
import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownerSettingsHelp } from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseTimeOrAge } from "../framework/parse-time-or-age.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const importAuditLog = (): Promise<typeof import("./audit-log.ts")> => import("./audit-log.ts");
const defaultLimit = 100;

/** Commands that list the audit log and verify its hash chain. */
export const auditCommands: Commands = {
  "audit list": {
    requiredRole: "support",
    summary: "List audited changes with actor, time and reason, newest first",
    description: `Each command that changes something writes an audit row; so does a change of a setting by SQL. ${ownerSettingsHelp}`,
    options: {
      "client-id": { value: "CLIENT_ID", summary: "Only changes of this merchant" },
      actor: { value: "NAME", summary: "Only changes by this person or login" },
      act: { value: "ACT", summary: "Only this action, such as 'merchant suspend'" },
      since: { value: "TIME", summary: "Only changes since 24h, 7d, or a time in ISO 8601 with a zone" },
      limit: { value: "N", summary: `Maximum number of rows (default ${defaultLimit})` },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate audit list --since 24h",
      "tollgate audit list --client-id SANDBOX_7H2KQ9XW3M5T8RBC --act 'merchant key add' --json",
    ],
    run: async (args) => {
      const { findAudit, auditTable } = await importAuditLog();
      const limit = parseWholeNumber(args, "limit", [1, 100_000]) ?? defaultLimit;
      const filter = {
        clientId: args.value("client-id"),
        actor: args.value("actor"),
        act: args.value("act"),
        since: parseTimeOrAge(args, "since", new Date()),
      };
      const entries = await findAudit(operatorOf(args), filter, limit);
      printResult(args, entries, auditTable(entries, limit));
    },
  },
  "audit head": {
    requiredRole: "support",
    summary: "Print the audit head: row count and hash of the last row (anchor)",
    description:
      "Store it every few minutes where the administrator of this database cannot change it: on another " +
      `machine, in a log, on paper. \`audit verify\` compares the audit log with it. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate audit head", "tollgate audit head --json"],
    run: async (args) => {
      const { findAuditHead } = await importAuditLog();
      const { formatAnchor } = await import("../../audit/audit-chain.ts");
      const head = await findAuditHead(operatorOf(args));
      printResult(args, head, formatAnchor(head));
    },
  },
  "audit verify": {
    requiredRole: "support",
    summary: "Recompute the hash chain of the audit log and report tampering",
    description:
      "Exits with code 1 if a row was changed, deleted or moved. Truncation at the end, or a completely " +
      "rewritten chain, is only detected with an earlier anchor. A worker logs an anchor every minute, signed " +
      `with the newest gateway key. Keep that log and the output of \`gateway-key show\` on another machine. ${ownerSettingsHelp}`,
    options: {
      ...anchorOptions,
      ...gatewayKeyOption,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate audit verify --anchors tollgate-live.anchors",
      "tollgate audit verify --anchors work.log --gateway-key gateway-public.pem",
    ],
    run: async (args) => {
      const { verifyAudit, verificationText, parsePublicKeys } = await importAuditLog();
      const file = args.value("gateway-key");
      const keys = file === undefined ? undefined : parsePublicKeys(await readFile(file, "utf8"));
      const verification = await verifyAudit(operatorOf(args), await readAnchors(args), keys);
      printResult(args, verification, verificationText(verification));
      if (verification.problems.length > 0) process.exitCode = 1;
    },
  },
};
