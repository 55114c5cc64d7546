import type { LeasedJob, JobRunner } from "../contract/job.ts";
import { runJob } from "../jobs/run-job.ts";
import type { DeliveryQueueLimits } from "./delivery-queue-limits.ts";
import { deliveryQueueOf } from "./parking.ts";

/** A job with the time at which its lease was taken. */
export interface ClaimedJob {
  readonly leased: LeasedJob;
  readonly sinceMs: number;
}

export interface DeliverySlotsOptions {
  /** Maximum number of concurrent jobs of all delivery queues. */
  readonly inFlightMax: number;
  readonly limits: DeliveryQueueLimits;
  /**
   * Returns from the outcome of a job whether the endpoint acknowledged the webhook; undefined if no request was sent.
   */
  readonly wasAcknowledged: (outcome: unknown) => boolean | undefined;
}

/** The jobs that this process is running. */
export interface DeliverySlots {
  /** Runs a job; returns false if its delivery queue has no free slot. */
  run(job: ClaimedJob): boolean;
  freeCount(): number;
  whenAllFree(): Promise<unknown>;
}

export function newDeliverySlots(
  runner: JobRunner,
  { limits, inFlightMax, wasAcknowledged }: DeliverySlotsOptions,
  onFree: (queueId: string, wasFull: boolean) => void,
): DeliverySlots {
  const inFlight = new Set<Promise<void>>();
  return {
    run({ leased, sinceMs }) {
      const queueId = deliveryQueueOf(leased);
      const releaseSlot = limits.acquireSlot(queueId);
      if (!releaseSlot) return false;
      const running = runJob(runner, leased, sinceMs).then((outcome) =>
        releaseSlot(wasAcknowledged(outcome)),
      );
      inFlight.add(running);
      void running.finally(() => {
        const wasFull = inFlight.size >= inFlightMax;
        inFlight.delete(running);
        onFree(queueId, wasFull);
      });
      return true;
    },
    freeCount: () => inFlightMax - inFlight.size,
    whenAllFree: () => Promise.all(inFlight),
  };
}

/**
 * Size of the in-memory queue of a fast endpoint. Sending the jobs of such an endpoint is cheaper than parking them.
 */
const memoryQueueMax = 64;

export interface MemoryQueues {
  /** Adds a job to the in-memory queue; returns false if the job has to be parked. */
  add(job: ClaimedJob): boolean;
  /** How many more jobs may be added to the in-memory queue of a delivery queue; 0 until few jobs are left in it. */
  room(queueId: string): number;
  isLow(queueId: string): boolean;
  /** Passes the jobs of a delivery queue to `take`, until it returns false. */
  drain(queueId: string, take: (job: ClaimedJob) => boolean): void;
  /** Removes the jobs of endpoints that are no longer fast, because the leases of these jobs would expire in memory. */
  removeSlow(): readonly LeasedJob[];
  removeAll(): readonly LeasedJob[];
}

export function newMemoryQueues(limits: DeliveryQueueLimits): MemoryQueues {
  const queues = new Map<string, ClaimedJob[]>();
  const isLow = (queueId: string): boolean => (queues.get(queueId)?.length ?? 0) < memoryQueueMax / 2;
  const removeWhere = (isRemoved: (queueId: string) => boolean): readonly LeasedJob[] =>
    Array.from(queues).flatMap(([queueId, queue]) => {
      if (!isRemoved(queueId)) return [];
      queues.delete(queueId);
      return queue.map(({ leased }) => leased);
    });
  return {
    add(job) {
      const queueId = deliveryQueueOf(job.leased);
      const queue = queues.get(queueId) ?? [];
      if (!limits.isFast(queueId) || queue.length >= memoryQueueMax) return false;
      queue.push(job);
      queues.set(queueId, queue);
      return true;
    },
    room: (queueId) =>
      limits.isFast(queueId) && isLow(queueId) ? memoryQueueMax - (queues.get(queueId)?.length ?? 0) : 0,
    isLow,
    drain(queueId, take) {
      const queue = queues.get(queueId) ?? [];
      while (queue[0] && take(queue[0])) queue.shift();
      if (queue.length === 0) queues.delete(queueId);
    },
    removeSlow: () => removeWhere((queueId) => !limits.isFast(queueId)),
    removeAll: () => removeWhere(() => true),
  };
}
