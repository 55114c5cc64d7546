import type { LeasedJob, JobRunner } from "../jobs/job.ts";
import { runJob } from "../jobs/run-job.ts";
import type { LaneBook } from "./lane-book.ts";
import { laneOfJob } from "./parking.ts";

/** A job with the time at which its lease was taken. */
export interface Taken {
  readonly leased: LeasedJob;
  readonly sinceMs: number;
}

export interface PlacesOptions {
  /** How many jobs are run at once, of all lanes together. */
  readonly inFlightMax: number;
  readonly lanes: LaneBook;
  /** Whether the endpoint did its part, by the outcome of a job; undefined when it was not called. */
  readonly wasGood: (outcome: unknown) => boolean | undefined;
}

/** The jobs that this process runs now. */
export interface Places {
  /** False when its lane has no room. */
  run(taken: Taken): boolean;
  free(): number;
  allFree(): Promise<unknown>;
}

export function newPlaces(
  runner: JobRunner,
  { lanes, inFlightMax, wasGood }: PlacesOptions,
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

export interface Queues {
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

export function newQueues(lanes: LaneBook): Queues {
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
