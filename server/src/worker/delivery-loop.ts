import type { LeasedJob, JobRunner } from "../jobs/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { newIdlePace } from "./idle-pace.ts";
import { newLookBack } from "./look-back.ts";
import { laneOfJob, openParking } from "./parking.ts";
import { newPlaces, newQueues, type PlacesOptions } from "./places.ts";
import { claimFrom, jobsOf, lookEveryMs, newRest, startLoop, type WorkLoop } from "./work-loop.ts";

export interface DeliveryOptions extends PlacesOptions {
  /** Reads the records of many jobs in one batch. */
  readonly read: (jobs: readonly LeasedJob[]) => Promise<readonly LeasedJob[]>;
}

const batchMax = 200;

/**
 * Claims jobs that are due, as every loop does. A job that has to wait for others of its lane is parked in the
 * database, and fetched lane by lane as places become free. However many jobs wait for an endpoint, each is put
 * aside once, and the jobs behind it are reached at once: no head-of-line blocking.
 */
export function startDeliveryLoop(runner: JobRunner, options: DeliveryOptions): WorkLoop {
  const { lanes, read } = options;
  const claimDue = dueNotifications(runner);
  const parking = openParking(runner);
  const queues = newQueues(lanes);
  const pace = newIdlePace(lookEveryMs, runner.monotonicMs);
  const { rest, wake, again } = newRest(pace);
  const places = newPlaces(runner, options, (lane, wasFull) => {
    queues.drain(lane, places.run);
    if (wasFull || (parking.has(lane) && queues.isLow(lane))) again();
  });
  /** Whether a wake-up came, or the poll interval has passed. */
  let lookForDue = true;
  let lookedAtMs = 0;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const isMore = lookForDue && (await takeDue()) === batchMax;
      const fetched = await takeParked();
      const isTime = (!isMore && fetched === 0) || places.free() <= 0 ? await rest() : false;
      lookForDue = isMore || isTime || runner.monotonicMs() - lookedAtMs >= lookEveryMs;
    }
    // Other processes can take the queued jobs over at once, and not only when our leases end.
    await parking.park(queues.takeAll());
    await places.allFree();
  }

  async function takeDue(): Promise<number> {
    const limit = Math.min(batchMax, places.free());
    if (limit <= 0) return batchMax;
    const sinceMs = runner.monotonicMs();
    lookedAtMs = sinceMs;
    const due = await claimDue(limit);
    await begin(due, sinceMs);
    // As many as there were places for: there may be more.
    return due.length === limit ? batchMax : due.length;
  }

  /** Fetches a job for each free place, and prefetches a batch for a quick endpoint. */
  async function takeParked(): Promise<number> {
    await parking.park(queues.takeSlow());
    let fetched = 0;
    for (const lane of await parking.lanes()) {
      const limit = Math.min(lanes.room(lane) + queues.room(lane), places.free());
      if (limit <= 0) continue;
      const sinceMs = runner.monotonicMs();
      const jobs = await parking.fetch(lane, limit);
      await begin(jobs, sinceMs);
      fetched += jobs.length;
    }
    return fetched;
  }

  /** Jobs without room are parked before their records are read. */
  async function begin(jobs: readonly LeasedJob[], sinceMs: number): Promise<void> {
    if (jobs.length > 0) pace.noteWork();
    const room = new Map<string, number>();
    const [fits, aside] = [[] as LeasedJob[], [] as LeasedJob[]];
    for (const leased of jobs) {
      const lane = laneOfJob(leased);
      const left = room.get(lane) ?? lanes.room(lane) + queues.room(lane);
      room.set(lane, left - 1);
      (left > 0 ? fits : aside).push(leased);
    }
    for (const leased of fits.length > 0 ? await read(fits) : []) {
      const taken = { leased, sinceMs };
      if (!places.run(taken) && !queues.add(taken)) aside.push(leased);
    }
    await parking.park(aside);
  }

  return startLoop(loop, wake);
}

function dueNotifications(runner: JobRunner): (limit: number) => Promise<readonly LeasedJob[]> {
  const names = jobsOf(runner, "notifications");
  const lookBack = newLookBack({ now: () => runner.clock.now(), monotonicMs: runner.monotonicMs });
  return (limit) =>
    claimFrom(
      runner,
      lookBack,
      (tx, from) => claimDueJobs(tx, { names, limit, from }),
      (claimed) => claimed.length < limit,
    );
}
