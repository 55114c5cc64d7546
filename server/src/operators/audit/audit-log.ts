import { createPublicKey, type KeyObject } from "node:crypto";
import { formatAnchor, type ChainHead } from "../../audit/audit-chain.ts";
import { listFieldChanges, type AuditEntry, type AuditFilter } from "../../audit/audit.ts";
import { listAudit } from "../../audit/audit.sql.ts";
import { formatRowChange } from "../../audit/row-change.ts";
import { listGatewayPublicKeys } from "../../keys/gateway-key.sql.ts";
import { findInvalidSignatures, type Anchor } from "./audit-anchors.ts";
import { findChainHead, problemsMax, verifyChain, type VerifiedChain } from "./verify-chain.ts";
import { systemScope } from "../../postgres/database.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/** Verifies the signatures of anchors with the given gateway keys (default: the keys in the database). */
export async function verifyAudit(
  { url, environment }: Operator,
  anchors: readonly Anchor[],
  gatewayKeys?: readonly KeyObject[],
): Promise<VerifiedChain> {
  return queryAsOwner(url, environment, systemScope, async (tx) => {
    const verification = await verifyChain(tx, anchors);
    const storedKeys = gatewayKeys ? [] : await listGatewayPublicKeys(tx);
    const keysOf = (version: number): readonly KeyObject[] =>
      gatewayKeys ??
      storedKeys.filter((key) => key.version === version).map((key) => publicKeyOf(key.publicKey));
    const signatureProblems = await findInvalidSignatures(anchors, environment, keysOf);
    return {
      ...verification,
      problems: [...signatureProblems, ...verification.problems].slice(0, problemsMax),
    };
  });
}

function publicKeyOf(der: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
}

/**
 * Returns the RSA public keys in a PEM file; heads are signed with RSA. The file may also contain Ed25519 keys for
 * connectors.
 */
export function parsePublicKeys(pem: string): readonly KeyObject[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return blocks.map((each) => createPublicKey(each)).filter((key) => key.asymmetricKeyType === "rsa");
}

export async function findAuditHead({ url, environment }: Operator): Promise<ChainHead> {
  return queryAsOwner(url, environment, systemScope, findChainHead);
}

export async function findAudit(
  { url, environment }: Operator,
  filter: AuditFilter,
  limit: number,
): Promise<readonly AuditEntry[]> {
  return queryAsOwner(url, environment, systemScope, (tx) => listAudit(tx, filter, limit));
}

export function verificationText({ head, anchorCount, problems }: VerifiedChain): string {
  if (problems.length > 0)
    return [
      ...problems.map(({ seq, problem }) => `row ${seq}: ${problem}`),
      `The audit log was tampered with: ${problems.length}${problems.length === problemsMax ? " or more" : ""} findings.`,
    ].join("\n");
  const summary = `${head.count} rows, all unchanged. Head: ${formatAnchor(head)}`;
  return anchorCount > 0
    ? `${summary}\nIt is consistent with ${anchorCount === 1 ? "the anchor" : `all ${anchorCount} anchors`}.`
    : `${summary}\nWithout an anchor, a truncated or completely rewritten log cannot be detected.`;
}

export function auditTable(entries: readonly AuditEntry[], limit: number): string {
  if (entries.length === 0) return "No rows found.";
  const head = ["row", "at", "who", "role", "login", "what", "to", "reason"];
  const rows = entries.map((each) => [
    String(each.seq),
    formatUtcTime(each.at),
    each.actor.kind === "sql" ? "by SQL" : each.actor.name,
    each.actor.kind === "sql" ? "" : each.actor.role,
    each.login,
    each.act,
    each.subject,
    each.reason ?? "",
  ]);
  const [title = "", ...lines] = formatTextTable([head, ...rows]).split("\n");
  const texts = entries.flatMap((each, index) => [lines[index] ?? "", ...changeLines(each)]);
  const hint =
    entries.length === limit ? [`There may be more than ${limit} rows. Use --limit or --since.`] : [];
  return [title, ...texts, ...hint].join("\n");
}

/**
 * Returns one line for each field that the command described as changed, and one for each row change that PostgreSQL
 * recorded.
 */
function changeLines(entry: AuditEntry): string[] {
  const described = listFieldChanges(entry).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== undefined);
    return `     ${field}: ${values.join(" → ")}`;
  });
  return [...described, ...entry.rowChanges.map((change) => `     recorded: ${formatRowChange(change)}`)];
}
