import { setTimeout as delay } from "node:timers/promises";
import type { LeasedJob, JobRunner, OwnDeliveries } from "../jobs/job.ts";
import { parkJobs } from "../jobs/job.sql.ts";
import { newPlaces, newQueues, type PlacesOptions } from "./places.ts";

/** Shutdown timeout: shorter than the process is given. What is not sent by then is a worker's when the lease ends. */
const stopWithinMs = 3_000;

/**
 * Sends notifications from the process that made them true, from memory: no poll, no claim and no read. Their rows in
 * the outbox are leased meanwhile, so that after a crash a worker sends them when the lease has run out. A lane
 * that is slow, failing or full takes none, and workers send what is its.
 */
export function startOwnDeliveries(
  runner: JobRunner,
  options: PlacesOptions,
): OwnDeliveries & { stop(): Promise<void> } {
  const { lanes } = options;
  let isStopping = false;
  const queues = newQueues(lanes);
  const places = newPlaces(runner, options, (lane) => {
    queues.drain(lane, places.run);
    putAside(queues.takeSlow());
  });

  /** Parks jobs where a worker finds them at once. */
  function putAside(jobs: readonly LeasedJob[]): void {
    if (jobs.length > 0) void park(jobs).catch(runner.onFault);
  }

  async function park(jobs: readonly LeasedJob[]): Promise<void> {
    const clientIds = [...new Set(jobs.map(({ clientId }) => clientId))];
    const parked = await runner.database.transaction(clientIds, async (tx) => parkJobs(tx, jobs));
    // A job that could not be parked keeps its lease, and is due again when that ends.
    if (parked.outcome !== "committed") throw parked.cause;
    runner.wake();
  }

  return {
    room: (lane) => (isStopping ? 0 : Math.min(lanes.room(lane) + queues.room(lane), places.free())),
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
