import type { JobName } from "../core/job-name.ts";
import type { LeasedJob, JobRunner, JobLoop } from "../jobs/job.ts";
import { claimDueWalletJobs, type ConnectorRoom } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { newIdlePace, type IdlePace } from "./idle-pace.ts";
import { newLookBack, type LookBack } from "./look-back.ts";

export interface WorkLoop {
  /** Poll now: something became due. */
  wake(): void;
  /** Graceful shutdown: claims nothing new, and resolves when the claimed jobs have ended. */
  stop(): Promise<void>;
  /** How long ago it last came round. */
  ageMs(): number;
}

export interface WorkOptions {
  /** How many jobs are run at once. */
  readonly inFlightMax: number;
  /** How many more jobs of each wallet can be run; a wallet that is not named has room. */
  readonly rooms: () => readonly ConnectorRoom[];
}

const batchMax = 50;
const gatherMs = 20;
/** Poll interval while there is work. Covers jobs that become due at a known time, and lost NOTIFYs. */
export const lookEveryMs = 250;

/**
 * Claims jobs for wallets that are due, of all processes, and runs them. Back-pressure: jobs of a wallet that
 * has no room stay in the table. Claimed, they would only be put back, and keep others waiting meanwhile.
 */
export function startWorkLoop(runner: JobRunner, { inFlightMax, rooms }: WorkOptions): WorkLoop {
  const names = jobsOf(runner, "wallets");
  const inFlight = new Set<Promise<unknown>>();
  const lookBack = newLookBack({ now: () => runner.clock.now(), monotonicMs: runner.monotonicMs });
  let silent: ReadonlySet<string> = new Set();
  /** Whether the last look has left something for want of room. */
  let isMore = false;
  const pace = newIdlePace(lookEveryMs, runner.monotonicMs);
  const { rest, wake } = newRest(pace);
  const wakeSoon = gathered(wake);

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const taken = await take(Math.min(batchMax, inFlightMax - inFlight.size));
      // A full batch says that there is more: poll again at once, as long as there is room.
      if (taken < batchMax || inFlight.size >= inFlightMax) await rest();
    }
    await Promise.all(inFlight);
  }

  async function take(limit: number): Promise<number> {
    if (limit <= 0) return 0;
    const leasedSinceMs = runner.monotonicMs();
    const roomsNow = rooms();
    noticeSilence(roomsNow);
    const claimed = await claimFrom(
      runner,
      lookBack,
      (tx, from) => claimDueWalletJobs(tx, { names, limit, from }, roomsNow),
      (all) => !(isMore = all.length >= limit || isMoreOfSome(all, roomsNow)),
    );
    if (claimed.length > 0) pace.noteWork();
    for (const leased of claimed) {
      const running = runJob(runner, leased, leasedSinceMs).finally(() => {
        inFlight.delete(running);
        if (isMore) wakeSoon();
      });
      inFlight.add(running);
    }
    return claimed.length;
  }

  /** Jobs of a silent wallet are long overdue when it answers again: the next poll looks for jobs of any age. */
  function noticeSilence(roomsNow: readonly ConnectorRoom[]): void {
    const silentNow = new Set(roomsNow.flatMap(({ connector, isSilent }) => (isSilent ? [connector] : [])));
    if ([...silent].some((connector) => !silentNow.has(connector))) lookBack.forget();
    silent = silentNow;
  }

  return startLoop(loop, wake);
}

/** Starts a loop, which ends after the turn in which it is told to stop. Stopping wakes it from its rest. */
export function startLoop(loop: (isStopping: () => boolean) => Promise<void>, wake: () => void): WorkLoop {
  let stopping = false;
  let turnedAtMs = performance.now();
  // Each turn begins with the question whether to stop.
  const ended = loop(() => {
    turnedAtMs = performance.now();
    return stopping;
  });
  return {
    wake,
    async stop() {
      stopping = true;
      wake();
      await ended;
    },
    ageMs: () => performance.now() - turnedAtMs,
  };
}

/** Coalesces wake-ups: jobs that end close together share one poll, which costs more than they do. */
function gathered(wake: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      wake();
    }, gatherMs);
  };
}

/** Whether a wallet that answers had no room for more than was taken. */
function isMoreOfSome(claimed: readonly LeasedJob[], rooms: readonly ConnectorRoom[]): boolean {
  const takenOf = (name: string): number => claimed.filter(({ connector }) => connector === name).length;
  return rooms.some(({ connector, room, isSilent }) => !isSilent && takenOf(connector) >= room);
}

export function jobsOf(runner: JobRunner, loop: JobLoop): readonly JobName[] {
  return [...runner.jobs].flatMap(([name, job]) => (job.loop === loop ? [name] : []));
}

/** Sleeps for the poll interval, or until it is woken. */
export interface Rest {
  /** True when it is time to poll for due jobs, and false when there was only a place to fill. */
  rest(): Promise<boolean>;
  wake(): void;
  again(): void;
}

export function newRest(pace: IdlePace): Rest {
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
      pace.noteWork();
      wakeUp(true);
    },
    again: () => wakeUp(false),
  };
}

/** Claims jobs that have become due since the queue was last found empty. */
export async function claimFrom(
  runner: JobRunner,
  lookBack: LookBack,
  claim: (tx: Tx, from: Date | undefined) => Promise<readonly LeasedJob[]>,
  wasAll: (claimed: readonly LeasedJob[]) => boolean,
): Promise<readonly LeasedJob[]> {
  const look = lookBack.begin();
  const claimed = await claimAsSystem(runner, (tx) => claim(tx, look.from));
  look.end(claimed !== undefined && wasAll(claimed));
  return claimed ?? [];
}

/** System scope: the worker's role sees the keys of all jobs, and little else. Undefined after a fault. */
export async function claimAsSystem<Item>(
  runner: JobRunner,
  claim: (tx: Tx) => Promise<readonly Item[]>,
): Promise<readonly Item[] | undefined> {
  const claimed = await runner.database.transaction(systemScope, claim);
  if (claimed.outcome === "committed") return claimed.value;
  runner.onFault(claimed.cause);
  return undefined;
}
