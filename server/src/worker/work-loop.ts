import type { JobName } from "../core/job-name.ts";
import type { LeasedJob, JobRunner, JobLoop } from "../contract/job.ts";
import { claimDueProviderJobs, type ConnectorCapacity } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { newIdlePace, type IdlePace } from "./idle-pace.ts";
import { newPollWindow, type PollWindow } from "./poll-window.ts";

export interface WorkLoop {
  /** Polls now, because a job became due. */
  wake(): void;
  /** Graceful shutdown: claims nothing new, and resolves when the claimed jobs have ended. */
  stop(): Promise<void>;
  /** Milliseconds since the last iteration started. */
  ageMs(): number;
}

export interface WorkOptions {
  /** Maximum number of concurrent jobs. */
  readonly inFlightMax: number;
  /** Free slots of each connector; a connector that is not listed has free slots. */
  readonly connectorCapacities: () => readonly ConnectorCapacity[];
}

const batchMax = 50;
const coalesceMs = 20;
/** Poll interval while there is work, for jobs that become due at a known time, and for lost NOTIFYs. */
export const pollIntervalMs = 250;

/**
 * `startWorkLoop` claims and runs due jobs for connectors. Back-pressure: jobs of a connector without free slots stay
 * in the table. If the loop claimed these jobs, it would only put them back, and delay other jobs.
 */
export function startWorkLoop(
  runner: JobRunner,
  { inFlightMax, connectorCapacities: capacities }: WorkOptions,
): WorkLoop {
  const names = jobNamesOf(runner, "providers");
  const inFlight = new Set<Promise<unknown>>();
  const pollWindow = newPollWindow({ now: () => runner.clock.now(), monotonicMs: runner.monotonicMs });
  let silent: ReadonlySet<string> = new Set();
  /** Whether the last poll left jobs because there were no free slots. */
  let hasMore = false;
  const pace = newIdlePace(pollIntervalMs, runner.monotonicMs);
  const { rest: sleep, wake } = newLoopSleep(pace);
  const wakeSoon = coalesceWakeUps(wake);

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const claimedCount = await claimAndRun(Math.min(batchMax, inFlightMax - inFlight.size));
      // If the batch is full, there may be more jobs: the loop polls again immediately, while there are free slots.
      if (claimedCount < batchMax || inFlight.size >= inFlightMax) await sleep();
    }
    await Promise.all(inFlight);
  }

  async function claimAndRun(limit: number): Promise<number> {
    if (limit <= 0) return 0;
    const leasedSinceMs = runner.monotonicMs();
    const capacitiesNow = capacities();
    detectRecovery(capacitiesNow);
    const claimed = await claimInWindow(
      runner,
      pollWindow,
      (tx, from) => claimDueProviderJobs(tx, { names, limit, from }, capacitiesNow),
      (all) => !(hasMore = all.length >= limit || hasMoreForSomeConnector(all, capacitiesNow)),
    );
    if (claimed.length > 0) pace.recordWork();
    for (const leased of claimed) {
      const running = runJob(runner, leased, leasedSinceMs).finally(() => {
        inFlight.delete(running);
        if (hasMore) wakeSoon();
      });
      inFlight.add(running);
    }
    return claimed.length;
  }

  /** `detectRecovery` triggers a full poll when a provider responds again, because its jobs are long overdue by then. */
  function detectRecovery(capacitiesNow: readonly ConnectorCapacity[]): void {
    const silentNow = new Set(
      capacitiesNow.flatMap(({ connector, isSilent }) => (isSilent ? [connector] : [])),
    );
    if ([...silent].some((connector) => !silentNow.has(connector))) pollWindow.forceFullPoll();
    silent = silentNow;
  }

  return startLoop(loop, wake);
}

/** `startLoop` starts a loop. `stop` wakes it from its sleep, and the loop ends after the current iteration. */
export function startLoop(loop: (isStopping: () => boolean) => Promise<void>, wake: () => void): WorkLoop {
  let stopping = false;
  let iterationStartedAtMs = performance.now();
  // At the start of each iteration, the loop checks whether to stop.
  const ended = loop(() => {
    iterationStartedAtMs = performance.now();
    return stopping;
  });
  return {
    wake,
    async stop() {
      stopping = true;
      wake();
      await ended;
    },
    ageMs: () => performance.now() - iterationStartedAtMs,
  };
}

/**
 * `coalesceWakeUps` coalesces wake-ups: jobs that end within a short time share one poll, because a poll costs more than a
 * job.
 */
function coalesceWakeUps(wake: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      wake();
    }, coalesceMs);
  };
}

/** `hasMoreForSomeConnector` returns whether a connector whose provider responds had fewer free slots than due jobs. */
function hasMoreForSomeConnector(
  claimed: readonly LeasedJob[],
  capacities: readonly ConnectorCapacity[],
): boolean {
  const claimedCountOf = (name: string): number =>
    claimed.filter(({ connector }) => connector === name).length;
  return capacities.some(
    ({ connector, freeSlots, isSilent }) => !isSilent && claimedCountOf(connector) >= freeSlots,
  );
}

export function jobNamesOf(runner: JobRunner, loop: JobLoop): readonly JobName[] {
  return [...runner.jobs].flatMap(([name, job]) => (job.loop === loop ? [name] : []));
}

/** The sleep of a loop for the poll interval, or until a wake-up. */
export interface LoopSleep {
  /** Sleeps. It resolves to true when it is time to poll for due jobs, and to false when only a slot became free. */
  rest(): Promise<boolean>;
  wake(): void;
  wakeForSlot(): void;
}

export function newLoopSleep(pace: IdlePace): LoopSleep {
  let wakeUp: (isTime: boolean) => void = () => undefined;
  return {
    rest: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, pace.intervalMs(), true);
        wakeUp = (isTime) => {
          clearTimeout(timer);
          resolve(isTime);
        };
      }),
    wake() {
      pace.recordWork();
      wakeUp(true);
    },
    wakeForSlot: () => wakeUp(false),
  };
}

/** `claimInWindow` claims jobs that have become due since the queue was last found empty. */
export async function claimInWindow(
  runner: JobRunner,
  pollWindow: PollWindow,
  claim: (tx: Tx, from: Date | undefined) => Promise<readonly LeasedJob[]>,
  foundAll: (claimed: readonly LeasedJob[]) => boolean,
): Promise<readonly LeasedJob[]> {
  const poll = pollWindow.begin();
  const claimed = await claimAsSystem(runner, (tx) => claim(tx, poll.from));
  poll.end(claimed !== undefined && foundAll(claimed));
  return claimed ?? [];
}

/**
 * `claimAsSystem` runs a claim in system scope: the worker's role can read the keys of all jobs, and little else. It
 * returns undefined after a fault.
 */
export async function claimAsSystem<Item>(
  runner: JobRunner,
  claim: (tx: Tx) => Promise<readonly Item[]>,
): Promise<readonly Item[] | undefined> {
  const claimed = await runner.database.transaction(systemScope, claim);
  if (claimed.outcome === "committed") return claimed.value;
  runner.onFault(claimed.cause);
  return undefined;
}
