import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
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
  "leader cut off from etcd": (patroni) => cutOff(patroni, "etcd", withoutEtcdMs),
  "leader cut off from etcd and all nodes, not from us": (patroni) =>
    cutOff(patroni, "everybody", comesBackForMs),
  "leader cut off from its synchronous standby": async (patroni) =>
    cutOff(patroni, { standby: await patroni.syncStandby() }, comesBackForMs),
  switchover: async (patroni) => {
    const leader = await patroni.leader();
    // No candidate is named: only the synchronous standby can win, and with a name the third node waits for two seconds.
    const asked = patroni.ask(leader, "switchover", { leader });
    return async () => {
      await asked;
      await until(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
    };
  },
  "synchronous standby rebuilt": async (patroni) => {
    const standby = await patroni.syncStandby();
    await patroni.ask(standby, "reinitialize", { force: true });
    // It is whole until it has begun.
    return () => waitMs(comesBackForMs);
  },
  "minor upgrade": async (patroni) => {
    const upgraded = upgradeAll(patroni);
    return () => upgraded;
  },
} as const satisfies Readonly<Record<string, (patroni: PatroniCluster) => Promise<() => Promise<void>>>>;
type Kind = keyof typeof events;
const allKinds = Object.keys(events) as Kind[];

const paymentsPerSecond = 20;
const calmMs = 2_000;
/** Split-brain window: a leader that is thawed believes for a moment that it still leads. */
const comesBackForMs = 5_000;
const newLeaderWithinMs = 60_000;
const withoutEtcdMs = 25_000;
/** The bounds of the claim: the longest time without a payment. */
const withinMs = (kind: Kind): number => (kind === "switchover" ? 3_000 : 30_000);

/** The gateway behind HAProxy, on nodes under Patroni: failover is automatic. */
await runProof({
  name: "patroni",
  claim:
    "Three nodes under Patroni with three of etcd, while merchants take payments. The leader is lost: its PostgreSQL is killed, the whole " +
    "node is, or it freezes and comes back when another leads; it is cut off from etcd, from etcd and all nodes but not from the gateway, " +
    "or from its synchronous standby; etcd's leader is killed; the leader is changed on purpose; the synchronous standby is rebuilt; " +
    "all nodes get another minor version of PostgreSQL, one after the other. All that anybody was told is there afterwards, nothing moved twice, and payments are taken again without anybody's help: within 30 s, " +
    "and within 3 s where the leader is changed on purpose. Tries are all of them together, each kind in turn; words choose kinds.",
  triesDefault: 9,
  run,
});

interface Lost {
  readonly kind: Kind;
  /** The longest time without a payment that was accepted, until all was whole again. */
  readonly gapMs: number;
}

async function run({ tries, words, say }: ProofAsked): Promise<Shown> {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    say(`Install ${missing.join(", ")}: apt-get install etcd-server haproxy`);
    return { figures: { skipped: missing.join(",") }, misses: ["There is nothing to prove it with."] };
  }
  const kinds =
    words.length === 0 ? allKinds : allKinds.filter((kind) => words.some((word) => kind.includes(word)));
  if (kinds.length === 0)
    throw new Error(`Nothing is called ${words.join(", ")}: there are ${allKinds.join("; ")}.`);
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
      say(`${one.kind}: no payment for ${one.gapMs} ms at most`);
    }
    await waitMs(calmMs);
    await load.stop();
    return await judge(trial, lost, patroni);
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
  // One that does not come shows in the longest time without one.
  await load.firstAcceptedAfter(trial.nowMs()).catch(() => undefined);
  await mend();
  await patroni.whole();
  return { kind, gapMs: longestGapMs(trial, atMs) };
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

/** Cuts the leader off, and heals it some time after payments are taken again. */
async function cutOff(
  patroni: PatroniCluster,
  from: Parameters<PatroniCluster["cut"]>[1],
  forMs: number,
): Promise<() => Promise<void>> {
  const leader = await patroni.leader();
  patroni.cut(leader, from);
  return async () => {
    await waitMs(forMs);
    // A cut that cuts nothing would show that all is well: without etcd, the leader's key has run out by now.
    const holdsKey = (await patroni.keyHolder()) === leader;
    if (holdsKey !== (typeof from === "object"))
      throw new Error(`${leader} was not cut off as it should have been.`);
    patroni.heal();
    await waitMs(comesBackForMs);
  };
}

/** Standbys first, one after the other; then one of them leads, and the leader of before comes last. */
async function upgradeAll(patroni: PatroniCluster): Promise<void> {
  const leader = await patroni.leader();
  for (const standby of patroni.nodes.filter((name) => name !== leader)) {
    await patroni.upgrade(standby);
    await patroni.whole();
  }
  await patroni.ask(leader, "switchover", { leader });
  await until(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
  await patroni.whole();
  await patroni.upgrade(leader);
}

function longestGapMs({ history, nowMs }: Trial, fromMs: number): number {
  const accepted = history.answers
    .filter(({ verb, id, answeredAtMs }) => verb === "pay" && id !== undefined && answeredAtMs >= fromMs)
    .map(({ answeredAtMs }) => answeredAtMs)
    .sort((a, b) => a - b);
  const moments = [fromMs, ...accepted, nowMs()];
  return Math.round(Math.max(...moments.slice(1).map((ms, index) => ms - (moments[index] ?? ms))));
}

async function judge(trial: Trial, lost: readonly Lost[], patroni: PatroniCluster): Promise<Shown> {
  const { cluster } = trial.installation;
  const untrue = [
    ...trial.untrue(await readEvidence(cluster)),
    ...toldTooEarly(trial.history, await readMoments(cluster), trial.startedAtEpochMs),
  ];
  const doubled = trial.doubled();
  return {
    figures: {
      patroni: patroni.version,
      minor_versions: patroni.minors.map(({ version }) => version).join(" "),
      events: lost.length,
      answers: trial.history.answers.length,
      notifications: trial.history.notifications.length,
      lost: untrue.length,
      doubled: doubled.length,
      load_average: loadavg()
        .map((each) => each.toFixed(1))
        .join(" "),
    },
    misses: [...untrue, ...doubled, ...lost.flatMap(lateness)],
    details: [
      "| what | times | longest without a payment, p50 | worst |",
      "| --- | --: | --: | --: |",
      ...allKinds.map((kind) =>
        lineOf(
          kind,
          lost.filter((each) => each.kind === kind),
        ),
      ),
    ],
  };
}

function lateness({ kind, gapMs }: Lost): readonly string[] {
  return gapMs <= withinMs(kind)
    ? []
    : [`${kind}: no payment for ${gapMs} ms, where ${withinMs(kind)} ms are allowed`];
}

function lineOf(kind: Kind, lost: readonly Lost[]): string {
  const inSeconds = (ms: readonly number[]): readonly string[] => {
    const sorted = ms.toSorted((a, b) => a - b);
    return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((each) =>
      each === undefined ? "" : `${(each / 1_000).toFixed(1)} s`,
    );
  };
  return `| ${[kind, lost.length, ...inSeconds(lost.map(({ gapMs }) => gapMs))].join(" | ")} |`;
}
