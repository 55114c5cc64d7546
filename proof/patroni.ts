import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { setTimeout as waitMs } from "node:timers/promises";
import { readDatabaseState } from "./oracle/database-state.ts";
import { startLoad, type Load } from "./failures/open-loop-load.ts";
import { readFinalTimes, findPrematureReports } from "./failures/final-times.ts";
import { programs, startPatroniCluster, type PatroniCluster } from "./patroni-cluster/patroni-cluster.ts";
import { waitUntil } from "./installation/postgres-server.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";
import { openTrial, type Trial } from "./trial/trial.ts";

/** The events of the cluster. Each returns the steps before the cluster can be complete again. */
const events = {
  "PostgreSQL killed": (patroni) => loseLeader(patroni, (leader) => patroni.kill(leader, "postgresql")),
  "node killed": (patroni) =>
    loseLeader(
      patroni,
      (leader) => patroni.kill(leader, "node"),
      (leader) => patroni.restart(leader),
    ),
  "node frozen, comes back": (patroni) =>
    loseLeader(
      patroni,
      (leader) => patroni.freeze(leader),
      async (leader) => {
        patroni.thaw(leader);
        await waitMs(returnMs);
      },
    ),
  "etcd's leader killed": async ({ etcd }) => {
    const leader = await etcd.leader();
    etcd.kill(leader);
    // The wait is as long as the lifetime of Patroni's leader key, which the remaining two etcd members must renew.
    return async () => {
      await waitMs(withoutEtcdMs);
      etcd.restart(leader);
    };
  },
  "leader cut off from etcd": (patroni) => disconnectLeader(patroni, "etcd", withoutEtcdMs),
  "leader cut off from etcd and all nodes, not from us": (patroni) =>
    disconnectLeader(patroni, "everybody", returnMs),
  "leader cut off from its synchronous standby": async (patroni) =>
    disconnectLeader(patroni, { standby: await patroni.syncStandby() }, returnMs),
  switchover: async (patroni) => {
    const leader = await patroni.leader();
    // The request names no candidate. Only the synchronous standby can win, and with a name the third node waits for
    // two seconds.
    const switchover = patroni.requestAction(leader, "switchover", { leader });
    return async () => {
      await switchover;
      await waitUntil(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
    };
  },
  "synchronous standby rebuilt": async (patroni) => {
    const standby = await patroni.syncStandby();
    await patroni.requestAction(standby, "reinitialize", { force: true });
    // The cluster still looks complete until the rebuild has started, so the proof waits some seconds.
    return () => waitMs(returnMs);
  },
  "minor upgrade": async (patroni) => {
    const upgraded = upgradeNodes(patroni);
    return () => upgraded;
  },
} as const satisfies Readonly<Record<string, (patroni: PatroniCluster) => Promise<() => Promise<void>>>>;
type Kind = keyof typeof events;
const allKinds = Object.keys(events) as Kind[];

const paymentsPerSecond = 20;
const calmMs = 2_000;
/** Split-brain window in ms: a thawed old leader still considers itself the leader for a moment. */
const returnMs = 5_000;
const newLeaderWithinMs = 60_000;
const withoutEtcdMs = 25_000;
/** The claimed limit in ms of the longest time without an accepted payment. */
const limitMs = (kind: Kind): number => (kind === "switchover" ? 3_000 : 30_000);

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

interface EventResult {
  readonly kind: Kind;
  /** The longest time without an accepted payment, until the cluster was complete again. */
  readonly gapMs: number;
}

async function run({ tries, args, logProgress }: ProofOptions): Promise<ProofResult> {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    logProgress(`Install ${missing.join(", ")}: apt-get install etcd-server haproxy`);
    return { figures: { skipped: missing.join(",") }, misses: ["Required programs are missing."] };
  }
  const kinds =
    args.length === 0 ? allKinds : allKinds.filter((kind) => args.some((arg) => kind.includes(arg)));
  if (kinds.length === 0)
    throw new Error(`Nothing is called ${args.join(", ")}: there are ${allKinds.join("; ")}.`);
  const patroni = await startPatroniCluster();
  logProgress("three nodes run");
  const trial = await openTrial({ cluster: patroni.cluster });
  try {
    const load = startLoad(trial, "patroni", paymentsPerSecond);
    const results: EventResult[] = [];
    for (let index = 0; index < tries; index += 1) {
      await waitMs(calmMs);
      const result = await runEvent(trial, patroni, load, kinds[index % kinds.length] ?? "switchover");
      results.push(result);
      logProgress(`${result.kind}: at most ${result.gapMs} ms without a payment`);
    }
    await waitMs(calmMs);
    await load.stop();
    return await buildResult(trial, results, patroni);
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

async function runEvent(trial: Trial, patroni: PatroniCluster, load: Load, kind: Kind): Promise<EventResult> {
  const atMs = trial.nowMs();
  const repair = await events[kind](patroni);
  // The error is ignored: if no payment is accepted, the longest time without a payment shows it.
  await load.firstAcceptedAfter(trial.nowMs()).catch(() => undefined);
  await repair();
  await patroni.waitUntilHealthy();
  return { kind, gapMs: longestGapMs(trial, atMs) };
}

/** Triggers the event at the leader, and runs the next step when another node leads. */
async function loseLeader(
  patroni: PatroniCluster,
  injectLoss: (leader: string) => void,
  repair: (leader: string) => void | Promise<void> = () => undefined,
): Promise<() => Promise<void>> {
  const leader = await patroni.leader();
  injectLoss(leader);
  return async () => {
    await waitUntil(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
    await repair(leader);
  };
}

/** Disconnects the leader, and reconnects it some time after payments are accepted again. */
async function disconnectLeader(
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
    await waitMs(returnMs);
  };
}

/**
 * `upgradeNodes` upgrades the standbys one after the other, makes one of them the leader, and upgrades the former
 * leader last.
 */
async function upgradeNodes(patroni: PatroniCluster): Promise<void> {
  const leader = await patroni.leader();
  for (const standby of patroni.nodes.filter((name) => name !== leader)) {
    await patroni.upgrade(standby);
    await patroni.waitUntilHealthy();
  }
  await patroni.requestAction(leader, "switchover", { leader });
  await waitUntil(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
  await patroni.waitUntilHealthy();
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

async function buildResult(
  trial: Trial,
  results: readonly EventResult[],
  patroni: PatroniCluster,
): Promise<ProofResult> {
  const { cluster } = trial.installation;
  const contradictions = [
    ...trial.findContradictions(await readDatabaseState(cluster)),
    ...findPrematureReports(trial.history, await readFinalTimes(cluster), trial.startedAtEpochMs),
  ];
  const doubled = trial.findDuplicates();
  return {
    figures: {
      patroni: patroni.version,
      minor_versions: patroni.minors.map(({ version }) => version).join(" "),
      events: results.length,
      answers: trial.history.answers.length,
      notifications: trial.history.notifications.length,
      lost: contradictions.length,
      doubled: doubled.length,
      load_average: loadavg()
        .map((each) => each.toFixed(1))
        .join(" "),
    },
    misses: [...contradictions, ...doubled, ...results.flatMap(describeLateness)],
    details: [
      "| what | times | longest without a payment, p50 | worst |",
      "| --- | --: | --: | --: |",
      ...allKinds.map((kind) =>
        formatRow(
          kind,
          results.filter((each) => each.kind === kind),
        ),
      ),
    ],
  };
}

function describeLateness({ kind, gapMs }: EventResult): readonly string[] {
  return gapMs <= limitMs(kind)
    ? []
    : [`${kind}: no payment for ${gapMs} ms, where ${limitMs(kind)} ms are allowed`];
}

function formatRow(kind: Kind, results: readonly EventResult[]): string {
  const inSeconds = (ms: readonly number[]): readonly string[] => {
    const sorted = ms.toSorted((a, b) => a - b);
    return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((each) =>
      each === undefined ? "" : `${(each / 1_000).toFixed(1)} s`,
    );
  };
  return `| ${[kind, results.length, ...inSeconds(results.map(({ gapMs }) => gapMs))].join(" | ")} |`;
}
