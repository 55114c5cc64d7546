import type { LeasedJob, JobRunner } from "../contract/job.ts";
import { claimParkedJobs, listParkedQueues, parkJobs, parkedQueuesMax } from "../jobs/job.sql.ts";
import { claimAsSystem } from "./work-loop.ts";

/** Parked jobs of delivery queues without a free slot. The jobs are in the database, where every process finds them. */
export interface Parking {
  park(jobs: readonly LeasedJob[]): Promise<void>;
  /** Whether the delivery queue may have parked jobs. */
  has(queue: string): boolean;
  /** Delivery queues that may have parked jobs, round-robin: the queue that was read last comes last. */
  queues(): Promise<readonly string[]>;
  /** Leases up to `limit` jobs of a delivery queue, the oldest first. */
  fetch(queue: string, limit: number): Promise<readonly LeasedJob[]>;
}

/** Poll interval for jobs that other processes parked, because those processes may have crashed since. */
const pollIntervalMs = 500;

export function openParking(runner: JobRunner): Parking {
  const queues = new Set<string>();
  let polledAtMs = -Infinity;
  /** Cursor of the poll: the last delivery queue of the previous poll, if there may be more after it. */
  let cursor = "";

  async function pollParkedQueues(): Promise<void> {
    if (runner.monotonicMs() - polledAtMs < pollIntervalMs) return;
    polledAtMs = runner.monotonicMs();
    const parked = (await claimAsSystem(runner, (tx) => listParkedQueues(tx, cursor))) ?? [];
    cursor = (parked.length === parkedQueuesMax && parked.at(-1)?.queue) || "";
    // A paused delivery queue waits for its merchant, so the list omits it.
    for (const { queue, isPaused } of parked) {
      if (isPaused) queues.delete(queue);
      else queues.add(queue);
    }
  }

  return {
    async park(jobs) {
      if (jobs.length === 0) return;
      for (const leased of jobs) queues.add(deliveryQueueOf(leased));
      // A job that could not be parked keeps its lease, and is due again when the lease expires.
      await claimAsSystem(runner, async (tx) => {
        parkJobs(tx, jobs);
        return [];
      });
    },
    has: (queue) => queues.has(queue),
    async queues() {
      await pollParkedQueues();
      return Array.from(queues);
    },
    async fetch(queue, limit) {
      const jobs = (await claimAsSystem(runner, (tx) => claimParkedJobs(tx, queue, limit))) ?? [];
      queues.delete(queue);
      if (jobs.length === limit) queues.add(queue);
      return jobs;
    },
  };
}

export function deliveryQueueOf({ queue, clientId }: LeasedJob): string {
  return queue ?? clientId;
}
