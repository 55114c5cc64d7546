import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { asSuperuser } from "../../test/start/test-database.ts";
import { startTestStack } from "../../test/start/test-stack.ts";

/** The test waits this long, because the worker slows down its polls after 5 s without work. */
const quietAfterMs = 8_000;
const measuredMs = 10_000;
/** Maximum transactions per second of an idle installation. With constant poll intervals there were 22 to 28. */
const transactionsPerSecondMax = 20;

test("an idle installation makes few transactions", async () => {
  const stack = await startTestStack();
  await Promise.all([stack.serve(), stack.work()]);
  const url = stack.database.superuserUrl;
  const count = async (): Promise<number> => {
    const counted =
      "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()";
    const [row] = await asSuperuser(counted, [], url);
    return Number((row as { readonly count: string }).count);
  };
  await delay(quietAfterMs);
  const [before, startedAtMs] = [await count(), performance.now()];
  await delay(measuredMs);
  const perSecond = (1_000 * ((await count()) - before)) / (performance.now() - startedAtMs);
  assert(perSecond <= transactionsPerSecondMax, `${perSecond.toFixed(1)} transactions a second`);
});
