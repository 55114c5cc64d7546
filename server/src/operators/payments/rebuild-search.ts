import { bucketCount } from "../../core/bucket.ts";
import { systemScope } from "../../postgres/database.ts";
import { listSearchedBuckets, rebuildSearch, type RebuiltChunk } from "../../search/search.sql.ts";
import {
  actAsOwner,
  withOneConnection,
  readAsOwner,
  type Operator,
} from "../../operator-session/owner-session.ts";

export interface RebuiltSearch {
  readonly paymentCount: number;
}

/** Statement timeout of one batch, long enough for a slow disk. */
const statementTimeoutMs = 60_000;
/** Payments per batch, extended to the next full hour. */
const batchSize = 5_000;

/**
 * `rebuildAllSearch` rebuilds the search tables in batches, each in its own transaction, so `work` waits for one
 * batch at most. Searches return the old rows until the new ones are committed. An interrupted command can be run
 * again.
 */
export async function rebuildAllSearch(
  operator: Operator,
  onProgress: (paymentCount: number) => void = () => undefined,
): Promise<RebuiltSearch> {
  return withOneConnection(operator, (connected) => rebuildBuckets(connected, onProgress), {
    statementTimeoutMs,
    readsWholeTables: false,
  });
}

async function rebuildBuckets(
  operator: Operator,
  onProgress: (paymentCount: number) => void,
): Promise<RebuiltSearch> {
  const buckets = await readAsOwner(operator, systemScope, (tx) => listSearchedBuckets(tx, bucketCount));
  let paymentCount = 0;
  for (const bucket of buckets) {
    let fromId: string | undefined = "";
    while (fromId !== undefined) {
      const batch = await rebuildBatch(operator, bucket, fromId);
      paymentCount += batch.paymentCount;
      fromId = batch.nextId;
      onProgress(paymentCount);
    }
  }
  const audit = { act: "search rebuild", subject: "all payments", after: { paymentCount } };
  return actAsOwner(operator, systemScope, async () => ({ value: { paymentCount }, audit }));
}

async function rebuildBatch(operator: Operator, bucket: number, fromId: string): Promise<RebuiltChunk> {
  return actAsOwner(operator, systemScope, async (tx) => ({
    value: await rebuildSearch(tx, { bucket, fromId, limit: batchSize }),
    audit: undefined,
  }));
}
