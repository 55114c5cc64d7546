import { advanceFeedHeads } from "../../notifications/feed.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { actAsOwner, type Operator } from "../../operator-session/owner-session.ts";

export interface AdvancedFeeds {
  readonly feedCount: number;
  readonly by: number;
}

/**
 * By how much cursors advance: more events than any merchant can have read between a backup and the failure after it.
 */
const cursorAdvance = 1_000_000_000;

/**
 * `advanceAllFeeds` advances all feeds of a restored database. Merchants have read events that the restored database
 * does not have, and it would assign the same cursors again.
 */
export async function advanceAllFeeds(operator: Operator): Promise<AdvancedFeeds> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const value = { feedCount: await advanceFeedHeads(tx, cursorAdvance), by: cursorAdvance };
    return { value, audit: { act: "feed advance-cursors", subject: "all feeds", after: value } };
  });
}
