import type { JobRunner, Lane } from "../jobs/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";
import type { Tx } from "../postgres/sql.ts";

export interface WorkLoop {
  /** Look now: something became due. */
  wake(): void;
  /** Takes nothing new, and ends when what was taken has been brought to its end. */
  stop(): Promise<void>;
}

export interface WorkLane {
  readonly lane: Lane;
  /** How many jobs are run at once. */
  readonly inFlightMax: number;
}

const batchMax = 50;
/** Nobody has to wake us for what was due at a known time, nor can a lost wake-up be lost for long. */
export const lookEveryMs = 250;

/** Takes jobs of a lane that are due, whoever left them, and runs them. */
export function startWorkLoop(runner: JobRunner, { lane, inFlightMax }: WorkLane): WorkLoop {
  const names = jobsOf(runner, lane);
  const inFlight = new Set<Promise<unknown>>();
  let stopping = false;
  const { rest, wake } = newRest();

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
    const claimed = await claimAsNobody(runner, (tx) => claimDueJobs(tx, names, limit));
    for (const held of claimed) {
      const running = runJob(runner, held, heldSinceMs).finally(() => {
        inFlight.delete(running);
        if (inFlight.size < inFlightMax) wake();
      });
      inFlight.add(running);
    }
    return claimed.length;
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

/** In the name of nobody: the worker's role sees the keys of all jobs, and nothing else of anybody's. */
export async function claimAsNobody<Item>(
  runner: JobRunner,
  claim: (tx: Tx) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
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
  return [];
}
