import { sql, type Tx } from "../postgres/sql.ts";
import { emptyChain, type ChainHead } from "./audit-chain.ts";

/** Returns the audit head for the worker, whose role cannot read audit rows. */
export async function findPublishedHead(tx: Tx): Promise<ChainHead> {
  const [row] = await tx.query<{ seq: string; hash: string }>(sql`select seq, hash from audit_head()`);
  return row ? { count: Number(row.seq), hash: row.hash } : emptyChain;
}
