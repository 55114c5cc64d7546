import { setTimeout as waitMs } from "node:timers/promises";
import { readEvidence, type Evidence } from "./evidence.ts";
import type { Cluster } from "./cluster.ts";
import { kinds, keepAsking, prepareTry, startEarly, startLate, type Try } from "./commit-hole-tries.ts";
import { database } from "./installation.ts";
import { execute, type PostgresServer } from "./postgres-server.ts";
import { runProof, type ProofAsked, type Shown } from "./run-proof.ts";
import { openTrial, type Trial } from "./trial.ts";
import { countWithoutBinding, countWithoutCheck } from "./without-check.ts";

const triesPerRound = 20;
/** The first commits of the early requests are durable by then, and the wallet has not answered. */
const claimedWithinMs = 500;
const meddleForMs = 4_000;
const afterRestartMs = 2_500;
const healsWithinMs = 20_000;
/** Inquiries at once for each try. The first one's mark waits for the standby, and the others for the next mark. */
const inquiriesAtOnce = 4;
/** By then the inquiries have read from the primary, and wait for their confirmation. */
const readWithinMs = 250;
/** A confirmation gives up 3 s after its read, and needs part of that itself. An inquiry frozen for longer finds no hole. */
const frozenMsMax = 1_500;

/*
 * The hole in synchronous commit: a commit whose wait for the standby is cancelled becomes visible, and is
 * gone when the standby takes over. Here waits are cancelled by the hundred, while merchants poll the
 * outcome.
 */
await runProof({
  name: "commit-hole",
  claim:
    "A commit that waits for the standby is cut short, by a cancel, by the end of its process, or by a restart of the " +
    "primary. PostgreSQL shows it all the same. Nobody is told of it, not by an answer, a repeat to the other process, " +
    "an inquiry or a notification, unless it is still there when the primary is lost and the standby is promoted. That " +
    "also holds for inquiries that have read from the primary and are frozen before their confirmation, until the " +
    "standby is promoted.",
  triesDefault: 200,
  run,
});

interface Round {
  readonly tries: number;
  readonly standby: "frozen" | "cut off";
  readonly cutCommits: number;
  /** Rows that were visible on the old primary and are missing on the new one. */
  readonly shownThenGone: number;
  /** Inquiries that were frozen between their read and their confirmation, and went on in time after the promotion. */
  readonly frozenInquiries: number;
  readonly frozenMs: number;
  readonly untrue: readonly string[];
}

async function run({ tries, words, say }: ProofAsked): Promise<Shown> {
  // The copy without the check only runs the rounds.
  const counting = words.includes("only") ? Promise.resolve({}) : countUnprotected(tries, say);
  counting.catch(() => undefined);
  const trial = await openTrial();
  const rounds: Round[] = [];
  let doubled: readonly string[];
  let untrueAtLast: readonly string[];
  try {
    for (let done = 0; done < tries; done += triesPerRound) {
      const standby = rounds.length % 2 === 0 ? "cut off" : "frozen";
      const round = await runRound(trial, standby, {
        first: done,
        count: Math.min(triesPerRound, tries - done),
      });
      rounds.push(round);
      say(
        `standby ${standby}: ${round.cutCommits} commits cut, ${round.shownThenGone} rows shown and then gone, ` +
          `${round.frozenInquiries} inquiries frozen for ${round.frozenMs} ms`,
      );
    }
    await waitMs(Math.min(healsWithinMs, 150 * tries));
    // Frozen again: a running gateway settles and tells while the tables are read, one after the other.
    for (const part of [...trial.installation.serves, ...trial.installation.works]) part.freeze();
    untrueAtLast = trial.untrue(await readEvidence(trial.installation.cluster));
    doubled = trial.doubled();
  } finally {
    await trial.stop();
  }
  return shownBy(rounds, [...untrueAtLast, ...doubled], await counting);
}

/** Negative controls: the wrong answers of copies that lack one protection each. The second runs in full size only. */
async function countUnprotected(
  tries: number,
  say: (line: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const withoutCheck = { false_success_without_the_check: await countWithoutCheck(say) };
  if (tries <= triesPerRound) return withoutCheck;
  return { ...withoutCheck, false_success_without_the_binding: await countWithoutBinding(say) };
}

function shownBy(
  rounds: readonly Round[],
  misses: readonly string[],
  unprotected: Readonly<Record<string, number>>,
): Shown {
  const sum = (read: (round: Round) => number): number =>
    rounds.reduce((total, round) => total + read(round), 0);
  const untrue = rounds.flatMap((round) => round.untrue);
  const gone = sum((round) => round.shownThenGone);
  const noTrap = gone === 0 ? ["Nothing that was shown is gone: the trap was not set."] : [];
  const frozen = sum((round) => round.frozenInquiries);
  // One round on a busy machine may be too slow for it.
  const notFrozen =
    frozen === 0 && rounds.length > 1
      ? [`No inquiry went on within ${frozenMsMax} ms of its read: this machine is too slow or too busy.`]
      : [];
  const noTeeth = Object.entries(unprotected)
    .filter(([, wrong]) => wrong === 0)
    .map(([figure]) => `${figure} is 0: this proof cannot fail.`);
  return {
    figures: {
      tries: sum((round) => round.tries),
      cancelled_commits: sum((round) => round.cutCommits),
      shown_then_gone: gone,
      frozen_inquiries: frozen,
      false_success: untrue.length,
      ...unprotected,
    },
    misses: [...untrue, ...misses, ...noTrap, ...notFrozen, ...noTeeth],
  };
}

async function runRound(
  trial: Trial,
  how: Round["standby"],
  { first, count }: { readonly first: number; readonly count: number },
): Promise<Round> {
  const { cluster, serves, parts } = trial.installation;
  const standby = cluster.standby();
  if (!standby) throw new Error("There is no standby to lose.");
  const tries = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const kind = kinds[index % kinds.length] ?? "settle";
      return prepareTry(trial, kind, `hole-${first + index}`);
    }),
  );
  const cutCommits = await cutWhileAsking(trial, tries, standby, how);
  const shown = await readEvidence(cluster);
  const before = how === "cut off" ? await leftOn(trial, standby) : undefined;
  const startedAtMs = performance.now();
  const inquiries = await startInquiries(trial, tries);

  // All processes are frozen from here on, so that the comparison shows the state that the failover left.
  for (const part of parts()) part.freeze();
  const unanswered = inquiries.unanswered();
  let frozenMs = 0;
  const goOn = (): void => {
    frozenMs ||= Math.round(performance.now() - startedAtMs);
    for (const part of serves) part.thaw();
  };
  await loseThePrimary(trial, standby, how, before && goOn);
  const left = before ?? (await leftOn(trial, cluster));
  goOn();
  await inquiries.answered;
  const untrue = await untrueAcross(trial, left);
  for (const part of parts()) part.thaw();
  await cluster.buildStandby();
  const gone = { shownThenGone: countGone(shown, left.evidence) };
  const frozen = { frozenMs, frozenInquiries: frozenMs <= frozenMsMax ? unanswered : 0 };
  return { tries: tries.length, standby: how, cutCommits, ...gone, ...frozen, untrue };
}

interface Inquiries {
  unanswered(): number;
  readonly answered: Promise<unknown>;
}

async function startInquiries(trial: Trial, tries: readonly Try[]): Promise<Inquiries> {
  let unanswered = 0;
  const asked = tries.flatMap(({ inquiry }) =>
    Array.from({ length: inquiriesAtOnce }, async (_, index) => {
      unanswered += 1;
      await trial.ask(index % 2, inquiry);
      unanswered -= 1;
    }),
  );
  await waitMs(readWithinMs);
  return { unanswered: () => unanswered, answered: Promise.all(asked) };
}

/** The state that a failover leaves, and the earlier answers that it contradicts. */
interface Left {
  readonly evidence: Evidence;
  readonly untrue: readonly string[];
}

/** A standby that is cut off can be read before it is promoted: nothing reaches it any more. */
async function leftOn(trial: Trial, server: Pick<Cluster, "execute">): Promise<Left> {
  const evidence = await readEvidence(server);
  return { evidence, untrue: trial.untrue(evidence) };
}

/**
 * Judges the answers that came after the failover as well. Workers and wallets are still frozen, but a callback that had
 * arrived before may settle a payment on the new primary, and an inquiry may read that. So such an answer is wrong only
 * if the rows before it and the rows after it contradict it.
 */
async function untrueAcross(trial: Trial, left: Left): Promise<readonly string[]> {
  const { cluster, serves } = trial.installation;
  for (const part of serves) part.freeze();
  const after = new Set([...left.untrue, ...trial.untrue(await readEvidence(cluster))]);
  return trial.untrue(left.evidence).filter((each) => after.has(each));
}

/** Interrupts commits while merchants ask; gives how many were interrupted. */
async function cutWhileAsking(
  trial: Trial,
  tries: readonly Try[],
  standby: PostgresServer,
  how: Round["standby"],
): Promise<number> {
  const { cluster } = trial.installation;
  const early = tries.map((each) => startEarly(trial, each));
  await waitMs(claimedWithinMs);
  await (how === "frozen" ? standby.freeze() : cutOff(standby));
  const late = tries.map((each) => startLate(trial, each));

  let goesOn = true;
  let meddles = true;
  const asking = tries.map((each) => keepAsking(trial, each, () => goesOn));
  const meddling = meddle(trial, () => meddles);
  await waitMs(meddleForMs);
  await cluster.killPrimary();
  await cluster.restartPrimary();
  await waitMs(afterRestartMs);
  goesOn = false;
  await Promise.all([...asking, ...early, ...late]);
  meddles = false;
  return meddling;
}

/** Stops replication; the standby itself runs on. */
async function cutOff(standby: PostgresServer): Promise<void> {
  await standby.execute("postgres", "alter system set primary_conninfo = ''");
  await standby.execute("postgres", "select pg_reload_conf()");
}

/** Cancels or terminates backends that wait for the standby, at random; gives how many. */
async function meddle(trial: Trial, goesOn: () => boolean): Promise<number> {
  const { cluster } = trial.installation;
  let cut = 0;
  while (goesOn()) {
    await waitMs(trial.random.between(50, 250));
    const verb = trial.random.chance(0.75) ? "pg_cancel_backend" : "pg_terminate_backend";
    const rows = await execute<{ cut: boolean }>(
      cluster.primaryUrl(database),
      `select ${verb}(pid) as cut from pg_stat_activity where wait_event = 'SyncRep' and random() < 0.4`,
    ).catch(() => []);
    cut += rows.filter((row) => row.cut).length;
  }
  return cut;
}

/**
 * A frozen standby is killed and restarted, as a machine would be reset: it must not read what is still in
 * its socket.
 */
async function loseThePrimary(
  trial: Trial,
  standby: PostgresServer,
  how: Round["standby"],
  onMoved?: () => void,
): Promise<void> {
  const { cluster } = trial.installation;
  if (how === "frozen") {
    await cluster.killPrimary();
    await standby.kill();
    await standby.start();
  }
  await cluster.failOver({ onMoved });
}

function countGone(shown: Evidence, left: Evidence): number {
  const keysOf = ({ payments, refunds, reversals }: Evidence): readonly string[] => [
    ...payments.map(({ paymentId, status }) => `${paymentId} ${status}`),
    ...[...refunds, ...reversals].map(({ id, status }) => `${id} ${status}`),
  ];
  const there = new Set(keysOf(left));
  return keysOf(shown).filter((key) => !there.has(key)).length;
}
