import { moveFeedsAhead } from "../notifications/feed.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, type Operator } from "./as-owner.ts";

export interface MovedFeeds {
  readonly feedCount: number;
  readonly by: number;
}

/** More events than any merchant can have been told between a backup and the loss of what came after it. */
const aheadBy = 1_000_000_000;

/** For a database that was restored: merchants have read events that it has not, and hold cursors that it would give out again. */
export async function moveAllFeedsAhead(operator: Operator): Promise<MovedFeeds> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const value = { feedCount: await moveFeedsAhead(tx, aheadBy), by: aheadBy };
    return { value, audit: { act: "feeds move-ahead", subject: "all feeds", after: value } };
  });
}
