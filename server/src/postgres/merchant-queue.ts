import { RetryLaterError } from "../core/retry-later-error.ts";

/** Concurrency limit of each merchant's transactions (a bulkhead). */
export interface MerchantQueue {
  /**
   * Runs `work` as soon as fewer than `concurrencyMax` transactions of this merchant are running. Work that completes
   * started payments goes first and is never rejected. New work is rejected if too many wait already, or after a
   * timeout (load shedding).
   */
  run<Value>(clientId: string, work: () => Promise<Value>, options?: QueueOptions): Promise<Value>;
  /** Whether the queue would reject new work of this merchant now. */
  isFull(clientId: string): boolean;
}

export interface QueueOptions {
  readonly isCompletion: boolean;
  /** Waits without a slot of the process's concurrency limit, because a merchant's queue has its own limit. */
  readonly releaseSlotWhile?: <Value>(waiting: Promise<Value>) => Promise<Value>;
}

/** Thrown before anything was started. */
export class TooManyWaiting extends RetryLaterError {
  override readonly name = "TooManyWaiting";
}

export interface MerchantQueueLimits {
  readonly concurrencyMax: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

/**
 * Default limits: less than half of the usual pool for any one merchant, and a timeout of a second, after which callers
 * retry.
 */
const defaultLimits: MerchantQueueLimits = { concurrencyMax: 4, waitingMax: 64, waitMaxMs: 1_000 };

interface ClientQueue {
  running: number;
  readonly completions: (() => void)[];
  readonly newWork: QueuedWork[];
}

interface QueuedWork {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Per-merchant queue (fair scheduling). Transactions of one merchant often wait for one row lock: its reserve's, or a
 * payment's. Each transaction would wait with a connection, so one merchant's hot row could exhaust the pool and starve
 * all others. In this queue transactions wait before they take a connection.
 */
export function openMerchantQueue({
  concurrencyMax,
  waitingMax,
  waitMaxMs,
}: MerchantQueueLimits = defaultLimits): MerchantQueue {
  const queues = new Map<string, ClientQueue>();

  function queueOf(clientId: string): ClientQueue {
    const queue = queues.get(clientId) ?? { running: 0, completions: [], newWork: [] };
    queues.set(clientId, queue);
    return queue;
  }

  /**
   * Gives the slot directly to the next waiter, so that no newcomer can take it (race). If no work waits, it frees the
   * slot.
   */
  function releaseSlot(clientId: string, queue: ClientQueue): void {
    const completion = queue.completions.shift();
    if (completion) return completion();
    const next = queue.newWork.shift();
    if (next) {
      clearTimeout(next.timer);
      return next.start();
    }
    queue.running -= 1;
    if (queue.running === 0) queues.delete(clientId);
  }

  function waitForSlot(queue: ClientQueue, isCompletion: boolean): Promise<void> {
    return new Promise((start, reject) => {
      if (isCompletion) return void queue.completions.push(start);
      if (queue.newWork.length >= waitingMax) return reject(newQueueFullError());
      const timer = setTimeout(() => {
        queue.newWork.splice(queue.newWork.indexOf(queued), 1);
        reject(newQueueFullError());
      }, waitMaxMs);
      const queued = { start, timer };
      queue.newWork.push(queued);
    });
  }

  return {
    async run(clientId, work, { isCompletion, releaseSlotWhile = waitNormally } = { isCompletion: false }) {
      const queue = queueOf(clientId);
      if (queue.running >= concurrencyMax) await releaseSlotWhile(waitForSlot(queue, isCompletion));
      else queue.running += 1;
      try {
        return await work();
      } finally {
        releaseSlot(clientId, queue);
      }
    },
    isFull: (clientId) => (queues.get(clientId)?.newWork.length ?? 0) >= waitingMax,
  };
}

function waitNormally<Value>(waiting: Promise<Value>): Promise<Value> {
  return waiting;
}

function newQueueFullError(): TooManyWaiting {
  return new TooManyWaiting("Too many of this merchant's transactions are waiting.", 1_000);
}
