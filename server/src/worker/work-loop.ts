import type { HeldJob, JobRunner, Lane } from "../jobs/job.ts";
import { claimDueJobs } from "../jobs/job.sql.ts";
import { runJob } from "../jobs/run-job.ts";

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
const lookEveryMs = 250;

/** Takes jobs of a lane that are due, whoever left them, and runs them. */
export function startWorkLoop(runner: JobRunner, { lane, inFlightMax }: WorkLane): WorkLoop {
  const names = [...runner.jobs.values()].filter((job) => job.lane === lane).map(({ name }) => name);
  const inFlight = new Set<Promise<void>>();
  let stopping = false;
  let wakeUp: () => void = () => undefined;

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
    const claimed = await claim(runner, names, limit);
    for (const held of claimed) {
      const running = runJob(runner, held, heldSinceMs).finally(() => {
        inFlight.delete(running);
        if (inFlight.size < inFlightMax) wakeUp();
      });
      inFlight.add(running);
    }
    return claimed.length;
  }

  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lookEveryMs);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const ended = loop();
  return {
    wake: () => wakeUp(),
    async stop() {
      stopping = true;
      wakeUp();
      await ended;
    },
  };
}

/** In the name of nobody: the worker's role sees the keys of all jobs, and nothing else of anybody's. */
async function claim(
  runner: JobRunner,
  names: readonly string[],
  limit: number,
): Promise<readonly HeldJob[]> {
  const claimed = await runner.database.transaction([""], (tx) => claimDueJobs(tx, names, limit));
  if (claimed.outcome === "committed") return claimed.value;
  runner.onFault(claimed.cause, {
    bucket: 0,
    clientId: "",
    subjectId: "",
    job: "claim",
    epoch: 0,
    attempts: 0,
  });
  return [];
}
