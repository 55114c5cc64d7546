import type { Meter } from "../core/meter.ts";
import type { HealthOptions } from "../http/health.ts";
import type { JobBacklog } from "../jobs/job-backlog.sql.ts";
import type { WorkLoop } from "../worker/work-loop.ts";

/** What a worker knows about its own progress. */
export interface WorkerWatch {
  loops(byName: Readonly<Record<string, WorkLoop>>): void;
  /** Gives what is to be called whenever nothing of a kind was left to do. */
  caughtUp(of: string): () => void;
  backlog(found: JobBacklog): void;
  foreignBalances(areForeign: boolean): void;
  /** Why it is not ready, and which loops only a restart brings back. */
  readonly health: Required<Pick<HealthOptions, "more" | "stalled">>;
}

/** A loop comes round several times a second; even with a database that times out it does so in less than this. */
const loopAgeMaxMs = 30_000;
/** Ten times as long: then it hangs. */
const stalledAfterMs = 300_000;
/** A job that is due is begun within a second, unless its wallet is silent: those wait for the breaker. */
const overdueSeconds = 60;
const lagMaxMs = 60_000;

export function watchWorker(meter: Meter): WorkerWatch {
  let loops: Readonly<Record<string, WorkLoop>> = {};
  let isOverdue = false;
  let isForeign = false;
  const caughtUpAtMs = new Map<string, number>();
  const older = (ms: number): readonly string[] =>
    Object.entries(loops).flatMap(([name, loop]) => (loop.ageMs() > ms ? [name] : []));
  const lagMs = (): readonly number[] => [...caughtUpAtMs.values()].map((atMs) => performance.now() - atMs);

  meter.beforeLook(() => {
    for (const [name, loop] of Object.entries(loops))
      meter.set("loopAgeSeconds", [name], loop.ageMs() / 1000);
    for (const [of, atMs] of caughtUpAtMs) meter.set("lagSeconds", [of], (performance.now() - atMs) / 1000);
    meter.set("balancesForeign", [], isForeign ? 1 : 0);
  });

  return {
    loops: (byName) => void (loops = byName),
    caughtUp(of) {
      const now = (): void => void caughtUpAtMs.set(of, performance.now());
      now();
      return now;
    },
    backlog({ due, parked }) {
      isOverdue = due.some(({ oldestSeconds }) => oldestSeconds > overdueSeconds);
      meter.clear("jobsDue");
      meter.clear("jobsOldestSeconds");
      for (const { job, count, oldestSeconds } of due) {
        meter.set("jobsDue", [job], count);
        meter.set("jobsOldestSeconds", [job], oldestSeconds);
      }
      meter.set("notificationsParked", [], parked.count);
      meter.set("notificationsOldestSeconds", [], parked.oldestSeconds);
    },
    foreignBalances: (areForeign) => void (isForeign = areForeign),
    health: {
      more: () => ({
        problems: {
          loopsStand: older(loopAgeMaxMs).length > 0,
          jobsOverdue: isOverdue,
          lagging: lagMs().some((ms) => ms > lagMaxMs),
          balancesForeign: isForeign,
        },
      }),
      stalled: () => older(stalledAfterMs),
    },
  };
}
