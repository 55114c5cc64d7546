import { sql, type Tx } from "../postgres/sql.ts";
import { emptyChain, type ChainHead } from "./audit-chain.ts";

/** The head of the audit, for the worker, whose role sees none of its rows. */
export async function findToldHead(tx: Tx): Promise<ChainHead> {
  const [row] = await tx.query<{ seq: string; hash: string }>(sql`select seq, hash from audit_head()`);
  return row ? { count: Number(row.seq), hash: row.hash } : emptyChain;
}
