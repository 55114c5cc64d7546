import type { LeasedJob, JobRunner } from "../contract/job.ts";
import { runJob } from "../jobs/run-job.ts";
import type { DeliveryQueueLimits } from "./delivery-queues.ts";
import { queueOfJob } from "./parking.ts";

/** A job with the time at which its lease was taken. */
export interface Taken {
  readonly leased: LeasedJob;
  readonly sinceMs: number;
}

export interface PlacesOptions {
  /** Maximum number of concurrent jobs of all delivery queues. */
  readonly inFlightMax: number;
  readonly limits: DeliveryQueueLimits;
  /**
   * Returns from the outcome of a job whether the endpoint acknowledged the webhook; undefined if no request was sent.
   */
  readonly wasGood: (outcome: unknown) => boolean | undefined;
}

/** The jobs that this process is running. */
export interface Places {
  /** Runs a job; returns false if its delivery queue has no free slot. */
  run(taken: Taken): boolean;
  free(): number;
  allFree(): Promise<unknown>;
}

export function newPlaces(
  runner: JobRunner,
  { limits, inFlightMax, wasGood }: PlacesOptions,
  onFree: (queueId: string, wasFull: boolean) => void,
): Places {
  const inFlight = new Set<Promise<void>>();
  return {
    run({ leased, sinceMs }) {
      const queueId = queueOfJob(leased);
      const leave = limits.enter(queueId);
      if (!leave) return false;
      const running = runJob(runner, leased, sinceMs).then((outcome) => leave(wasGood(outcome)));
      inFlight.add(running);
      void running.finally(() => {
        const wasFull = inFlight.size >= inFlightMax;
        inFlight.delete(running);
        onFree(queueId, wasFull);
      });
      return true;
    },
    free: () => inFlightMax - inFlight.size,
    allFree: () => Promise.all(inFlight),
  };
}

/**
 * Size of the in-memory queue of a fast endpoint. Sending the jobs of such an endpoint is cheaper than parking them.
 */
const queueMax = 64;

export interface MemoryQueues {
  /** Adds a job to the in-memory queue; returns false if the job has to be parked. */
  add(taken: Taken): boolean;
  /** How many more jobs may be added to the in-memory queue of a delivery queue; 0 until few jobs are left in it. */
  room(queueId: string): number;
  isLow(queueId: string): boolean;
  /** Passes the jobs of a delivery queue to `take`, until it returns false. */
  drain(queueId: string, take: (taken: Taken) => boolean): void;
  /** Removes the jobs of endpoints that are no longer fast, because the leases of these jobs would expire in memory. */
  takeSlow(): readonly LeasedJob[];
  takeAll(): readonly LeasedJob[];
}

export function newQueues(limits: DeliveryQueueLimits): MemoryQueues {
  const queues = new Map<string, Taken[]>();
  const isLow = (queueId: string): boolean => (queues.get(queueId)?.length ?? 0) < queueMax / 2;
  const takeOf = (isTaken: (queueId: string) => boolean): readonly LeasedJob[] =>
    Array.from(queues).flatMap(([queueId, queue]) => {
      if (!isTaken(queueId)) return [];
      queues.delete(queueId);
      return queue.map(({ leased }) => leased);
    });
  return {
    add(taken) {
      const queueId = queueOfJob(taken.leased);
      const queue = queues.get(queueId) ?? [];
      if (!limits.isQuick(queueId) || queue.length >= queueMax) return false;
      queue.push(taken);
      queues.set(queueId, queue);
      return true;
    },
    room: (queueId) =>
      limits.isQuick(queueId) && isLow(queueId) ? queueMax - (queues.get(queueId)?.length ?? 0) : 0,
    isLow,
    drain(queueId, take) {
      const queue = queues.get(queueId) ?? [];
      while (queue[0] && take(queue[0])) queue.shift();
      if (queue.length === 0) queues.delete(queueId);
    },
    takeSlow: () => takeOf((queueId) => !limits.isQuick(queueId)),
    takeAll: () => takeOf(() => true),
  };
}
