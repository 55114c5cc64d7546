import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { setTimeout as waitMs } from "node:timers/promises";
import { readEvidence } from "./oracle/evidence.ts";
import { startLoad, type Load } from "./failures/load.ts";
import { readMoments, toldTooEarly } from "./failures/moments.ts";
import { programs, startPatroniCluster, type PatroniCluster } from "./patroni-cluster/cluster.ts";
import { until } from "./installation/postgres-server.ts";
import { runProof, type ProofAsked, type Shown } from "./reports/run-proof.ts";
import { openTrial, type Trial } from "./trial/trial.ts";

/** The events of the cluster. Each returns the steps before the cluster can be complete again. */
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
    // The wait is as long as the lifetime of Patroni's leader key, which the remaining two etcd members must renew.
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
    // The request names no candidate. Only the synchronous standby can win, and with a name the third node waits for
    // two seconds.
    const asked = patroni.ask(leader, "switchover", { leader });
    return async () => {
      await asked;
      await until(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
    };
  },
  "synchronous standby rebuilt": async (patroni) => {
    const standby = await patroni.syncStandby();
    await patroni.ask(standby, "reinitialize", { force: true });
    // The cluster still looks complete until the rebuild has started, so the proof waits some seconds.
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
/** Split-brain window in ms: a thawed old leader still considers itself the leader for a moment. */
const comesBackForMs = 5_000;
const newLeaderWithinMs = 60_000;
const withoutEtcdMs = 25_000;
/** The claimed limit in ms of the longest time without an accepted payment. */
const withinMs = (kind: Kind): number => (kind === "switchover" ? 3_000 : 30_000);

/** The gateway with HAProxy and nodes with Patroni: failover is automatic. */
await runProof({
  name: "patroni",
  claim:
    "Three nodes with Patroni and three etcd members, while merchants send payments. The leader is lost: its PostgreSQL is killed, the whole " +
    "node is killed, or it freezes and returns when another leads; it is disconnected from etcd, from etcd and all nodes but not from the gateway, " +
    "or from its synchronous standby; etcd's leader is killed; a switchover is requested; the synchronous standby is rebuilt; " +
    "all nodes get another minor version of PostgreSQL, one after the other. Every acknowledged change exists afterwards, no money moved twice, and payments are accepted again without manual action: within 30 s, " +
    "and within 3 s at a requested switchover. Tries is the total number of events, each kind in turn; arguments select kinds.",
  triesDefault: 9,
  run,
});

interface Lost {
  readonly kind: Kind;
  /** The longest time without an accepted payment, until the cluster was complete again. */
  readonly gapMs: number;
}

async function run({ tries, words, say }: ProofAsked): Promise<Shown> {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    say(`Install ${missing.join(", ")}: apt-get install etcd-server haproxy`);
    return { figures: { skipped: missing.join(",") }, misses: ["Required programs are missing."] };
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
      say(`${one.kind}: at most ${one.gapMs} ms without a payment`);
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
  const repair = await events[kind](patroni);
  // The error is ignored: if no payment is accepted, the longest time without a payment shows it.
  await load.firstAcceptedAfter(trial.nowMs()).catch(() => undefined);
  await repair();
  await patroni.whole();
  return { kind, gapMs: longestGapMs(trial, atMs) };
}

/** Triggers the event at the leader, and runs the next step when another node leads. */
async function loseLeader(
  patroni: PatroniCluster,
  lose: (leader: string) => void,
  repair: (leader: string) => void | Promise<void> = () => undefined,
): Promise<() => Promise<void>> {
  const leader = await patroni.leader();
  lose(leader);
  return async () => {
    await until(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
    await repair(leader);
  };
}

/** Disconnects the leader, and reconnects it some time after payments are accepted again. */
async function cutOff(
  patroni: PatroniCluster,
  from: Parameters<PatroniCluster["cut"]>[1],
  forMs: number,
): Promise<() => Promise<void>> {
  const leader = await patroni.leader();
  patroni.cut(leader, from);
  return async () => {
    await waitMs(forMs);
    // Checks that the disconnection works, because the proof would also pass with a connected leader. A leader without
    // etcd has lost the leader key by now.
    const holdsKey = (await patroni.keyHolder()) === leader;
    if (holdsKey !== (typeof from === "object"))
      throw new Error(`${leader} was not disconnected as expected.`);
    patroni.heal();
    await waitMs(comesBackForMs);
  };
}

/**
 * `upgradeAll` upgrades the standbys one after the other, makes one of them the leader, and upgrades the former leader
 * last.
 */
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
