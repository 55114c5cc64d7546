import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client } from "pg";
import { claimDueJobs, claimDueProviderJobs } from "../../server/src/jobs/job.sql.ts";
import { assignFeedPositions } from "../../server/src/notifications/feed.sql.ts";
import { openDatabase, systemScope } from "../../server/src/postgres/database.ts";
import type { Tx } from "../../server/src/postgres/sql.ts";
import { asSuperuser, newTestDatabase } from "../../server/test/start/test-database.ts";
import { newPollWindow } from "../../server/src/worker/poll-window.ts";

/** While a backup or a report holds a snapshot, VACUUM cannot remove the rows of ended jobs. */
const endedCount = 300_000;
const timesMax = 3;
/** The test ignores ratios of times below this value, which depend more on the machine than on our code. */
const msFloor = 2;

const { workUrl, superuserUrl } = await newTestDatabase("sandbox");
const database = openDatabase({
  url: workUrl,
  applicationName: "open-snapshot",
  connectionsMax: 2,
  statementTimeoutMs: 60_000,
  onFault: () => undefined,
});
after(() => database.close());
const run = (text: string): Promise<readonly object[]> => asSuperuser(text, [], superuserUrl);

const names = ["drive-payment"] as const;
const capacities = [{ connector: "w", freeSlots: 64, isSilent: false }];
const polls: Readonly<Record<string, (tx: Tx, from: Date | undefined) => Promise<unknown>>> = {
  "for providers": (tx, from) => claimDueProviderJobs(tx, { names, limit: 50, from }, capacities),
  "for jobs without a provider": (tx, from) => claimDueJobs(tx, { names, limit: 50, from }),
  "for the feed": (tx, from) => assignFeedPositions(tx, 500, from),
};

/** The median time of polls on an empty queue, as a worker loop makes them: a full poll first, then only newer jobs. */
async function measure(): Promise<ReadonlyMap<string, { readonly allMs: number; readonly ms: number }>> {
  const measured = new Map<string, { allMs: number; ms: number }>();
  for (const [name, poll] of Object.entries(polls)) {
    const pollWindow = newPollWindow({ now: () => new Date(), monotonicMs: () => 0 });
    const times: number[] = [];
    for (let count = 0; count < 22; count += 1) {
      const sinceMs = performance.now();
      const { from, end } = pollWindow.begin();
      const result = await database.transaction(systemScope, (tx) => poll(tx, from));
      end(result.outcome === "committed");
      times.push(performance.now() - sinceMs);
    }
    const [allMs = 0, ...rest] = times;
    measured.set(name, { allMs, ms: rest.toSorted((one, other) => one - other)[10] ?? 0 });
  }
  return measured;
}

test("a poll without due jobs costs about the same while a snapshot keeps the rows of 300,000 ended jobs", async (t) => {
  await run(
    `insert into connectors (name, url, partner_id, public_key, payment_method_types, simulator)
     values ('w', 'http://127.0.0.1:9', 'tollgate', '', '{*}', true)`,
  );
  await measure();
  const withoutSnapshot = await measure();
  const snapshotClient = new Client({ connectionString: superuserUrl });
  await snapshotClient.connect();
  try {
    await snapshotClient.query("begin isolation level repeatable read");
    await snapshotClient.query("select count(*) from jobs");
    // As in production, jobs of the last 25 minutes are inserted, updated and deleted. Every second job has a connector
    // name.
    const due = "clock_timestamp() - make_interval(secs => 15 + n % 1500)";
    await run(
      `insert into jobs (bucket, subject_id, job, client_id, connector, due_at)
       select 1, 'j' || n, 'drive-payment', 'X', case when n % 2 = 0 then 'w' end, ${due}
       from generate_series(1, ${endedCount}) as n`,
    );
    await run("update jobs set due_at = due_at + interval '1 second', epoch = epoch + 1");
    await run("delete from jobs");
    await run(
      `insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, body, created_at)
       select 1, 'n' || n, 'X', 'notifyPayment', 's', 1, '', ${due} from generate_series(1, ${endedCount}) as n`,
    );
    await run(
      "update notifications set position = substr(notification_id, 2)::bigint where position is null",
    );
    const withSnapshot = await measure();
    for (const [name, { allMs, ms }] of withSnapshot) {
      const restMs = withoutSnapshot.get(name)?.ms ?? 0;
      t.diagnostic(
        `${name}: at rest ${restMs.toFixed(1)} ms, now ${ms.toFixed(1)}, all ${allMs.toFixed(1)} ms`,
      );
    }
    for (const [name, { ms }] of withSnapshot)
      assert.ok(
        ms <= timesMax * Math.max(msFloor, withoutSnapshot.get(name)?.ms ?? 0),
        `a poll ${name} became slow`,
      );
  } finally {
    await snapshotClient.end();
  }
});
