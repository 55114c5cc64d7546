import type { Tx } from "../postgres/sql.ts";
import {
  anchorProblem,
  checkLinks,
  emptyChain,
  type ChainHead,
  type ChainProblem,
  type CheckedLinks,
} from "../audit/audit-chain.ts";
import { findLink, listLinks } from "../audit/audit.sql.ts";

/** What a look at the whole chain has found. */
export interface VerifiedChain {
  readonly head: ChainHead;
  readonly anchorCount: number;
  /** The first ones; none when all is as it was written. */
  readonly problems: readonly ChainProblem[];
}

const batchSize = 5_000;
/** After so many the rest would say nothing new. */
export const problemsMax = 100;

/**
 * Reads the whole chain, from its first row on, and hashes it anew: outside of the database, whose own functions an
 * administrator could have replaced. Accounts have a chain of the same shape.
 */
export async function verifyChain(tx: Tx, anchors: readonly ChainHead[]): Promise<VerifiedChain> {
  const { head, problems } = await checkChain(tx);
  const unanchored: ChainProblem[] = [];
  for (const anchor of anchors) {
    const hashAtAnchor = anchor.count === 0 ? "" : (await findLink(tx, anchor.count))?.hash;
    const problem = anchorProblem(anchor, { count: head.count, hashAtAnchor });
    if (problem) unanchored.push(problem);
  }
  return { head, anchorCount: anchors.length, problems: [...problems, ...unanchored].slice(0, problemsMax) };
}

async function checkChain(tx: Tx): Promise<CheckedLinks> {
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

export async function findChainHead(tx: Tx): Promise<ChainHead> {
  const last = await findLink(tx);
  return last ? { count: last.seq, hash: last.hash } : emptyChain;
}
