import { readFile } from "node:fs/promises";
import { anchorOptions, anchorsIn, gatewayKeyOption } from "./audit-anchors.ts";
import type { Commands } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "./operator.ts";
import { show } from "./show.ts";
import { timeAgo } from "./time-ago.ts";
import { wholeNumber } from "./whole-number.ts";

const audits = (): Promise<typeof import("./audit.ts")> => import("./audit.ts");
const limitUsual = 100;

/** Commands about the audit: what was done by whom, and whether anybody has tampered with that. */
export const auditCommands: Commands = {
  "audit list": {
    needs: "support",
    does: "who did what, when and why, the newest first",
    about: `Every command that changes something leaves a row, and so does whoever changes a setting by SQL. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT_ID", does: "only what was done about this merchant" },
      actor: { value: "NAME", does: "only what this one did" },
      act: { value: "ACT", does: "only this, such as 'merchant suspend'" },
      since: { value: "TIME", does: "only from then on: 24h, 7d, or a time in ISO 8601 with a zone" },
      limit: { value: "N", does: `at most so many; ${limitUsual} unless said otherwise` },
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
    does: "how many rows the audit has, and the hash of the last one: an anchor, to be kept elsewhere",
    about:
      "Keep it where whoever administers this database cannot change it, every few minutes: another machine, a log, paper.\n" +
      `\`audit verify\` compares. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate audit head", "tollgate audit head --json"],
    run: async (given) => {
      const { findAuditHead } = await audits();
      const { anchorText } = await import("../audit/audit-chain.ts");
      const head = await findAuditHead(operatorOf(given));
      show(given, head, anchorText(head));
    },
  },
  "audit verify": {
    needs: "support",
    does: "hash the whole audit anew, and find what was changed, deleted or moved",
    about:
      "Exit code 1 says that somebody has tampered with it. A tail that was cut off, or a chain that was written anew, shows only\n" +
      "against an anchor that is older. A worker writes one to its log every minute, signed by the newest gateway key; keep the log, and\n" +
      `the public key from \`gateway-key show\`, on another machine. ${ownersSettings}`,
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
