import { setTimeout as waitMs } from "node:timers/promises";
import { database, type Installation } from "../installation/installation.ts";

/** How many transactions and inquiries of a storm shared a statement with others. */
export interface BatchesSeen {
  /** Transactions that settled more than one payment. */
  readonly settledTogether: number;
  /** Inquiries that shared a statement with others. The counts of a killed process's last second are lost. */
  readonly sharedInquiries: number;
}

export interface BatchWatch {
  /** Returns the counts. Call it after all processes have stopped. */
  finish(): Promise<BatchesSeen>;
}

const pollMs = 1_000;
const sharedReads = /^tollgate_batch_items_total\{access="read",batch="shared"\} (\d+)$/m;

/** Polls the metrics of the first cell's serving processes. A restarted process counts from zero. */
export function watchBatches({ cluster, metricsPorts }: Installation): BatchWatch {
  const counted = metricsPorts.map((port) => ({ port, before: 0, last: 0 }));
  const state = { goesOn: true };
  const pollAll = (): Promise<unknown> =>
    Promise.all(
      counted.map(async (each) => {
        const now = await sharedReadsAt(each.port);
        if (now === undefined) return;
        if (now < each.last) each.before += each.last;
        each.last = now;
      }),
    );
  const polling = (async () => {
    for (; state.goesOn; await waitMs(pollMs)) await pollAll();
  })();
  return {
    async finish() {
      state.goesOn = false;
      await polling;
      await pollAll();
      const sharedInquiries = counted.reduce((sum, { before, last }) => sum + before + last, 0);
      return { sharedInquiries, settledTogether: await countSettledTogether(cluster) };
    },
  };
}

async function sharedReadsAt(port: number): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(pollMs) });
    return Number(sharedReads.exec(await answer.text())?.[1] ?? 0);
  } catch {
    // The process is frozen or killed, so it returns no metrics.
    return undefined;
  }
}

/** Rows of one transaction have the same xmin. Moved merchants are excluded, because a move writes their rows again. */
async function countSettledTogether(cluster: Installation["cluster"]): Promise<number> {
  const [row] = await cluster.execute<{ count: number }>(
    database,
    `select count(*)::int from (
       select from payment_events
       where status = 'SUCCESS' and client_id not in (select client from client_homes)
       group by xmin::text having count(distinct payment_id) > 1
     ) as batches`,
  );
  return row?.count ?? 0;
}
