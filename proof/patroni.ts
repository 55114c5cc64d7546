import { execFileSync } from "node:child_process";
import { setTimeout as waitMs } from "node:timers/promises";
import { readEvidence } from "./evidence.ts";
import { startLoad, type Load } from "./load.ts";
import { readMoments, toldTooEarly } from "./moments.ts";
import { programs, startPatroniCluster, type PatroniCluster } from "./patroni-cluster.ts";
import { until } from "./postgres-server.ts";
import { runProof, type ProofAsked, type Shown } from "./run-proof.ts";
import { openTrial, type Trial } from "./trial.ts";

const kinds = ["PostgreSQL killed", "node killed", "node frozen, comes back"] as const;
type Kind = (typeof kinds)[number];

const paymentsPerSecond = 20;
const calmMs = 2_000;
/** Split-brain window: a leader that is thawed believes for a moment that it still leads. */
const comesBackForMs = 5_000;
const newLeaderWithinMs = 60_000;

/** The gateway behind HAProxy, on nodes under Patroni: failover is automatic. */
await runProof({
  name: "patroni",
  claim:
    "The leader of three nodes under Patroni is lost while merchants take payments: its PostgreSQL is killed, the whole " +
    "node is, or it freezes and comes back when another leads. All that anybody was told is there afterwards, and " +
    "payments are taken again without anybody's help.",
  triesDefault: 6,
  run,
});

interface Lost {
  readonly kind: Kind;
  readonly acceptedMs: number;
}

async function run({ tries, say }: ProofAsked): Promise<Shown> {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    say(`Install ${missing.join(", ")}: apt-get install patroni etcd-server python3-etcd haproxy`);
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
      const one = await loseTheLeader(trial, patroni, load, kinds[index % kinds.length] ?? kinds[0]);
      lost.push(one);
      say(`${one.kind}: first payment after ${one.acceptedMs} ms`);
    }
    await waitMs(calmMs);
    await load.stop();
    return await judge(trial, lost);
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

async function loseTheLeader(trial: Trial, patroni: PatroniCluster, load: Load, kind: Kind): Promise<Lost> {
  const leader = await patroni.leader();
  const lostAtMs = trial.nowMs();
  if (kind === "node frozen, comes back") patroni.freeze(leader);
  else patroni.kill(leader, kind === "node killed" ? "node" : "postgresql");
  const acceptedMs = Math.round((await load.firstAcceptedAfter(lostAtMs)) - lostAtMs);
  await until(async () => ![leader, ""].includes(await patroni.leader()), newLeaderWithinMs);
  if (kind === "node killed") patroni.revive(leader);
  if (kind === "node frozen, comes back") {
    patroni.thaw(leader);
    await waitMs(comesBackForMs);
  }
  await patroni.whole();
  return { kind, acceptedMs };
}

async function judge(trial: Trial, lost: readonly Lost[]): Promise<Shown> {
  const { cluster } = trial.installation;
  const untrue = [
    ...trial.untrue(await readEvidence(cluster)),
    ...toldTooEarly(trial.history, await readMoments(cluster), trial.startedAtEpochMs),
  ];
  const doubled = trial.doubled();
  const times = lost.map(({ acceptedMs }) => acceptedMs).sort((a, b) => a - b);
  return {
    figures: {
      failovers: lost.length,
      answers: trial.history.answers.length,
      notifications: trial.history.notifications.length,
      first_payment_min_ms: times[0] ?? 0,
      first_payment_median_ms: times[Math.floor(times.length / 2)] ?? 0,
      first_payment_max_ms: times.at(-1) ?? 0,
      lost: untrue.length,
      doubled: doubled.length,
    },
    misses: [...untrue, ...doubled],
    details: [
      "| leader | first payment after ms |",
      "| --- | --- |",
      ...lost.map(({ kind, acceptedMs }) => `| ${kind} | ${acceptedMs} |`),
    ],
  };
}
