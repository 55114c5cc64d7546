import { setTimeout as delay } from "node:timers/promises";
import type { LeasedJob, JobRunner, LocalDeliveries } from "../contract/job.ts";
import { parkJobs } from "../jobs/job.sql.ts";
import { newDeliverySlots, newMemoryQueues, type DeliverySlotsOptions } from "./delivery-slots.ts";

/**
 * Timeout of the shutdown, shorter than the grace period of the process. Workers send the remaining webhooks after
 * their leases expire.
 */
const stopWithinMs = 3_000;

/**
 * `startInProcessDeliveries` sends webhooks from the process that created them, from memory, without a poll, a claim or a
 * read. The webhooks' rows in the outbox are leased, so that after a crash a worker sends them when the lease expires.
 * If a delivery queue is slow, failing or full, workers send its webhooks instead.
 */
export function startInProcessDeliveries(
  runner: JobRunner,
  options: DeliverySlotsOptions,
): LocalDeliveries & { stop(): Promise<void> } {
  const { limits } = options;
  let isStopping = false;
  const queues = newMemoryQueues(limits);
  const slots = newDeliverySlots(runner, options, (queueId) => {
    queues.drain(queueId, slots.run);
    parkInBackground(queues.removeSlow());
  });

  /** Parks jobs, so that a worker finds them immediately. */
  function parkInBackground(jobs: readonly LeasedJob[]): void {
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
    freeSlots: (queueId) =>
      isStopping ? 0 : Math.min(limits.freeSlots(queueId) + queues.room(queueId), slots.freeCount()),
    run(leased, sinceMs) {
      const claimed = { leased, sinceMs };
      if (!slots.run(claimed) && !queues.add(claimed)) parkInBackground([leased]);
    },
    async stop() {
      isStopping = true;
      const remaining = queues.removeAll();
      if (remaining.length > 0) await park(remaining).catch(runner.onFault);
      await Promise.race([slots.whenAllFree(), delay(stopWithinMs, undefined, { ref: false })]);
    },
  };
}
