import { hashLink } from "../core/hash-chain.ts";

/** An audit row as a link of the hash chain. Hashes are in hex. */
export interface AuditLink {
  readonly seq: number;
  /** Every column of the audit row except the hashes, as text, in the order in which they are hashed. */
  readonly fields: readonly (string | undefined)[];
  readonly previousHash: string;
  readonly hash: string;
}

/** Length of the chain and hash of its last link. A copy that is stored outside of the database is an anchor. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string;
}

export const emptyChain: ChainHead = { count: 0, hash: "" };

/** A broken link, by row number. */
export interface ChainProblem {
  readonly seq: number;
  readonly problem: string;
}

export interface CheckedLinks {
  readonly head: ChainHead;
  readonly problems: readonly ChainProblem[];
}

/** `checkLinks` checks consecutive links after a head and returns the new head. */
export function checkLinks(previousHead: ChainHead, links: readonly AuditLink[]): CheckedLinks {
  const problems: ChainProblem[] = [];
  let head = previousHead;
  for (const link of links) {
    const problem = linkProblem(head, link);
    if (problem) problems.push(problem);
    head = { count: link.seq, hash: link.hash };
  }
  return { head, problems };
}

function linkProblem({ count, hash }: ChainHead, link: AuditLink): ChainProblem | undefined {
  const { seq } = link;
  if (hashLink(link.previousHash, link.fields) !== link.hash)
    return { seq, problem: "The row was changed or moved: its hash does not match its content." };
  const next = count + 1;
  if (seq > next) {
    const missingRows = seq === next + 1 ? `Row ${next} is` : `Rows ${next} to ${seq - 1} are`;
    return { seq: next, problem: `${missingRows} missing.` };
  }
  if (link.previousHash === hash) return undefined;
  return {
    seq,
    problem: `The previous hash is not that of row ${count}: that row was changed, moved or hashed again.`,
  };
}

/** Returns a problem that only an anchor shows: the chain was truncated or rewritten. */
export function anchorProblem(
  anchor: ChainHead,
  chain: { readonly count: number; readonly hashAtAnchor: string | undefined },
): ChainProblem | undefined {
  const { count, hash } = anchor;
  if (count > chain.count)
    return {
      seq: chain.count,
      problem: `This is the last row, but the anchor has ${count} rows: the log was truncated.`,
    };
  if (chain.hashAtAnchor === hash) return undefined;
  return {
    seq: count,
    problem: "The hash differs from the anchor's: the chain up to this row was rewritten.",
  };
}

/** Parses `COUNT:HASH`, as printed by `audit head`. */
export function parseAnchor(text: string): ChainHead | undefined {
  const [, count, hash] = /^(\d{1,15}):([0-9a-f]{64}|)$/.exec(text.trim()) ?? [];
  if (count === undefined || hash === undefined || (hash === "") !== (Number(count) === 0)) return undefined;
  return { count: Number(count), hash };
}

export function formatAnchor({ count, hash }: ChainHead): string {
  return `${count}:${hash}`;
}
