import type { LeasedJob, JobRunner } from "../contract/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { newIdlePace } from "./idle-pace.ts";
import { newPollWindow } from "./poll-window.ts";
import { queueOfJob, openParking } from "./parking.ts";
import { newPlaces, newQueues, type PlacesOptions } from "./delivery-slots.ts";
import { claimFrom, jobsOf, pollIntervalMs, newSleep, startLoop, type WorkLoop } from "./work-loop.ts";

export interface DeliveryOptions extends PlacesOptions {
  /** Reads the records of many jobs in one batch. */
  readonly read: (jobs: readonly LeasedJob[]) => Promise<readonly LeasedJob[]>;
}

const batchMax = 200;

/**
 * `startDeliveryLoop` claims due webhook jobs. A job that has no free slot in its delivery queue is parked in the
 * database, and claimed again when a slot becomes free. Each job is parked at most once, and the loop reaches the jobs
 * behind it immediately, so there is no head-of-line blocking.
 */
export function startDeliveryLoop(runner: JobRunner, options: DeliveryOptions): WorkLoop {
  const { limits, read } = options;
  const claimDue = dueNotifications(runner);
  const parking = openParking(runner);
  const queues = newQueues(limits);
  const pace = newIdlePace(pollIntervalMs, runner.monotonicMs);
  const { rest, wake, again } = newSleep(pace);
  const places = newPlaces(runner, options, (queueId, wasFull) => {
    queues.drain(queueId, places.run);
    if (wasFull || (parking.has(queueId) && queues.isLow(queueId))) again();
  });
  /** Whether the next iteration polls for due jobs, because the loop was woken or the poll interval has passed. */
  let lookForDue = true;
  let lookedAtMs = 0;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const isMore = lookForDue && (await takeDue()) === batchMax;
      const fetched = await takeParked();
      const isTime = (!isMore && fetched === 0) || places.free() <= 0 ? await rest() : false;
      lookForDue = isMore || isTime || runner.monotonicMs() - lookedAtMs >= pollIntervalMs;
    }
    // Shutdown: parks queued jobs, so that other processes can take the jobs over before their leases expire.
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
    // The poll returned as many jobs as there were slots, so there may be more.
    return due.length === limit ? batchMax : due.length;
  }

  /** Claims a parked job for each free slot, and a batch in advance for a fast endpoint. */
  async function takeParked(): Promise<number> {
    await parking.park(queues.takeSlow());
    let fetched = 0;
    for (const queueId of await parking.queues()) {
      const limit = Math.min(limits.room(queueId) + queues.room(queueId), places.free());
      if (limit <= 0) continue;
      const sinceMs = runner.monotonicMs();
      const jobs = await parking.fetch(queueId, limit);
      await begin(jobs, sinceMs);
      fetched += jobs.length;
    }
    return fetched;
  }

  /** Starts jobs. Jobs without a free slot are parked before their records are read. */
  async function begin(jobs: readonly LeasedJob[], sinceMs: number): Promise<void> {
    if (jobs.length > 0) pace.noteWork();
    const room = new Map<string, number>();
    const [fits, aside] = [[] as LeasedJob[], [] as LeasedJob[]];
    for (const leased of jobs) {
      const queueId = queueOfJob(leased);
      const left = room.get(queueId) ?? limits.room(queueId) + queues.room(queueId);
      room.set(queueId, left - 1);
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
  const lookBack = newPollWindow({ now: () => runner.clock.now(), monotonicMs: runner.monotonicMs });
  return (limit) =>
    claimFrom(
      runner,
      lookBack,
      (tx, from) => claimDueJobs(tx, { names, limit, from }),
      (claimed) => claimed.length < limit,
    );
}
