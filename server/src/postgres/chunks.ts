import { sql, type Tx } from "./sql.ts";

/**
 * Chunk size. Row-level security compares each row with all merchants of its transaction, so thousands of merchants are
 * processed in chunks.
 */
const merchantsPerChunk = 100;

/**
 * Processes rows of many merchants in chunks: only the rows of one chunk's merchants are visible at a time. The
 * transaction must have been started for all of these merchants.
 */
export async function processInChunks<Row extends { readonly clientId: string }>(
  tx: Tx,
  rows: readonly Row[],
  work: (chunk: readonly Row[], clientIds: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += merchantsPerChunk) {
    const chunk = rows.slice(from, from + merchantsPerChunk);
    const clientIds = [...new Set(chunk.map(({ clientId }) => clientId))];
    await tx.query(sql`select set_config('app.clients', ${clientIds}::text[]::text, true)`);
    await work(chunk, clientIds);
  }
}
