import type { Meter } from "../telemetry/meter.ts";
import type { HealthOptions } from "../http/listeners/health.ts";
import type { JobBacklog } from "../jobs/job-backlog.sql.ts";
import type { ConnectorCapacity } from "../jobs/job.sql.ts";
import type { Suspense } from "../ledger/suspense.sql.ts";
import type { WorkLoop } from "../worker/work-loop.ts";

/** The progress of a worker. */
export interface WorkerWatch {
  watchLoops(byName: Readonly<Record<string, Pick<WorkLoop, "ageMs">>>): void;
  /** Returns a function to call whenever no work of this kind is left. */
  trackCatchUp(kind: string): () => void;
  recordBacklog(backlog: JobBacklog, capacities: readonly ConnectorCapacity[]): void;
  recordForeignBalances(areForeign: boolean): void;
  recordSuspense(suspense: readonly Suspense[]): void;
  recordStandby(standby: { readonly isExpected: boolean; readonly isMissing: boolean }): void;
  /** Why the worker is unready, and which loops only a restart can repair. */
  readonly health: Required<Pick<HealthOptions, "additionalChecks" | "stalled">>;
}

/**
 * Maximum age of a loop's last run in milliseconds. A loop runs several times a second; even with database timeouts a
 * run takes less than this.
 */
const loopAgeMaxMs = 30_000;
/** Time without a run after which a loop counts as hanging: ten times the maximum age. */
const stalledAfterMs = 300_000;
/** Time after which a due job is overdue. A due job starts within a second, if its provider has free slots. */
const overdueSeconds = 60;
const lagMaxMs = 60_000;

export function watchWorker(meter: Meter, monotonicMs: () => number): WorkerWatch {
  let loops: Parameters<WorkerWatch["watchLoops"]>[0] = {};
  let isOverdue = false;
  let isForeign = false;
  const caughtUpAtMs = new Map<string, number>();
  const lagMs = (atMs: number): number => monotonicMs() - atMs;
  const loopsOlderThan = (ms: number): readonly string[] =>
    Object.entries(loops).flatMap(([name, loop]) => (loop.ageMs() > ms ? [name] : []));

  meter.beforeScrape(() => {
    for (const [name, loop] of Object.entries(loops))
      meter.set("loopAgeSeconds", [name], loop.ageMs() / 1000);
    for (const [kind, atMs] of caughtUpAtMs) meter.set("lagSeconds", [kind], lagMs(atMs) / 1000);
    meter.set("balancesForeign", [], isForeign ? 1 : 0);
  });

  return {
    watchLoops: (byName) => void (loops = byName),
    trackCatchUp(kind) {
      const markCaughtUp = (): void => void caughtUpAtMs.set(kind, monotonicMs());
      markCaughtUp();
      return markCaughtUp;
    },
    recordBacklog(backlog, capacities) {
      isOverdue = hasOverdueJobs(backlog, capacities);
      reportBacklog(meter, backlog);
    },
    recordForeignBalances: (areForeign) => void (isForeign = areForeign),
    recordSuspense(suspense) {
      meter.clear("suspense");
      for (const { currency, minor } of suspense) meter.set("suspense", [currency], minor);
    },
    recordStandby({ isExpected, isMissing }) {
      meter.set("standbyExpected", [], isExpected ? 1 : 0);
      meter.set("standbyMissing", [], isMissing ? 1 : 0);
    },
    health: {
      additionalChecks: () => ({
        problems: {
          loopsStand: loopsOlderThan(loopAgeMaxMs).length > 0,
          jobsOverdue: isOverdue,
          lagging: [...caughtUpAtMs.values()].some((atMs) => lagMs(atMs) > lagMaxMs),
          balancesForeign: isForeign,
        },
      }),
      stalled: () => loopsOlderThan(stalledAfterMs),
    },
  };
}

/**
 * Whether due jobs are overdue. Jobs that wait for a silent or full provider do not count, because a worker cannot fix
 * the provider.
 */
function hasOverdueJobs({ due }: JobBacklog, capacities: readonly ConnectorCapacity[]): boolean {
  const full = new Set(capacities.flatMap(({ connector, freeSlots }) => (freeSlots <= 0 ? [connector] : [])));
  return due.some(({ connector, oldestSeconds }) => oldestSeconds > overdueSeconds && !full.has(connector));
}

function reportBacklog(meter: Meter, { due, parked }: JobBacklog): void {
  meter.clear("jobsDue");
  meter.clear("jobsOldestSeconds");
  for (const { job, connector, count, oldestSeconds } of due) {
    meter.set("jobsDue", [job, connector], count);
    meter.set("jobsOldestSeconds", [job, connector], oldestSeconds);
  }
  meter.set("notificationsParked", [], parked.count);
  meter.set("notificationsOldestSeconds", [], parked.oldestSeconds);
}
