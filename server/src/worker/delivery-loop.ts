import type { LeasedJob, JobRunner } from "../jobs/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";
import type { LaneBook } from "./lane-book.ts";
import { newLookBack } from "./look-back.ts";
import { laneOfJob, openParking } from "./parking.ts";
import { claimFrom, jobsOf, lookEveryMs, newRest, startLoop, type WorkLoop } from "./work-loop.ts";

export interface DeliveryOptions {
  /** How many jobs are run at once, of all lanes together. */
  readonly inFlightMax: number;
  readonly lanes: LaneBook;
  /** Reads the records of many jobs in one batch. */
  readonly read: (jobs: readonly LeasedJob[]) => Promise<readonly LeasedJob[]>;
  /** Whether the endpoint did its part, by the outcome of a job; undefined when it was not called. */
  readonly wasGood: (outcome: unknown) => boolean | undefined;
}

const batchMax = 200;

interface Taken {
  readonly leased: LeasedJob;
  readonly sinceMs: number;
}

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
  const { rest, wake, again } = newRest();
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

interface Places {
  /** False when its lane has no room. */
  run(taken: Taken): boolean;
  free(): number;
  allFree(): Promise<unknown>;
}

function newPlaces(
  runner: JobRunner,
  { lanes, inFlightMax, wasGood }: DeliveryOptions,
  onFree: (lane: string, wasFull: boolean) => void,
): Places {
  const inFlight = new Set<Promise<void>>();
  return {
    run({ leased, sinceMs }) {
      const lane = laneOfJob(leased);
      const leave = lanes.enter(lane);
      if (!leave) return false;
      const running = runJob(runner, leased, sinceMs).then((outcome) => leave(wasGood(outcome)));
      inFlight.add(running);
      void running.finally(() => {
        const wasFull = inFlight.size >= inFlightMax;
        inFlight.delete(running);
        onFree(lane, wasFull);
      });
      return true;
    },
    free: () => inFlightMax - inFlight.size,
    allFree: () => Promise.all(inFlight),
  };
}

/** Queue in memory of each quick endpoint: to park its jobs would cost more than to send them. */
const queueMax = 64;

interface Queues {
  /** False when the job has to be parked. */
  add(taken: Taken): boolean;
  /** How many more jobs may be queued for a lane; none until its queue is low. */
  room(lane: string): number;
  isLow(lane: string): boolean;
  /** Hands out the jobs of a lane, for as long as they are taken. */
  drain(lane: string, take: (taken: Taken) => boolean): void;
  /** Removes the jobs of endpoints that have stopped being quick: in memory their leases would run out. */
  takeSlow(): readonly LeasedJob[];
  takeAll(): readonly LeasedJob[];
}

function newQueues(lanes: LaneBook): Queues {
  const queues = new Map<string, Taken[]>();
  const isLow = (lane: string): boolean => (queues.get(lane)?.length ?? 0) < queueMax / 2;
  const takeOf = (isTaken: (lane: string) => boolean): readonly LeasedJob[] =>
    Array.from(queues).flatMap(([lane, queue]) => {
      if (!isTaken(lane)) return [];
      queues.delete(lane);
      return queue.map(({ leased }) => leased);
    });
  return {
    add(taken) {
      const lane = laneOfJob(taken.leased);
      const queue = queues.get(lane) ?? [];
      if (!lanes.isQuick(lane) || queue.length >= queueMax) return false;
      queue.push(taken);
      queues.set(lane, queue);
      return true;
    },
    room: (lane) => (lanes.isQuick(lane) && isLow(lane) ? queueMax - (queues.get(lane)?.length ?? 0) : 0),
    isLow,
    drain(lane, take) {
      const queue = queues.get(lane) ?? [];
      while (queue[0] && take(queue[0])) queue.shift();
      if (queue.length === 0) queues.delete(lane);
    },
    takeSlow: () => takeOf((lane) => !lanes.isQuick(lane)),
    takeAll: () => takeOf(() => true),
  };
}
