import { execFileSync } from "node:child_process";
import { setTimeout as waitMs } from "node:timers/promises";
import { readEvidence } from "./evidence.ts";
import { startLoad, type Load } from "./load.ts";
import { readMoments, toldTooEarly } from "./moments.ts";
import { programs, startPatroniCluster, type PatroniCluster } from "./patroni-cluster.ts";
import { until } from "./postgres-server.ts";
import { runProof, type ProofAsked, type Shown } from "./run-proof.ts";
import { openTrial, type Trial } from "./trial.ts";

/** What happens to the cluster: gives what has to be done before it can be whole again. */
const events = {
  "PostgreSQL killed": (patroni) => loseLeader(patroni, (leader) => patroni.kill(leader, "postgresql")),
  "node killed": (patroni) =>
    loseLeader(
      patroni,
      (leader) => patroni.kill(leader, "node"),
      (leader) => patroni.revive(leader),
    ),
  "node frozen, comes back": (patroni) =>
    loseLeader(
      patroni,
      (leader) => patroni.freeze(leader),
      async (leader) => {
        patroni.thaw(leader);
        await waitMs(comesBackForMs);
      },
    ),
  "etcd's leader killed": async ({ etcd }) => {
    const leader = await etcd.leader();
    etcd.kill(leader);
    // As long as a leader's key of Patroni's lives: it has to be renewed by the two that are left.
    return async () => {
      await waitMs(withoutEtcdMs);
      etcd.revive(leader);
    };
  },
  switchover: async (patroni) => {
    const [leader, candidate] = [await patroni.leader(), await patroni.syncStandby()];
    const asked = patroni.ask(leader, "switchover", { leader, candidate });
    return async () => {
      await asked;
      await until(async () => (await patroni.leader()) === candidate, newLeaderWithinMs);
    };
  },
  "synchronous standby rebuilt": async (patroni) => {
    const standby = await patroni.syncStandby();
    await patroni.ask(standby, "reinitialize", { force: true });
    // It is whole until it has begun.
    return () => waitMs(comesBackForMs);
  },
} as const satisfies Readonly<Record<string, (patroni: PatroniCluster) => Promise<() => Promise<void>>>>;
type Kind = keyof typeof events;
const kinds = Object.keys(events) as Kind[];

const paymentsPerSecond = 20;
const calmMs = 2_000;
/** Split-brain window: a leader that is thawed believes for a moment that it still leads. */
const comesBackForMs = 5_000;
const newLeaderWithinMs = 60_000;
const withoutEtcdMs = 22_000;

/** The gateway behind HAProxy, on nodes under Patroni: failover is automatic. */
await runProof({
  name: "patroni",
  claim:
    "Three nodes under Patroni with three of etcd, while merchants take payments. The leader is lost: its PostgreSQL is killed, the whole " +
    "node is, or it freezes and comes back when another leads; etcd's leader is killed; the leader is changed on purpose; the " +
    "synchronous standby is rebuilt. All that anybody was told is there afterwards, and payments are taken again without anybody's " +
    "help. Tries are all of them together, each kind in turn.",
  triesDefault: 18,
  run,
});

interface Lost {
  readonly kind: Kind;
  /** Until a payment that was asked for after it was accepted. */
  readonly acceptedMs: number;
  /** The longest time without one, until all was whole again. */
  readonly gapMs: number;
}

async function run({ tries, say }: ProofAsked): Promise<Shown> {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    say(`Install ${missing.join(", ")}: apt-get install etcd-server haproxy`);
    return { figures: { skipped: missing.join(",") }, misses: ["There is nothing to prove it with."] };
  }
  const patroni = await startPatroniCluster();
  say("three nodes run");
  const trial = await openTrial({ cluster: patroni.cluster });
  try {
    const load = startLoad(trial, "patroni", paymentsPerSecond);
    const lost: Lost[] = [];
    for (let index = 0; index < tries; index += 1) {
      await waitMs(calmMs);
      const one = await happen(trial, patroni, load, kinds[index % kinds.length] ?? "switchover");
      lost.push(one);
      say(`${one.kind}: first payment after ${one.acceptedMs} ms, none for ${one.gapMs} ms at most`);
    }
    await waitMs(calmMs);
    await load.stop();
    return await judge(trial, lost, patroni.version);
  } finally {
    await trial.stop();
  }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function happen(trial: Trial, patroni: PatroniCluster, load: Load, kind: Kind): Promise<Lost> {
  const atMs = trial.nowMs();
  const mend = await events[kind](patroni);
  const acceptedMs = Math.round((await load.firstAcceptedAfter(atMs)) - atMs);
  await mend();
  await patroni.whole();
  return { kind, acceptedMs, gapMs: longestGapMs(trial, atMs) };
}

/** Does something to the leader, and what has to follow when another leads. */
async function loseLeader(
  patroni: PatroniCluster,
  lose: (leader: string) => void,
  mend: (leader: string) => void | Promise<void> = () => undefined,
): Promise<() => Promise<void>> {
  const leader = await patroni.leader();
  lose(leader);
  return async () => {
    await until(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
    await mend(leader);
  };
}

function longestGapMs({ history, nowMs }: Trial, fromMs: number): number {
  const accepted = history.answers
    .filter(({ verb, id, answeredAtMs }) => verb === "pay" && id !== undefined && answeredAtMs >= fromMs)
    .map(({ answeredAtMs }) => answeredAtMs)
    .sort((a, b) => a - b);
  const moments = [fromMs, ...accepted, nowMs()];
  return Math.round(Math.max(...moments.slice(1).map((ms, index) => ms - (moments[index] ?? ms))));
}

async function judge(trial: Trial, lost: readonly Lost[], patroniVersion: string): Promise<Shown> {
  const { cluster } = trial.installation;
  const untrue = [
    ...trial.untrue(await readEvidence(cluster)),
    ...toldTooEarly(trial.history, await readMoments(cluster), trial.startedAtEpochMs),
  ];
  const doubled = trial.doubled();
  return {
    figures: {
      patroni: patroniVersion,
      events: lost.length,
      answers: trial.history.answers.length,
      notifications: trial.history.notifications.length,
      lost: untrue.length,
      doubled: doubled.length,
    },
    misses: [...untrue, ...doubled],
    details: [
      "| what | times | first payment after, p50 | worst | longest without one, p50 | worst |",
      "| --- | --: | --: | --: | --: | --: |",
      ...kinds.map((kind) =>
        lineOf(
          kind,
          lost.filter((each) => each.kind === kind),
        ),
      ),
    ],
  };
}

function lineOf(kind: Kind, lost: readonly Lost[]): string {
  const inSeconds = (ms: readonly number[]): readonly string[] => {
    const sorted = ms.toSorted((a, b) => a - b);
    return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((each) =>
      each === undefined ? "" : `${(each / 1_000).toFixed(1)} s`,
    );
  };
  const cells = [lost.map(({ acceptedMs }) => acceptedMs), lost.map(({ gapMs }) => gapMs)].flatMap(inSeconds);
  return `| ${[kind, lost.length, ...cells].join(" | ")} |`;
}
