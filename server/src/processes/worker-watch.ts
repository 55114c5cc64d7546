import type { Meter } from "../telemetry/meter.ts";
import type { HealthOptions } from "../http/listeners/health.ts";
import type { JobBacklog } from "../jobs/job-backlog.sql.ts";
import type { ConnectorRoom } from "../jobs/job.sql.ts";
import type { Suspense } from "../ledger/suspense.sql.ts";
import type { WorkLoop } from "../worker/work-loop.ts";

/** The progress of a worker. */
export interface WorkerWatch {
  loops(byName: Readonly<Record<string, Pick<WorkLoop, "ageMs">>>): void;
  /** Returns a function to call whenever no work of this kind is left. */
  caughtUp(of: string): () => void;
  backlog(found: JobBacklog, rooms: readonly ConnectorRoom[]): void;
  foreignBalances(areForeign: boolean): void;
  suspense(found: readonly Suspense[]): void;
  standby(found: { readonly isExpected: boolean; readonly isMissing: boolean }): void;
  /** Why the worker is unready, and which loops only a restart can repair. */
  readonly health: Required<Pick<HealthOptions, "more" | "stalled">>;
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
  let loops: Parameters<WorkerWatch["loops"]>[0] = {};
  let isOverdue = false;
  let isForeign = false;
  const caughtUpAtMs = new Map<string, number>();
  const lagMs = (atMs: number): number => monotonicMs() - atMs;
  const older = (ms: number): readonly string[] =>
    Object.entries(loops).flatMap(([name, loop]) => (loop.ageMs() > ms ? [name] : []));

  meter.beforeLook(() => {
    for (const [name, loop] of Object.entries(loops))
      meter.set("loopAgeSeconds", [name], loop.ageMs() / 1000);
    for (const [of, atMs] of caughtUpAtMs) meter.set("lagSeconds", [of], lagMs(atMs) / 1000);
    meter.set("balancesForeign", [], isForeign ? 1 : 0);
  });

  return {
    loops: (byName) => void (loops = byName),
    caughtUp(of) {
      const now = (): void => void caughtUpAtMs.set(of, monotonicMs());
      now();
      return now;
    },
    backlog(found, rooms) {
      isOverdue = areOverdue(found, rooms);
      showBacklog(meter, found);
    },
    foreignBalances: (areForeign) => void (isForeign = areForeign),
    suspense(found) {
      meter.clear("suspense");
      for (const { currency, minor } of found) meter.set("suspense", [currency], minor);
    },
    standby({ isExpected, isMissing }) {
      meter.set("standbyExpected", [], isExpected ? 1 : 0);
      meter.set("standbyMissing", [], isMissing ? 1 : 0);
    },
    health: {
      more: () => ({
        problems: {
          loopsStand: older(loopAgeMaxMs).length > 0,
          jobsOverdue: isOverdue,
          lagging: [...caughtUpAtMs.values()].some((atMs) => lagMs(atMs) > lagMaxMs),
          balancesForeign: isForeign,
        },
      }),
      stalled: () => older(stalledAfterMs),
    },
  };
}

/**
 * Whether due jobs are overdue. Jobs that wait for a silent or full provider do not count, because a worker cannot fix
 * the provider.
 */
function areOverdue({ due }: JobBacklog, rooms: readonly ConnectorRoom[]): boolean {
  const full = new Set(rooms.flatMap(({ connector, room }) => (room <= 0 ? [connector] : [])));
  return due.some(({ connector, oldestSeconds }) => oldestSeconds > overdueSeconds && !full.has(connector));
}

function showBacklog(meter: Meter, { due, parked }: JobBacklog): void {
  meter.clear("jobsDue");
  meter.clear("jobsOldestSeconds");
  for (const { job, connector, count, oldestSeconds } of due) {
    meter.set("jobsDue", [job, connector], count);
    meter.set("jobsOldestSeconds", [job, connector], oldestSeconds);
  }
  meter.set("notificationsParked", [], parked.count);
  meter.set("notificationsOldestSeconds", [], parked.oldestSeconds);
}
