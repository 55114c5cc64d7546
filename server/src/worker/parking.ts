import type { LeasedJob, JobRunner } from "../jobs/job.ts";
import { claimParkedJobs, listParkedLanes, parkJobs, parkedLanesMax } from "../jobs/job.sql.ts";
import { claimAsSystem } from "./work-loop.ts";

/** Jobs that are due and wait for others of their lane, in the database, where every process finds them. */
export interface Parking {
  park(jobs: readonly LeasedJob[]): Promise<void>;
  /** Whether something of the lane may be parked. */
  has(lane: string): boolean;
  /** Lanes that may have something parked, round-robin: a lane that was fetched from comes last. */
  lanes(): Promise<readonly string[]>;
  /** Takes the leases of up to `limit` jobs of a lane, the oldest first. */
  fetch(lane: string, limit: number): Promise<readonly LeasedJob[]>;
}

/** Poll interval: other processes park jobs as well, and may have died. */
const lookEveryMs = 500;

export function openParking(runner: JobRunner): Parking {
  const lanes = new Set<string>();
  let lookedAtMs = -Infinity;
  /** Cursor: the last lane of the previous poll, if there may be more behind it. */
  let seen = "";

  async function look(): Promise<void> {
    if (runner.monotonicMs() - lookedAtMs < lookEveryMs) return;
    lookedAtMs = runner.monotonicMs();
    const parked = (await claimAsSystem(runner, (tx) => listParkedLanes(tx, seen))) ?? [];
    seen = (parked.length === parkedLanesMax && parked.at(-1)?.lane) || "";
    // A paused lane waits for its merchant, and would only be in the way here.
    for (const { lane, isPaused } of parked) {
      if (isPaused) lanes.delete(lane);
      else lanes.add(lane);
    }
  }

  return {
    async park(jobs) {
      if (jobs.length === 0) return;
      for (const leased of jobs) lanes.add(laneOfJob(leased));
      // A job that could not be parked keeps its lease, and is due again when that ends.
      await claimAsSystem(runner, async (tx) => {
        parkJobs(tx, jobs);
        return [];
      });
    },
    has: (lane) => lanes.has(lane),
    async lanes() {
      await look();
      return Array.from(lanes);
    },
    async fetch(lane, limit) {
      const jobs = (await claimAsSystem(runner, (tx) => claimParkedJobs(tx, lane, limit))) ?? [];
      lanes.delete(lane);
      if (jobs.length === limit) lanes.add(lane);
      return jobs;
    },
  };
}

export function laneOfJob({ lane, clientId }: LeasedJob): string {
  return lane ?? clientId;
}
