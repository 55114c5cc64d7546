import { linkHash } from "../core/hash-chain.ts";

/** A row of the audit as a link of its hash chain. Hashes are in hex. */
export interface AuditLink {
  readonly seq: number;
  /** Every column but the hashes, as text, in the order in which they are hashed. */
  readonly fields: readonly (string | undefined)[];
  readonly previousHash: string;
  readonly hash: string;
}

/** How long the chain is, and the hash of its last link. Kept elsewhere, it is an anchor. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string;
}

export const emptyChain: ChainHead = { count: 0, hash: "" };

/** What is wrong with the chain, at which row. */
export interface ChainProblem {
  readonly seq: number;
  readonly problem: string;
}

export interface CheckedLinks {
  readonly head: ChainHead;
  readonly problems: readonly ChainProblem[];
}

/** Checks the links that follow a head, in the order of their numbers, and gives the head behind them. */
export function checkLinks(after: ChainHead, links: readonly AuditLink[]): CheckedLinks {
  const problems: ChainProblem[] = [];
  let head = after;
  for (const link of links) {
    const problem = linkProblem(head, link);
    if (problem) problems.push(problem);
    head = { count: link.seq, hash: link.hash };
  }
  return { head, problems };
}

function linkProblem({ count, hash }: ChainHead, link: AuditLink): ChainProblem | undefined {
  const { seq } = link;
  if (linkHash(link.previousHash, link.fields) !== link.hash)
    return { seq, problem: "It was changed, or moved: its hash is not that of what it says." };
  const next = count + 1;
  if (seq > next) {
    const gone = seq === next + 1 ? `Row ${next} is` : `Rows ${next} to ${seq - 1} are`;
    return { seq: next, problem: `${gone} missing.` };
  }
  if (link.previousHash === hash) return undefined;
  return { seq, problem: `It does not follow row ${count}: that one was changed, moved or hashed anew.` };
}

/** What an anchor shows that the chain itself cannot: a tail that was cut off, or a chain that was written anew. */
export function anchorProblem(
  anchor: ChainHead,
  found: { readonly count: number; readonly hashAtAnchor: string | undefined },
): ChainProblem | undefined {
  const { count, hash } = anchor;
  if (count > found.count)
    return {
      seq: found.count,
      problem: `It is the last one, and there were ${count}: the rest was cut off.`,
    };
  if (found.hashAtAnchor === hash) return undefined;
  return { seq: count, problem: "Its hash is not the anchor's: the chain up to here was written anew." };
}

/** Reads `COUNT:HASH`, as `audit head` prints it. */
export function readAnchor(text: string): ChainHead | undefined {
  const [, count, hash] = /^(\d{1,15}):([0-9a-f]{64}|)$/.exec(text.trim()) ?? [];
  if (count === undefined || hash === undefined || (hash === "") !== (Number(count) === 0)) return undefined;
  return { count: Number(count), hash };
}

export function anchorText({ count, hash }: ChainHead): string {
  return `${count}:${hash}`;
}
