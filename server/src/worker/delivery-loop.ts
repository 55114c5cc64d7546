import type { HeldJob, JobRunner } from "../jobs/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";
import type { LaneBook } from "./lane-book.ts";
import { laneOf, openParking } from "./parking.ts";
import { claimAsNobody, jobsOf, newRest, type WorkLoop } from "./work-loop.ts";

export interface DeliveryOptions {
  /** How many jobs are run at once, of all lanes together. */
  readonly inFlightMax: number;
  readonly lanes: LaneBook;
  /** What the outcome of a job says about the endpoint. */
  readonly wasGood: (outcome: unknown) => boolean | undefined;
}

const batchMax = 200;

interface Taken {
  readonly held: HeldJob;
  readonly sinceMs: number;
}

/**
 * Takes jobs that are due, as every loop does. What has to wait for others of its lane is parked in the database, and
 * fetched lane by lane as places become free: however much waits for an endpoint, each job is put aside once, and
 * whoever comes behind it is reached at once.
 */
export function startDeliveryLoop(
  runner: JobRunner,
  { lanes, inFlightMax, wasGood }: DeliveryOptions,
): WorkLoop {
  const names = jobsOf(runner, "notifications");
  const parking = openParking(runner);
  const queues = newQueues(lanes);
  const inFlight = new Set<Promise<void>>();
  let stopping = false;
  const { rest, wake } = newRest();

  async function loop(): Promise<void> {
    while (!stopping) {
      const taken = await takeDue();
      const fetched = await takeParked();
      if ((taken < batchMax && fetched === 0) || inFlight.size >= inFlightMax) await rest();
    }
    await Promise.all(inFlight);
  }

  async function takeDue(): Promise<number> {
    const limit = Math.min(batchMax, inFlightMax - inFlight.size);
    if (limit <= 0) return 0;
    const sinceMs = runner.monotonicMs();
    const due = await claimAsNobody(runner, (tx) => claimDueJobs(tx, names, limit));
    await parking.park(due.filter((held) => !run({ held, sinceMs }) && !queues.add({ held, sinceMs })));
    return due.length;
  }

  async function takeParked(): Promise<number> {
    await parking.park(queues.takeSlow());
    let fetched = 0;
    for (const lane of await parking.lanes()) {
      const room = Math.min(lanes.room(lane) - queues.length(lane), inFlightMax - inFlight.size);
      if (room <= 0) continue;
      const sinceMs = runner.monotonicMs();
      const jobs = await parking.fetch(lane, room);
      await parking.park(jobs.filter((held) => !run({ held, sinceMs })));
      fetched += jobs.length;
    }
    return fetched;
  }

  /** False when its lane has no room. */
  function run({ held, sinceMs }: Taken): boolean {
    const lane = laneOf(held);
    const leave = lanes.enter(lane);
    if (!leave) return false;
    const running = runJob(runner, held, sinceMs).then((outcome) => leave(wasGood(outcome)));
    inFlight.add(running);
    void running.finally(() => {
      inFlight.delete(running);
      queues.drain(lane, run);
      if (parking.holds(lane) || inFlight.size < inFlightMax) wake();
    });
    return true;
  }

  const ended = loop();
  return {
    wake,
    async stop() {
      stopping = true;
      // They go back to everybody at once, and not when their leases end.
      await parking.park(queues.takeAll());
      wake();
      await ended;
    },
  };
}

/** So many wait in memory for an endpoint that is quick: to park them would cost more than to send them. */
const queueMax = 64;

interface Queues {
  /** False when it has to be parked. */
  add(taken: Taken): boolean;
  length(lane: string): number;
  /** Hands out what waits for a lane, for as long as it is taken. */
  drain(lane: string, take: (taken: Taken) => boolean): void;
  /** Of endpoints that have stopped being quick: nobody waits for those in memory, where leases run out. */
  takeSlow(): readonly HeldJob[];
  takeAll(): readonly HeldJob[];
}

function newQueues(lanes: LaneBook): Queues {
  const queues = new Map<string, Taken[]>();
  const takeOf = (isTaken: (lane: string) => boolean): readonly HeldJob[] =>
    Array.from(queues).flatMap(([lane, queue]) => {
      if (!isTaken(lane)) return [];
      queues.delete(lane);
      return queue.map(({ held }) => held);
    });
  return {
    add(taken) {
      const lane = laneOf(taken.held);
      const queue = queues.get(lane) ?? [];
      if (!lanes.isQuick(lane) || queue.length >= queueMax) return false;
      queue.push(taken);
      queues.set(lane, queue);
      return true;
    },
    length: (lane) => queues.get(lane)?.length ?? 0,
    drain(lane, take) {
      const queue = queues.get(lane) ?? [];
      while (queue[0] && take(queue[0])) queue.shift();
      if (queue.length === 0) queues.delete(lane);
    },
    takeSlow: () => takeOf((lane) => !lanes.isQuick(lane)),
    takeAll: () => takeOf(() => true),
  };
}
