import { bucketCount } from "../core/bucket.ts";
import { systemScope } from "../postgres/database.ts";
import { listSearchedBuckets, rebuildSearch } from "../search/search.sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";

export interface RebuiltSearch {
  readonly paymentCount: number;
}

/** Timeout for one bucket, which may have millions of payments. */
const statementTimeoutMs = 60 * 60 * 1000;

/**
 * Fills the tables that people search anew, bucket by bucket, each in a transaction of its own: no transaction is open for long, people
 * see the old rows until the new ones are there, and a command that was interrupted is simply run again.
 */
export async function rebuildAllSearch(operator: Operator): Promise<RebuiltSearch> {
  const { url, environment } = operator;
  const buckets = await asOwner(url, environment, systemScope, (tx) => listSearchedBuckets(tx, bucketCount), {
    statementTimeoutMs,
  });
  let paymentCount = 0;
  for (const bucket of buckets) {
    paymentCount += await actAsOwner(
      operator,
      systemScope,
      async (tx) => ({ value: await rebuildSearch(tx, bucket), audit: undefined }),
      { statementTimeoutMs },
    );
  }
  const audit = { act: "search rebuild", subject: "all payments", after: { paymentCount } };
  return actAsOwner(operator, systemScope, async () => ({ value: { paymentCount }, audit }));
}
