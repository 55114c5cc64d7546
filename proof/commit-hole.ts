import { setTimeout as waitMs } from "node:timers/promises";
import { readDatabaseState, type DatabaseState } from "./oracle/database-state.ts";
import {
  kinds,
  keepPolling,
  prepareAttempt,
  startEarlyRequest,
  startLateRequest,
  startTraffic,
  type CommitAttempt,
} from "./failures/commit-attempts.ts";
import { database } from "./installation/installation.ts";
import { execute, type PostgresServer } from "./installation/postgres-server.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";
import { openTrial, type Trial } from "./trial/trial.ts";
import { countWithoutBinding, countWithoutCheck } from "./failures/negative-controls.ts";

const triesPerRound = 20;
/**
 * Milliseconds after the start of the early requests. By then their first commits are durable, and the provider has not
 * responded yet.
 */
const claimedWithinMs = 500;
const interruptForMs = 4_000;
const afterRestartMs = 2_500;
const healsWithinMs = 20_000;
/** Concurrent inquiries for each try. The first one's mark waits for the standby, and the others for the next mark. */
const inquiriesAtOnce = 4;
/**
 * Milliseconds after the start of the inquiries. By then they have read from the primary, and wait for their
 * confirmation.
 */
const readWithinMs = 250;
/**
 * The longest freeze that tests something. A confirmation times out 3 s after its read, and needs a part of this time
 * itself.
 */
const frozenMsMax = 1_500;

/*
 * The gap in PostgreSQL's synchronous commit: a commit whose wait for the standby is cancelled becomes visible, and is
 * lost when the standby is promoted. This proof cancels hundreds of waits while merchants poll the outcome.
 */
await runProof({
  name: "commit-hole",
  claim:
    "A commit that waits for the standby is interrupted, by a cancel, by the end of its process, or by a restart of the " +
    "primary. PostgreSQL makes it visible nevertheless. No merchant is notified of it, not by a response, a repeat to the other process, " +
    "an inquiry or a webhook, unless it still exists after the primary is lost and the standby is promoted. This " +
    "also holds for inquiries that have read from the primary and are frozen before their confirmation, until the " +
    "standby is promoted.",
  triesDefault: 200,
  run,
});

interface Round {
  readonly tries: number;
  readonly standby: "frozen" | "cut off";
  readonly cutCommits: number;
  /** Number of rows that clients could read on the old primary and that are missing on the new one. */
  readonly shownThenGone: number;
  /**
   * Inquiries that were frozen between their read and their confirmation, and continued in time after the promotion.
   */
  readonly frozenInquiries: number;
  readonly frozenMs: number;
  readonly contradictions: readonly string[];
}

async function run({ tries, args, logProgress }: ProofOptions): Promise<ProofResult> {
  // With the word `only`, the program is a negative control: a copy of the gateway without one protection, which only
  // runs the rounds.
  const isControl = args.includes("only");
  const negativeControl = isControl ? Promise.resolve(undefined) : countWithoutCheck(logProgress);
  negativeControl.catch(() => undefined);
  const trial = await openTrial();
  const traffic = startTraffic(trial);
  const rounds: Round[] = [];
  let doubled: readonly string[];
  let finalContradictions: readonly string[];
  try {
    for (let done = 0; done < tries; done += triesPerRound) {
      const standby = rounds.length % 2 === 0 ? "cut off" : "frozen";
      const round = await runRound(trial, standby, {
        first: done,
        count: Math.min(triesPerRound, tries - done),
      });
      rounds.push(round);
      logProgress(
        `standby ${standby}: ${round.cutCommits} commits cut, ${round.shownThenGone} rows visible and then lost, ` +
          `${round.frozenInquiries} inquiries frozen for ${round.frozenMs} ms`,
      );
    }
    await traffic.stop();
    await waitMs(Math.min(healsWithinMs, 150 * tries));
    // The processes are frozen again, because a running gateway would change rows while the proof reads the tables one
    // after the other.
    for (const child of [...trial.installation.serves, ...trial.installation.works]) child.freeze();
    finalContradictions = trial.findContradictions(await readDatabaseState(trial.installation.cluster));
    doubled = trial.findDuplicates();
  } finally {
    await trial.stop();
  }
  const requests = trial.history.answers.length + trial.history.unansweredAtMs.length;
  const load = { requests, payments_of_other_buyers: traffic.acceptedCount() };
  const withoutCheck = await negativeControl;
  // Negative controls count the wrong answers of gateway copies that each lack one protection. The control without the
  // binding needs a fast failover, so it runs alone, and only in full size.
  const withoutBinding =
    isControl || tries <= triesPerRound ? undefined : await countWithoutBinding(logProgress);
  const unprotected = {
    ...(withoutCheck !== undefined && { false_success_without_the_check: withoutCheck }),
    ...(withoutBinding !== undefined && { false_success_without_the_binding: withoutBinding }),
  };
  return buildResult(rounds, load, [...finalContradictions, ...doubled], unprotected);
}

function buildResult(
  rounds: readonly Round[],
  load: Readonly<Record<string, number>>,
  misses: readonly string[],
  unprotected: Readonly<Record<string, number>>,
): ProofResult {
  const sum = (readValue: (round: Round) => number): number =>
    rounds.reduce((total, round) => total + readValue(round), 0);
  const contradictions = rounds.flatMap((round) => round.contradictions);
  const lostRows = sum((round) => round.shownThenGone);
  const nothingLost = lostRows === 0 ? ["No visible row was lost, so the proof tested nothing."] : [];
  const frozen = sum((round) => round.frozenInquiries);
  // A single round on a busy machine may be too slow to continue an inquiry in time, so it is not a failure.
  const notFrozen =
    frozen === 0 && rounds.length > 1
      ? [`No inquiry continued within ${frozenMsMax} ms of its read: this machine is too slow or too busy.`]
      : [];
  const ineffectiveControls = Object.entries(unprotected)
    .filter(([, wrong]) => wrong === 0)
    .map(([figure]) => `${figure} is 0: this proof cannot fail.`);
  return {
    figures: {
      tries: sum((round) => round.tries),
      ...load,
      cancelled_commits: sum((round) => round.cutCommits),
      shown_then_gone: lostRows,
      frozen_inquiries: frozen,
      false_success: contradictions.length,
      ...unprotected,
    },
    misses: [...contradictions, ...misses, ...nothingLost, ...notFrozen, ...ineffectiveControls],
  };
}

async function runRound(
  trial: Trial,
  standbyFault: Round["standby"],
  { first, count }: { readonly first: number; readonly count: number },
): Promise<Round> {
  const { cluster, serves, processes } = trial.installation;
  const standby = cluster.standby();
  if (!standby) throw new Error("There is no standby to lose.");
  const tries = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const kind = kinds[index % kinds.length] ?? "settle";
      return prepareAttempt(trial, kind, `hole-${first + index}`);
    }),
  );
  const cutCommits = await interruptWhilePolling(trial, tries, standby, standbyFault);
  if (standbyFault === "frozen") await resetStandby(standby);
  const visible = await readDatabaseState(cluster);
  const standbyState = await readStandbyState(trial, standby);
  const startedAtMs = performance.now();
  const inquiries = await sendInquiries(trial, tries);

  // All processes are frozen from here on, so that the comparison sees the state that the failover left.
  for (const child of processes()) child.freeze();
  const unanswered = inquiries.unanswered();
  let frozenMs = 0;
  const resumeServing = (): void => {
    frozenMs = Math.round(performance.now() - startedAtMs);
    for (const child of serves) child.thaw();
  };
  await cluster.failOver({ onMoved: resumeServing });
  await inquiries.completed;
  const contradictions = await contradictionsAfterFailover(trial, standbyState);
  for (const child of processes()) child.thaw();
  await cluster.buildStandby();
  const lostRows = { shownThenGone: countLostRows(visible, standbyState.databaseState) };
  const frozen = { frozenMs, frozenInquiries: frozenMs <= frozenMsMax ? unanswered : 0 };
  return { tries: tries.length, standby: standbyFault, cutCommits, ...lostRows, ...frozen, contradictions };
}

interface Inquiries {
  unanswered(): number;
  readonly completed: Promise<unknown>;
}

async function sendInquiries(trial: Trial, tries: readonly CommitAttempt[]): Promise<Inquiries> {
  let unanswered = 0;
  const requests = tries.flatMap(({ inquiry }) =>
    Array.from({ length: inquiriesAtOnce }, async (_, index) => {
      unanswered += 1;
      await trial.send(index % 2, inquiry);
      unanswered -= 1;
    }),
  );
  await waitMs(readWithinMs);
  return { unanswered: () => unanswered, completed: Promise.all(requests) };
}

/** The state that a failover leaves, and the earlier answers that contradict it. */
interface StandbyState {
  readonly databaseState: DatabaseState;
  readonly contradictions: readonly string[];
}

/** Both kinds of standby can be read before the promotion, because they receive no more WAL. */
async function readStandbyState(trial: Trial, standby: PostgresServer): Promise<StandbyState> {
  const databaseState = await readDatabaseState(standby);
  return { databaseState, contradictions: trial.findContradictions(databaseState) };
}

/**
 * Judges the answers after the failover as well. Workers and providers are still frozen, but a callback that arrived
 * before may settle a payment on the new primary, and an inquiry may read it. So such an answer is wrong only if it
 * contradicts both the rows before it and the rows after it.
 */
async function contradictionsAfterFailover(
  trial: Trial,
  standbyState: StandbyState,
): Promise<readonly string[]> {
  const { cluster, serves } = trial.installation;
  for (const child of serves) child.freeze();
  const after = new Set([
    ...standbyState.contradictions,
    ...trial.findContradictions(await readDatabaseState(cluster)),
  ]);
  return trial.findContradictions(standbyState.databaseState).filter((attempt) => after.has(attempt));
}

/** Interrupts commits while merchants poll; returns the number of interrupted commits. */
async function interruptWhilePolling(
  trial: Trial,
  tries: readonly CommitAttempt[],
  standby: PostgresServer,
  standbyFault: Round["standby"],
): Promise<number> {
  const { cluster } = trial.installation;
  const earlyRequests = tries.map((attempt) => startEarlyRequest(trial, attempt));
  await waitMs(claimedWithinMs);
  await stopReplication(standby, standbyFault);
  const lateRequests = tries.map((attempt) => startLateRequest(trial, attempt));

  let isActive = true;
  let interrupts = true;
  const polling = tries.map((attempt) => keepPolling(trial, attempt, () => isActive));
  const interrupting = interruptCommits(trial, () => interrupts);
  await waitMs(interruptForMs);
  await cluster.killPrimary();
  await cluster.restartPrimary();
  await waitMs(afterRestartMs);
  isActive = false;
  await Promise.all([...polling, ...earlyRequests, ...lateRequests]);
  interrupts = false;
  return interrupting;
}

/**
 * `stopReplication` removes the standby's connection setting. A frozen standby reads the setting when it restarts; a
 * disconnected standby keeps running.
 */
async function stopReplication(standby: PostgresServer, standbyFault: Round["standby"]): Promise<void> {
  await standby.execute("postgres", "alter system set primary_conninfo = ''");
  if (standbyFault === "frozen") await standby.freeze();
  else await standby.execute("postgres", "select pg_reload_conf()");
}

/**
 * Kills a frozen standby and restarts it without replication, like a machine reset, so that it can not read the rest of
 * its socket. This happens before the inquiries, because a restart takes longer than a confirmation waits.
 */
async function resetStandby(standby: PostgresServer): Promise<void> {
  await standby.kill();
  await standby.start();
}

/** Cancels or terminates backends that wait for the standby, at random; returns their number. */
async function interruptCommits(trial: Trial, isActive: () => boolean): Promise<number> {
  const { cluster } = trial.installation;
  let interrupted = 0;
  while (isActive()) {
    await waitMs(trial.random.between(50, 250));
    const verb = trial.random.chance(0.75) ? "pg_cancel_backend" : "pg_terminate_backend";
    const rows = await execute<{ cut: boolean }>(
      cluster.primaryUrl(database),
      `select ${verb}(pid) as cut from pg_stat_activity where wait_event = 'SyncRep' and random() < 0.4`,
    ).catch(() => []);
    interrupted += rows.filter((row) => row.cut).length;
  }
  return interrupted;
}

function countLostRows(visible: DatabaseState, standbyState: DatabaseState): number {
  const keysOf = ({ payments, refunds, reversals }: DatabaseState): readonly string[] => [
    ...payments.map(({ paymentId, status }) => `${paymentId} ${status}`),
    ...[...refunds, ...reversals].map(({ id, status }) => `${id} ${status}`),
  ];
  const remaining = new Set(keysOf(standbyState));
  return keysOf(visible).filter((key) => !remaining.has(key)).length;
}
