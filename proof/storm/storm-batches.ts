import { setTimeout as waitMs } from "node:timers/promises";
import { database, type Installation } from "../installation/installation.ts";

/** How many transactions and inquiries of a storm shared a statement with others. */
export interface BatchCounts {
  /** Transactions that settled more than one payment. */
  readonly settledTogether: number;
  /** Inquiries that shared a statement with others. The counts of a killed process's last second are lost. */
  readonly sharedInquiries: number;
}

export interface BatchWatch {
  /** Returns the counts. Call it after all processes have stopped. */
  finish(): Promise<BatchCounts>;
}

const pollMs = 1_000;
const sharedReads = /^tollgate_batch_items_total\{access="read",batch="shared"\} (\d+)$/m;

/** Polls the metrics of the first cell's serving processes. A restarted process counts from zero. */
export function watchBatches({ cluster, metricsPorts }: Installation): BatchWatch {
  const portCounts = metricsPorts.map((port) => ({ port, countBeforeRestart: 0, lastCount: 0 }));
  const state = { isActive: true };
  const pollAll = (): Promise<unknown> =>
    Promise.all(
      portCounts.map(async (each) => {
        const currentCount = await readSharedReads(each.port);
        if (currentCount === undefined) return;
        if (currentCount < each.lastCount) each.countBeforeRestart += each.lastCount;
        each.lastCount = currentCount;
      }),
    );
  const polling = (async () => {
    for (; state.isActive; await waitMs(pollMs)) await pollAll();
  })();
  return {
    async finish() {
      state.isActive = false;
      await polling;
      await pollAll();
      const sharedInquiries = portCounts.reduce(
        (sum, { countBeforeRestart, lastCount }) => sum + countBeforeRestart + lastCount,
        0,
      );
      return { sharedInquiries, settledTogether: await countSettledTogether(cluster) };
    },
  };
}

async function readSharedReads(port: number): Promise<number | undefined> {
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
