import type { HeldJob, JobRunner } from "../jobs/job.ts";
import { claimParkedJobs, listParkedLanes, parkJobs, parkedLanesMax } from "../jobs/job.sql.ts";
import { claimAsNobody } from "./work-loop.ts";

/** Jobs that are due and wait for others of their lane, in the database, where every process finds them. */
export interface Parking {
  park(jobs: readonly HeldJob[]): Promise<void>;
  /** Whether something of the lane may be parked. */
  holds(lane: string): boolean;
  /** Lanes that may have something parked; whoever had its turn comes last. */
  lanes(): Promise<readonly string[]>;
  /** Takes up to `limit` of a lane's, the oldest first. */
  fetch(lane: string, limit: number): Promise<readonly HeldJob[]>;
}

/** Others park as well, and may be gone. */
const lookEveryMs = 500;

export function openParking(runner: JobRunner): Parking {
  const lanes = new Set<string>();
  let lookedAtMs = -Infinity;
  /** The last lane of the look before, if there may be more behind it. */
  let seen = "";

  async function look(): Promise<void> {
    if (runner.monotonicMs() - lookedAtMs < lookEveryMs) return;
    lookedAtMs = runner.monotonicMs();
    const parked = (await claimAsNobody(runner, (tx) => listParkedLanes(tx, seen))) ?? [];
    seen = (parked.length === parkedLanesMax && parked.at(-1)?.lane) || "";
    // What its merchant has stopped waits for the merchant, and would only be in the way here.
    for (const { lane, isPaused } of parked) {
      if (isPaused) lanes.delete(lane);
      else lanes.add(lane);
    }
  }

  return {
    async park(jobs) {
      if (jobs.length === 0) return;
      for (const held of jobs) lanes.add(laneOf(held));
      // What cannot be parked keeps its lease, and is due again when that ends.
      await claimAsNobody(runner, async (tx) => {
        parkJobs(tx, jobs);
        return [];
      });
    },
    holds: (lane) => lanes.has(lane),
    async lanes() {
      await look();
      return Array.from(lanes);
    },
    async fetch(lane, limit) {
      const jobs = (await claimAsNobody(runner, (tx) => claimParkedJobs(tx, lane, limit))) ?? [];
      lanes.delete(lane);
      if (jobs.length === limit) lanes.add(lane);
      return jobs;
    },
  };
}

export function laneOf({ lane, clientId }: HeldJob): string {
  return lane ?? clientId;
}
