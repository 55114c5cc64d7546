import type { Tx } from "../../postgres/sql.ts";
import {
  anchorProblem,
  checkLinks,
  emptyChain,
  type ChainHead,
  type ChainProblem,
  type CheckedLinks,
} from "../../audit/audit-chain.ts";
import { findLink, listLinks } from "../../audit/audit.sql.ts";

/** The result of verifying a whole chain. */
export interface VerifiedChain {
  readonly head: ChainHead;
  readonly anchorCount: number;
  /** The first problems found; empty if the chain is intact. */
  readonly problems: readonly ChainProblem[];
}

const batchSize = 5_000;
/** Maximum number of reported problems. */
export const problemsMax = 100;

/**
 * `verifyChain` reads the chain from its first row and recomputes each hash. The verification runs outside the
 * database, because an administrator could replace the database's own functions. The accounts service uses the same
 * chain format.
 */
export async function verifyChain(tx: Tx, anchors: readonly ChainHead[]): Promise<VerifiedChain> {
  const { head, problems } = await checkChain(tx);
  const anchorProblems: ChainProblem[] = [];
  for (const anchor of anchors) {
    const hashAtAnchor = anchor.count === 0 ? "" : (await findLink(tx, anchor.count))?.hash;
    const problem = anchorProblem(anchor, { count: head.count, hashAtAnchor });
    if (problem) anchorProblems.push(problem);
  }
  return {
    head,
    anchorCount: anchors.length,
    problems: [...problems, ...anchorProblems].slice(0, problemsMax),
  };
}

async function checkChain(tx: Tx): Promise<CheckedLinks> {
  const problems: ChainProblem[] = [];
  let head = emptyChain;
  for (;;) {
    const links = await listLinks(tx, head.count, batchSize);
    const checkedLinks = checkLinks(head, links);
    head = checkedLinks.head;
    problems.push(...checkedLinks.problems.slice(0, problemsMax - problems.length));
    if (links.length < batchSize) return { head, problems };
  }
}

export async function findChainHead(tx: Tx): Promise<ChainHead> {
  const last = await findLink(tx);
  return last ? { count: last.seq, hash: last.hash } : emptyChain;
}
