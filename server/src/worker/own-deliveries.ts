import { setTimeout as delay } from "node:timers/promises";
import type { LeasedJob, JobRunner, OwnDeliveries } from "../contract/job.ts";
import { parkJobs } from "../jobs/job.sql.ts";
import { newPlaces, newQueues, type PlacesOptions } from "./delivery-slots.ts";

/**
 * Timeout of the shutdown, shorter than the grace period of the process. Workers send the remaining webhooks after
 * their leases expire.
 */
const stopWithinMs = 3_000;

/**
 * `startOwnDeliveries` sends webhooks from the process that created them, from memory, without a poll, a claim or a
 * read. The webhooks' rows in the outbox are leased, so that after a crash a worker sends them when the lease expires.
 * If a delivery queue is slow, failing or full, workers send its webhooks instead.
 */
export function startOwnDeliveries(
  runner: JobRunner,
  options: PlacesOptions,
): OwnDeliveries & { stop(): Promise<void> } {
  const { limits } = options;
  let isStopping = false;
  const queues = newQueues(limits);
  const places = newPlaces(runner, options, (queueId) => {
    queues.drain(queueId, places.run);
    putAside(queues.takeSlow());
  });

  /** Parks jobs, so that a worker finds them immediately. */
  function putAside(jobs: readonly LeasedJob[]): void {
    if (jobs.length > 0) void park(jobs).catch(runner.onFault);
  }

  async function park(jobs: readonly LeasedJob[]): Promise<void> {
    const clientIds = [...new Set(jobs.map(({ clientId }) => clientId))];
    const parked = await runner.database.transaction(clientIds, async (tx) => parkJobs(tx, jobs));
    // A job that could not be parked keeps its lease, and is due again when the lease expires.
    if (parked.outcome !== "committed") throw parked.cause;
    runner.wake();
  }

  return {
    room: (queueId) =>
      isStopping ? 0 : Math.min(limits.room(queueId) + queues.room(queueId), places.free()),
    run(leased, sinceMs) {
      const taken = { leased, sinceMs };
      if (!places.run(taken) && !queues.add(taken)) putAside([leased]);
    },
    async stop() {
      isStopping = true;
      const left = queues.takeAll();
      if (left.length > 0) await park(left).catch(runner.onFault);
      await Promise.race([places.allFree(), delay(stopWithinMs, undefined, { ref: false })]);
    },
  };
}
