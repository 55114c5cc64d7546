import type { HeldJob, JobRunner, Lane } from "../jobs/job.ts";
import { claimDueWalletJobs, type ConnectorRoom } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";
import type { Tx } from "../postgres/sql.ts";
import { newLookBack, type LookBack } from "./look-back.ts";

export interface WorkLoop {
  /** Look now: something became due. */
  wake(): void;
  /** Takes nothing new, and ends when what was taken has been brought to its end. */
  stop(): Promise<void>;
}

export interface WorkOptions {
  /** How many jobs are run at once. */
  readonly inFlightMax: number;
  /** How many more of each wallet can be run; one that is not named has room. */
  readonly rooms: () => readonly ConnectorRoom[];
}

const batchMax = 50;
const gatherMs = 20;
/** Nobody has to wake us for what was due at a known time, nor can a lost wake-up be lost for long. */
export const lookEveryMs = 250;

/**
 * Takes jobs for wallets that are due, whoever left them, and runs them. Those of a wallet that has no room are left where
 * they are: they would only be put back, and keep others waiting meanwhile.
 */
export function startWorkLoop(runner: JobRunner, { inFlightMax, rooms }: WorkOptions): WorkLoop {
  const names = jobsOf(runner, "wallets");
  const inFlight = new Set<Promise<unknown>>();
  const lookBack = newLookBack({ now: () => runner.clock.now(), monotonicMs: runner.monotonicMs });
  let silent: ReadonlySet<string> = new Set();
  /** Whether the last look has left something for want of room. */
  let isMore = false;
  let stopping = false;
  const { rest, wake } = newRest();
  const wakeSoon = gathered(wake);

  async function loop(): Promise<void> {
    while (!stopping) {
      const taken = await take(Math.min(batchMax, inFlightMax - inFlight.size));
      // A full batch says that there is more: look again at once, as long as there is room.
      if (taken < batchMax || inFlight.size >= inFlightMax) await rest();
    }
    await Promise.all(inFlight);
  }

  async function take(limit: number): Promise<number> {
    if (limit <= 0) return 0;
    const heldSinceMs = runner.monotonicMs();
    const roomsNow = rooms();
    noticeSilence(roomsNow);
    const claimed = await claimFrom(
      runner,
      lookBack,
      (tx, from) => claimDueWalletJobs(tx, { names, limit, from }, roomsNow),
      (all) => !(isMore = all.length >= limit || isMoreOfSome(all, roomsNow)),
    );
    for (const held of claimed) {
      const running = runJob(runner, held, heldSinceMs).finally(() => {
        inFlight.delete(running);
        if (isMore) wakeSoon();
      });
      inFlight.add(running);
    }
    return claimed.length;
  }

  /** What waits for a wallet has long been due when that wallet answers again: nothing is too old to be looked for then. */
  function noticeSilence(roomsNow: readonly ConnectorRoom[]): void {
    const silentNow = new Set(roomsNow.flatMap(({ connector, isSilent }) => (isSilent ? [connector] : [])));
    if ([...silent].some((connector) => !silentNow.has(connector))) lookBack.forget();
    silent = silentNow;
  }

  const ended = loop();
  return {
    wake,
    async stop() {
      stopping = true;
      wake();
      await ended;
    },
  };
}

/** A look for each job that ends would cost more than the jobs: those that end close together are followed by one. */
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
function isMoreOfSome(claimed: readonly HeldJob[], rooms: readonly ConnectorRoom[]): boolean {
  const takenOf = (name: string): number => claimed.filter(({ connector }) => connector === name).length;
  return rooms.some(({ connector, room, isSilent }) => !isSilent && takenOf(connector) >= room);
}

export function jobsOf(runner: JobRunner, lane: Lane): readonly string[] {
  return [...runner.jobs.values()].filter((job) => job.lane === lane).map(({ name }) => name);
}

/** To rest until it is time to look again, or until somebody says that it is. */
export interface Rest {
  /** True when it is time to look for what is due, and false when there was only a place to fill. */
  rest(): Promise<boolean>;
  wake(): void;
  again(): void;
}

export function newRest(): Rest {
  let wakeUp: (isTime: boolean) => void = () => undefined;
  return {
    rest: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, lookEveryMs, true);
        wakeUp = (isTime) => {
          clearTimeout(timer);
          resolve(isTime);
        };
      }),
    wake: () => wakeUp(true),
    again: () => wakeUp(false),
  };
}

/** Claims what has become due since nothing was left to claim. */
export async function claimFrom(
  runner: JobRunner,
  lookBack: LookBack,
  claim: (tx: Tx, from: Date | undefined) => Promise<readonly HeldJob[]>,
  wasAll: (claimed: readonly HeldJob[]) => boolean,
): Promise<readonly HeldJob[]> {
  const look = lookBack.begin();
  const claimed = await claimAsNobody(runner, (tx) => claim(tx, look.from));
  look.end(claimed !== undefined && wasAll(claimed));
  return claimed ?? [];
}

/** In the name of nobody: the worker's role sees the keys of all jobs, and nothing else of anybody's. Undefined after a fault. */
export async function claimAsNobody<Item>(
  runner: JobRunner,
  claim: (tx: Tx) => Promise<readonly Item[]>,
): Promise<readonly Item[] | undefined> {
  const claimed = await runner.database.transaction([""], claim);
  if (claimed.outcome === "committed") return claimed.value;
  runner.onFault(claimed.cause, {
    bucket: 0,
    clientId: "",
    subjectId: "",
    job: "claim",
    epoch: 0,
    attempts: 0,
    aheadMs: 0,
  });
  return undefined;
}
