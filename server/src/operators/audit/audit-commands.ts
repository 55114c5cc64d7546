import { readFile } from "node:fs/promises";
import { anchorOptions, anchorsIn, gatewayKeyOption } from "./audit-anchors.ts";
import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { timeAgo } from "../framework/time-ago.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const audits = (): Promise<typeof import("./audit.ts")> => import("./audit.ts");
const limitUsual = 100;

/** Commands that list the audit log and verify its hash chain. */
export const auditCommands: Commands = {
  "audit list": {
    needs: "support",
    does: "List audited changes with actor, time and reason, newest first",
    about: `Each command that changes something writes an audit row; so does a change of a setting by SQL. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT_ID", does: "Only changes of this merchant" },
      actor: { value: "NAME", does: "Only changes by this person or login" },
      act: { value: "ACT", does: "Only this action, such as 'merchant suspend'" },
      since: { value: "TIME", does: "Only changes since 24h, 7d, or a time in ISO 8601 with a zone" },
      limit: { value: "N", does: `Maximum number of rows (default ${limitUsual})` },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate audit list --since 24h",
      "tollgate audit list --client-id SANDBOX_7H2KQ9XW3M5T8RBC --act 'merchant key add' --json",
    ],
    run: async (given) => {
      const { findAudit, auditTable } = await audits();
      const limit = wholeNumber(given, "limit", [1, 100_000]) ?? limitUsual;
      const filter = {
        clientId: given.value("client-id"),
        actor: given.value("actor"),
        act: given.value("act"),
        since: timeAgo(given, "since", new Date()),
      };
      const found = await findAudit(operatorOf(given), filter, limit);
      show(given, found, auditTable(found, limit));
    },
  },
  "audit head": {
    needs: "support",
    does: "Print the audit head: row count and hash of the last row (anchor)",
    about:
      "Store it every few minutes where the administrator of this database cannot change it: on another " +
      `machine, in a log, on paper. \`audit verify\` compares the audit log with it. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate audit head", "tollgate audit head --json"],
    run: async (given) => {
      const { findAuditHead } = await audits();
      const { anchorText } = await import("../../audit/audit-chain.ts");
      const head = await findAuditHead(operatorOf(given));
      show(given, head, anchorText(head));
    },
  },
  "audit verify": {
    needs: "support",
    does: "Recompute the hash chain of the audit log and report tampering",
    about:
      "Exits with code 1 if a row was changed, deleted or moved. Truncation at the end, or a completely " +
      "rewritten chain, is only detected with an earlier anchor. A worker logs an anchor every minute, signed " +
      `with the newest gateway key. Keep that log and the output of \`gateway-key show\` on another machine. ${ownersSettings}`,
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
    run: async (given) => {
      const { verifyAudit, verifiedText, publicKeysIn } = await audits();
      const file = given.value("gateway-key");
      const keys = file === undefined ? undefined : publicKeysIn(await readFile(file, "utf8"));
      const verified = await verifyAudit(operatorOf(given), await anchorsIn(given), keys);
      show(given, verified, verifiedText(verified));
      if (verified.problems.length > 0) process.exitCode = 1;
    },
  },
};
