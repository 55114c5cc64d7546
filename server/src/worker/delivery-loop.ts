import type { LeasedJob, JobRunner } from "../contract/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { newIdlePace } from "./idle-pace.ts";
import { newPollWindow } from "./poll-window.ts";
import { deliveryQueueOf, openParking } from "./parking.ts";
import { newDeliverySlots, newMemoryQueues, type DeliverySlotsOptions } from "./delivery-slots.ts";
import {
  claimInWindow,
  jobNamesOf,
  pollIntervalMs,
  newLoopSleep,
  startLoop,
  type WorkLoop,
} from "./work-loop.ts";

export interface DeliveryOptions extends DeliverySlotsOptions {
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
  const claimDue = createDueClaimer(runner);
  const parking = openParking(runner);
  const queues = newMemoryQueues(limits);
  const pace = newIdlePace(pollIntervalMs, runner.monotonicMs);
  const { rest, wake, wakeForSlot } = newLoopSleep(pace);
  const slots = newDeliverySlots(runner, options, (queueId, wasFull) => {
    queues.drain(queueId, slots.run);
    if (wasFull || (parking.has(queueId) && queues.isLow(queueId))) wakeForSlot();
  });
  /** Whether the next iteration polls for due jobs, because the loop was woken or the poll interval has passed. */
  let isPollDue = true;
  let polledAtMs = 0;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const hasMore = isPollDue && (await startDueJobs()) === batchMax;
      const fetched = await startParkedJobs();
      const isPollTime = (!hasMore && fetched === 0) || slots.freeCount() <= 0 ? await rest() : false;
      isPollDue = hasMore || isPollTime || runner.monotonicMs() - polledAtMs >= pollIntervalMs;
    }
    // Shutdown: parks queued jobs, so that other processes can take the jobs over before their leases expire.
    await parking.park(queues.removeAll());
    await slots.whenAllFree();
  }

  async function startDueJobs(): Promise<number> {
    const limit = Math.min(batchMax, slots.freeCount());
    if (limit <= 0) return batchMax;
    const sinceMs = runner.monotonicMs();
    polledAtMs = sinceMs;
    const due = await claimDue(limit);
    await startJobs(due, sinceMs);
    // The poll returned as many jobs as there were slots, so there may be more.
    return due.length === limit ? batchMax : due.length;
  }

  /** Claims a parked job for each free slot, and a batch in advance for a fast endpoint. */
  async function startParkedJobs(): Promise<number> {
    await parking.park(queues.removeSlow());
    let fetched = 0;
    for (const queueId of await parking.queues()) {
      const limit = Math.min(limits.freeSlots(queueId) + queues.room(queueId), slots.freeCount());
      if (limit <= 0) continue;
      const sinceMs = runner.monotonicMs();
      const jobs = await parking.fetch(queueId, limit);
      await startJobs(jobs, sinceMs);
      fetched += jobs.length;
    }
    return fetched;
  }

  /** Starts jobs. Jobs without a free slot are parked before their records are read. */
  async function startJobs(jobs: readonly LeasedJob[], sinceMs: number): Promise<void> {
    if (jobs.length > 0) pace.recordWork();
    const freeSlotsByQueue = new Map<string, number>();
    const [startable, jobsToPark] = [[] as LeasedJob[], [] as LeasedJob[]];
    for (const leased of jobs) {
      const queueId = deliveryQueueOf(leased);
      const freeSlots = freeSlotsByQueue.get(queueId) ?? limits.freeSlots(queueId) + queues.room(queueId);
      freeSlotsByQueue.set(queueId, freeSlots - 1);
      (freeSlots > 0 ? startable : jobsToPark).push(leased);
    }
    for (const leased of startable.length > 0 ? await read(startable) : []) {
      const claimed = { leased, sinceMs };
      if (!slots.run(claimed) && !queues.add(claimed)) jobsToPark.push(leased);
    }
    await parking.park(jobsToPark);
  }

  return startLoop(loop, wake);
}

function createDueClaimer(runner: JobRunner): (limit: number) => Promise<readonly LeasedJob[]> {
  const names = jobNamesOf(runner, "notifications");
  const pollWindow = newPollWindow({ now: () => runner.clock.now(), monotonicMs: runner.monotonicMs });
  return (limit) =>
    claimInWindow(
      runner,
      pollWindow,
      (tx, from) => claimDueJobs(tx, { names, limit, from }),
      (claimed) => claimed.length < limit,
    );
}
