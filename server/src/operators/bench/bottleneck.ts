import type { BenchStep, CpuUsage } from "./bench-step.ts";

/** A bottleneck, its evidence and its remedy. */
export interface Bottleneck {
  readonly name: string;
  /** Load of the part relative to its limit: 1 means at the limit. */
  readonly load: number;
  readonly evidence: string;
  readonly remedy: string;
}

/** The machine's properties that the analysis needs. */
export interface Machine {
  readonly processors: number;
  /** Number of `work` processes found. */
  readonly workCount: number;
}

interface Candidate {
  readonly name: string;
  readonly load: (step: BenchStep, machine: Machine) => number | undefined;
  readonly evidence: (step: BenchStep, machine: Machine) => string;
  readonly remedy: string;
}

/** Above this CPU share, requests queue in front of a thread. */
const threadLimit = 0.85;
const machineLimit = 0.92;
/** A program with this share of a fully used machine is the bottleneck. */
const postgresLimit = 0.75;
/** Other programs with this share of a fully used machine invalidate the measurement. */
const otherProgramsLimit = 0.3;
/** A wait event with this share of all busy connections is the bottleneck. */
const waitLimit = 0.5;
/** A connection pool with this busy share is too small. */
const poolLimit = 0.9;
/** Below this load, no measured part is a bottleneck. */
const loadMin = 0.7;

const waitShare = (step: BenchStep, pattern: RegExp): number => {
  const { busy = 0, waits = {} } = step.waits ?? {};
  const count = Object.entries(waits).reduce((sum, [name, each]) => sum + (pattern.test(name) ? each : 0), 0);
  return busy === 0 ? 0 : count / busy;
};
const wal = /wal_?(sync|write|flush|insert)/i;
const rowLock = /^Lock /;
const standby = /syncrep/i;
const waitEvidence =
  (pattern: RegExp) =>
  (step: BenchStep): string =>
    `${percent(waitShare(step, pattern))} of the gateway's busy connections wait for it`;
const meanBusyConnections = ({ waits }: BenchStep): number =>
  waits && waits.looks > 0 ? waits.busy / waits.looks : 0;
const hasWaitSamples = ({ waits }: BenchStep): boolean =>
  waits !== undefined && waits.isShown && meanBusyConnections({ waits } as BenchStep) >= 1;

const candidates: readonly Candidate[] = [
  {
    name: "the load generator",
    load: ({ usage }) => usage.bench / threadLimit,
    evidence: ({ usage, sendLateMs }) =>
      `it used ${amount(usage.bench)} of the one processor that it can use, and sent ${Math.round(sendLateMs)} ` +
      "ms late",
    remedy:
      "Run it on another machine, or run several at once. The gateway can handle more than this result shows.",
  },
  {
    name: "the main thread of serve",
    load: ({ usage }) => usage.mainThread && usage.mainThread / threadLimit,
    evidence: ({ usage }) => `it was busy ${percent(usage.mainThread ?? 0)} of the time; the limit is 100 %`,
    remedy: "Start another `serve` behind the same address, if processors are free.",
  },
  {
    name: "work",
    load: ({ usage }, { workCount }) => usage.work && usage.work / (threadLimit * Math.max(1, workCount)),
    evidence: ({ usage }, { workCount }) =>
      `${workCount} \`work\` processes used ${amount(usage.work ?? 0)} processors`,
    remedy: "Start another `work`.",
  },
  {
    name: "the simulated provider",
    load: ({ usage }) => usage.provider && usage.provider / threadLimit,
    evidence: ({ usage }) =>
      `the simulator used ${amount(usage.provider ?? 0)} processors, and has one thread`,
    remedy: "Higher rates would measure the simulator and not the gateway.",
  },
  {
    name: "the processors of PostgreSQL",
    load: ({ usage }, { processors }) => usage.postgres && usage.postgres / (postgresLimit * processors),
    evidence: ({ usage }, { processors }) => `it used ${amount(usage.postgres ?? 0)} of ${processors}`,
    remedy: "Give PostgreSQL a machine with more processors.",
  },
  {
    name: "other programs on this machine",
    load: ({ usage }, { processors }) =>
      (usage.machine ?? 0) >= machineLimit * processors
        ? otherProgramsUsage(usage) / (otherProgramsLimit * processors)
        : undefined,
    evidence: ({ usage }, { processors }) =>
      `${amount(usage.machine ?? 0)} of ${processors} processors are busy: ${cpuUsersText(usage)}`,
    remedy: "Measure again on an otherwise idle machine.",
  },
  {
    name: "the processors of this machine",
    load: ({ usage }, { processors }) => usage.machine && usage.machine / (machineLimit * processors),
    evidence: ({ usage }, { processors }) =>
      `${amount(usage.machine ?? 0)} of ${processors} are busy: ${cpuUsersText(usage)}`,
    remedy: "Add processors, or move the first program of that list to another machine.",
  },
  {
    name: "the disk that writes PostgreSQL's log (WAL fsync)",
    load: (step) => (hasWaitSamples(step) ? waitShare(step, wal) / waitLimit : undefined),
    evidence: waitEvidence(wal),
    remedy:
      "Use a disk with a shorter fsync. More `serve` processes do not help; more concurrent payments share a " +
      "commit.",
  },
  {
    name: "the standby that each commit waits for (synchronous replication)",
    load: (step) => (hasWaitSamples(step) ? waitShare(step, standby) / waitLimit : undefined),
    evidence: waitEvidence(standby),
    remedy: "Use a standby that is nearer or has a faster disk.",
  },
  {
    name: "locks in PostgreSQL",
    load: (step) => (hasWaitSamples(step) ? waitShare(step, rowLock) / waitLimit : undefined),
    evidence: waitEvidence(rowLock),
    remedy: "This is unexpected. Report it with the output of `--json`.",
  },
  {
    name: "the connections of serve to PostgreSQL",
    load: (step) =>
      hasWaitSamples(step)
        ? meanBusyConnections(step) / (poolLimit * Math.max(1, step.waits?.serveOpen ?? 1))
        : undefined,
    evidence: (step) =>
      `on average, ${meanBusyConnections(step).toFixed(1)} of ${step.waits?.serveOpen} open connections were busy`,
    remedy: "Raise TOLLGATE_DATABASE_CONNECTIONS_MAX.",
  },
];

/** Returns the parts near their limits in a step, nearest first; empty if none is near. */
export function findBottlenecks(step: BenchStep, machine: Machine): readonly Bottleneck[] {
  return candidates
    .map((candidate) => ({
      name: candidate.name,
      load: candidate.load(step, machine) ?? 0,
      evidence: candidate.evidence(step, machine),
      remedy: candidate.remedy,
    }))
    .filter(({ load }) => load >= loadMin)
    .toSorted((left, right) => right.load - left.load);
}

function otherProgramsUsage({
  machine = 0,
  serve = 0,
  work = 0,
  postgres = 0,
  provider = 0,
  bench,
}: CpuUsage): number {
  return Math.max(0, machine - serve - work - postgres - provider - bench);
}

function cpuUsersText(usage: CpuUsage): string {
  const { serve, work, postgres, provider, bench } = usage;
  const users = Object.entries({
    serve,
    work,
    PostgreSQL: postgres,
    "the simulated provider": provider,
    "the load generator": bench,
    others: otherProgramsUsage(usage),
  });
  return users
    .map(([name, used]) => ({ name, used: used ?? 0 }))
    .filter(({ used }) => used >= 0.01)
    .toSorted((left, right) => right.used - left.used)
    .map(({ name, used }) => `${name} ${amount(used)}`)
    .join(", ");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function amount(processors: number): string {
  return processors.toFixed(2);
}
