import { createPublicKey, type KeyObject } from "node:crypto";
import { anchorText, type ChainHead } from "../../audit/audit-chain.ts";
import { changesOf, type AuditEntry, type AuditFilter } from "../../audit/audit.ts";
import { listAudit } from "../../audit/audit.sql.ts";
import { rowChangeText } from "../../audit/row-change.ts";
import { listGatewayPublicKeys } from "../../keys/gateway-key.sql.ts";
import { unsignedHeads, type Anchor } from "./audit-anchors.ts";
import { findChainHead, problemsMax, verifyChain, type VerifiedChain } from "./verify-chain.ts";
import { systemScope } from "../../postgres/database.ts";
import { asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { shownTime, align } from "../../formats/text-table.ts";

/** Verifies the signatures of anchors with the given gateway keys (default: the keys in the database). */
export async function verifyAudit(
  { url, environment }: Operator,
  anchors: readonly Anchor[],
  gatewayKeys?: readonly KeyObject[],
): Promise<VerifiedChain> {
  return asOwner(url, environment, systemScope, async (tx) => {
    const verified = await verifyChain(tx, anchors);
    const known = gatewayKeys ? [] : await listGatewayPublicKeys(tx);
    const keysOf = (version: number): readonly KeyObject[] =>
      gatewayKeys ?? known.filter((key) => key.version === version).map((key) => publicKeyOf(key.publicKey));
    const unsigned = await unsignedHeads(anchors, environment, keysOf);
    return { ...verified, problems: [...unsigned, ...verified.problems].slice(0, problemsMax) };
  });
}

function publicKeyOf(der: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
}

/**
 * Returns the RSA public keys in a PEM file; heads are signed with RSA. The file may also contain Ed25519 keys for
 * connectors.
 */
export function publicKeysIn(pem: string): readonly KeyObject[] {
  const all = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return all.map((each) => createPublicKey(each)).filter((key) => key.asymmetricKeyType === "rsa");
}

export async function findAuditHead({ url, environment }: Operator): Promise<ChainHead> {
  return asOwner(url, environment, systemScope, findChainHead);
}

export async function findAudit(
  { url, environment }: Operator,
  filter: AuditFilter,
  limit: number,
): Promise<readonly AuditEntry[]> {
  return asOwner(url, environment, systemScope, (tx) => listAudit(tx, filter, limit));
}

export function verifiedText({ head, anchorCount, problems }: VerifiedChain): string {
  if (problems.length > 0)
    return [
      ...problems.map(({ seq, problem }) => `row ${seq}: ${problem}`),
      `The audit log was tampered with: ${problems.length}${problems.length === problemsMax ? " or more" : ""} findings.`,
    ].join("\n");
  const whole = `${head.count} rows, all unchanged. Head: ${anchorText(head)}`;
  return anchorCount > 0
    ? `${whole}\nIt is consistent with ${anchorCount === 1 ? "the anchor" : `all ${anchorCount} anchors`}.`
    : `${whole}\nWithout an anchor, a truncated or completely rewritten log cannot be detected.`;
}

export function auditTable(entries: readonly AuditEntry[], limit: number): string {
  if (entries.length === 0) return "No rows found.";
  const head = ["row", "at", "who", "role", "login", "what", "to", "reason"];
  const rows = entries.map((each) => [
    String(each.seq),
    shownTime(each.at),
    each.actor.kind === "sql" ? "by SQL" : each.actor.name,
    each.actor.kind === "sql" ? "" : each.actor.role,
    each.login,
    each.act,
    each.subject,
    each.reason ?? "",
  ]);
  const [title = "", ...lines] = align([head, ...rows]).split("\n");
  const texts = entries.flatMap((each, index) => [lines[index] ?? "", ...changeLines(each)]);
  const more =
    entries.length === limit ? [`There may be more than ${limit} rows. Use --limit or --since.`] : [];
  return [title, ...texts, ...more].join("\n");
}

/**
 * Returns one line for each field that the command described as changed, and one for each row change that PostgreSQL
 * recorded.
 */
function changeLines(entry: AuditEntry): string[] {
  const described = changesOf(entry).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== undefined);
    return `     ${field}: ${values.join(" → ")}`;
  });
  return [...described, ...entry.rowChanges.map((change) => `     recorded: ${rowChangeText(change)}`)];
}
