import {
  anchorProblem,
  anchorText,
  checkLinks,
  emptyChain,
  type ChainHead,
  type ChainProblem,
} from "../audit/audit-chain.ts";
import { auditJson, type AuditEntry, type AuditFilter } from "../audit/audit.ts";
import { findLink, listAudit, listLinks } from "../audit/audit.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

/** What a look at the whole chain has found. */
export interface VerifiedAudit {
  readonly head: ChainHead;
  readonly anchorCount: number;
  /** The first ones; none when all is as it was written. */
  readonly problems: readonly ChainProblem[];
}

const batchSize = 5_000;
/** After so many the rest would say nothing new. */
const problemsMax = 100;

/** Reads the whole chain, from its first row on, and hashes it anew. */
export async function verifyAudit(
  { url, environment }: Operator,
  anchors: readonly ChainHead[],
): Promise<VerifiedAudit> {
  return asOwner(url, environment, systemScope, async (tx) => {
    const { head, problems } = await checkChain(tx);
    const unanchored: ChainProblem[] = [];
    for (const anchor of anchors) {
      const hashAtAnchor = anchor.count === 0 ? "" : (await findLink(tx, anchor.count))?.hash;
      const problem = anchorProblem(anchor, { count: head.count, hashAtAnchor });
      if (problem) unanchored.push(problem);
    }
    return {
      head,
      anchorCount: anchors.length,
      problems: [...problems, ...unanchored].slice(0, problemsMax),
    };
  });
}

async function checkChain(
  tx: Tx,
): Promise<{ readonly head: ChainHead; readonly problems: readonly ChainProblem[] }> {
  const problems: ChainProblem[] = [];
  let head = emptyChain;
  for (;;) {
    const links = await listLinks(tx, head.count, batchSize);
    const checked = checkLinks(head, links);
    head = checked.head;
    problems.push(...checked.problems.slice(0, problemsMax - problems.length));
    if (links.length < batchSize) return { head, problems };
  }
}

export async function findAuditHead({ url, environment }: Operator): Promise<ChainHead> {
  const last = await asOwner(url, environment, systemScope, (tx) => findLink(tx));
  return last ? { count: last.seq, hash: last.hash } : emptyChain;
}

export async function findAudit(
  { url, environment }: Operator,
  filter: AuditFilter,
  limit: number,
): Promise<readonly AuditEntry[]> {
  return asOwner(url, environment, systemScope, (tx) => listAudit(tx, filter, limit));
}

export function verifiedText({ head, anchorCount, problems }: VerifiedAudit): string {
  if (problems.length > 0)
    return [
      ...problems.map(({ seq, problem }) => `row ${seq}: ${problem}`),
      `The audit was tampered with: ${problems.length}${problems.length === problemsMax ? " or more" : ""} findings.`,
    ].join("\n");
  const whole = `${head.count} rows, each as it was written. Head: ${anchorText(head)}`;
  return anchorCount > 0
    ? `${whole}\nIt fits ${anchorCount === 1 ? "the anchor" : `all ${anchorCount} anchors`}.`
    : `${whole}\nWithout an anchor, nobody can tell whether rows at the end are gone, or all were written anew.`;
}

export function auditTable(entries: readonly AuditEntry[], limit: number): string {
  if (entries.length === 0) return "There are none.";
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
  const more = entries.length === limit ? [`There may be more than ${limit}: --limit, or --since.`] : [];
  return [title, ...texts, ...more].join("\n");
}

/** A line for each field that has changed. */
function changeLines({ before = {}, after = {} }: AuditEntry): string[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...was.keys(), ...is.keys()])].map((name) => {
    const values = [was, is].filter((each) => each.has(name)).map((each) => auditJson(each.get(name)));
    return `     ${name}: ${values.join(" → ")}`;
  });
}
