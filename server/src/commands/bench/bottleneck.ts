import type { Step, Usage } from "./step.ts";

/** What holds a load up, and how one sees it. */
export interface Bottleneck {
  readonly name: string;
  /** How near it is to its limit: 1 is there. */
  readonly load: number;
  readonly evidence: string;
  readonly remedy: string;
}

/** A machine, as far as it matters here. */
export interface Machine {
  readonly processors: number;
  /** How many of each were seen. */
  readonly workCount: number;
}

interface Suspect {
  readonly name: string;
  readonly load: (step: Step, machine: Machine) => number | undefined;
  readonly evidence: (step: Step, machine: Machine) => string;
  readonly remedy: string;
}

/** A thread that is busy so much of its time has a queue before it. */
const threadFull = 0.85;
const machineFull = 0.92;
/** When one program has so much of a full machine, it is the one to move or to feed. */
const postgresFull = 0.75;
/** Others who have so much of a full machine spoil the measurement. */
const othersFull = 0.3;
/** A wait that so many of all busy connections are in is what they wait for. */
const waitFull = 0.5;
/** Connections that are busy so much of the time are too few. */
const poolFull = 0.9;
/** Below this nothing that is seen from here holds anything up. */
const loadMin = 0.7;

const waitOf = (step: Step, wanted: RegExp): number => {
  const { busy = 0, waits = {} } = step.waits ?? {};
  const count = Object.entries(waits).reduce((sum, [name, each]) => sum + (wanted.test(name) ? each : 0), 0);
  return busy === 0 ? 0 : count / busy;
};
const wal = /wal_?(sync|write|flush|insert)/i;
const rowLock = /^Lock /;
const standby = /syncrep/i;
const shareOf =
  (wanted: RegExp) =>
  (step: Step): string =>
    `${percent(waitOf(step, wanted))} of the gateway's busy connections wait for it`;
const busyMean = ({ waits }: Step): number => (waits && waits.looks > 0 ? waits.busy / waits.looks : 0);
const onLine = ({ waits }: Step): boolean =>
  waits !== undefined && waits.isShown && busyMean({ waits } as Step) >= 1;

const suspects: readonly Suspect[] = [
  {
    name: "this client itself",
    load: ({ usage }) => usage.bench / threadFull,
    evidence: ({ usage, sendLateMs }) =>
      `it used ${amount(usage.bench)} of the one processor that it can, and sent ${Math.round(sendLateMs)} ms late`,
    remedy: "Run it on another machine, or several of it at once: the gateway can do more than it says.",
  },
  {
    name: "the main thread of serve",
    load: ({ usage }) => usage.mainThread && usage.mainThread / threadFull,
    evidence: ({ usage }) =>
      `it was busy ${percent(usage.mainThread ?? 0)} of the time, and cannot be more than 100 %`,
    remedy: "Start one more `serve` behind the same address, if there are processors for it.",
  },
  {
    name: "work",
    load: ({ usage }, { workCount }) => usage.work && usage.work / (threadFull * Math.max(1, workCount)),
    evidence: ({ usage }, { workCount }) => `${workCount} of them used ${amount(usage.work ?? 0)} processors`,
    remedy: "Start one more `work`.",
  },
  {
    name: "the wallet",
    load: ({ usage }) => usage.wallet && usage.wallet / threadFull,
    evidence: ({ usage }) => `the simulator used ${amount(usage.wallet ?? 0)} processors, and has one thread`,
    remedy: "It is a simulator: what is measured beyond it is the simulator, and not the gateway.",
  },
  {
    name: "the processors of PostgreSQL",
    load: ({ usage }, { processors }) => usage.postgres && usage.postgres / (postgresFull * processors),
    evidence: ({ usage }, { processors }) => `it used ${amount(usage.postgres ?? 0)} of ${processors}`,
    remedy: "Give PostgreSQL a machine with more processors.",
  },
  {
    name: "other programs on this machine",
    load: ({ usage }, { processors }) =>
      (usage.machine ?? 0) >= machineFull * processors
        ? othersIn(usage) / (othersFull * processors)
        : undefined,
    evidence: ({ usage }, { processors }) =>
      `${amount(usage.machine ?? 0)} of ${processors} processors are busy: ${usersOf(usage)}`,
    remedy: "Measure again while nothing else runs.",
  },
  {
    name: "the processors of this machine",
    load: ({ usage }, { processors }) => usage.machine && usage.machine / (machineFull * processors),
    evidence: ({ usage }, { processors }) =>
      `${amount(usage.machine ?? 0)} of ${processors} are busy: ${usersOf(usage)}`,
    remedy: "More processors; or move to another machine whatever stands first in that list.",
  },
  {
    name: "the disk, which writes the log of PostgreSQL (WAL fsync)",
    load: (step) => (onLine(step) ? waitOf(step, wal) / waitFull : undefined),
    evidence: shareOf(wal),
    remedy: "A disk with a shorter fsync. More `serve` do not help; more payments at once share a commit.",
  },
  {
    name: "the standby, which every commit waits for",
    load: (step) => (onLine(step) ? waitOf(step, standby) / waitFull : undefined),
    evidence: shareOf(standby),
    remedy: "A standby that is nearer, or has a faster disk.",
  },
  {
    name: "locks in PostgreSQL",
    load: (step) => (onLine(step) ? waitOf(step, rowLock) / waitFull : undefined),
    evidence: shareOf(rowLock),
    remedy: "This should not be: tell us, with the report of `--json`.",
  },
  {
    name: "the connections of serve to PostgreSQL",
    load: (step) =>
      onLine(step) ? busyMean(step) / (poolFull * Math.max(1, step.waits?.serveOpen ?? 1)) : undefined,
    evidence: (step) =>
      `of ${step.waits?.serveOpen} open ones ${busyMean(step).toFixed(1)} were busy on average`,
    remedy: "Raise TOLLGATE_DATABASE_CONNECTIONS_MAX.",
  },
];

/** What is nearest to its limit in a step, and the next one; nothing if nothing that is seen from here is near. */
export function bottlenecksIn(step: Step, machine: Machine): readonly Bottleneck[] {
  return suspects
    .map((suspect) => ({
      name: suspect.name,
      load: suspect.load(step, machine) ?? 0,
      evidence: suspect.evidence(step, machine),
      remedy: suspect.remedy,
    }))
    .filter(({ load }) => load >= loadMin)
    .toSorted((one, other) => other.load - one.load);
}

function othersIn({ machine = 0, serve = 0, work = 0, postgres = 0, wallet = 0, bench }: Usage): number {
  return Math.max(0, machine - serve - work - postgres - wallet - bench);
}

function usersOf(usage: Usage): string {
  const { serve, work, postgres, wallet, bench } = usage;
  const users = Object.entries({
    serve,
    work,
    PostgreSQL: postgres,
    "the wallet": wallet,
    "this client": bench,
    others: othersIn(usage),
  });
  return users
    .map(([name, used]) => ({ name, used: used ?? 0 }))
    .filter(({ used }) => used >= 0.01)
    .toSorted((one, other) => other.used - one.used)
    .map(({ name, used }) => `${name} ${amount(used)}`)
    .join(", ");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function amount(processors: number): string {
  return processors.toFixed(2);
}
