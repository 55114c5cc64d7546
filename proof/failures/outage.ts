import { setTimeout as waitMs } from "node:timers/promises";
import {
  countWithoutJob,
  countUnfinished,
  readDatabaseState,
  skipLongWaits,
} from "../oracle/database-state.ts";
import type { Answer } from "../oracle/history.ts";
import { readFinalTimes, findPrematureReports } from "./final-times.ts";
import type { Trial } from "../trial/trial.ts";

/** The outcome of one kind of outage. */
export interface Outage {
  readonly name: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly misses: readonly string[];
}

export interface TimeWindow {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Deadline of every response in ms, whatever part behind the gateway fails. */
export const answeredWithinMs = 11_000;

/**
 * Returns the violations during the outage: wrong results, money moved twice, responses after the deadline, and wrong
 * rejections.
 */
export async function findOutageViolations(trial: Trial, window: TimeWindow): Promise<readonly string[]> {
  const { cluster } = trial.installation;
  const databaseState = await readDatabaseState(cluster);
  const recorded = new Set(databaseState.payments.map(({ paymentRequestId }) => paymentRequestId));
  const responses = responsesIn(trial, window);
  const late = responses.filter(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs > answeredWithinMs);
  const rejected = responses.filter(({ verb, resultStatus }) => verb === "pay" && resultStatus === "F");
  return [
    ...trial.findContradictions(databaseState),
    ...findPrematureReports(trial.history, await readFinalTimes(cluster), trial.startedAtEpochMs),
    ...trial.findDuplicates(),
    ...late.map(({ verb, requestId }) => `${requestId}: ${verb} was answered after the deadline`),
    ...rejected
      .filter(({ requestId }) => recorded.has(requestId))
      .map(({ requestId, resultCode }) => `${requestId}: rejected with ${resultCode}, but recorded`),
  ];
}

const settledWithinMs = 30_000;

/**
 * Returns records that do not become final or have no job. It does not wait for unpaid payments, which expire only
 * minutes later.
 */
export async function findStuckRecords({
  installation: { cluster },
  nowMs,
}: Trial): Promise<readonly string[]> {
  const unsettled = async (): Promise<readonly [string, number][]> => {
    const { payments: _, ...others } = await countUnfinished(cluster);
    return Object.entries(others);
  };
  for (const giveUpAtMs = nowMs() + settledWithinMs; nowMs() < giveUpAtMs; await waitMs(250)) {
    await skipLongWaits(cluster);
    if ((await unsettled()).length === 0) break;
  }
  return [
    ...(await unsettled()).map(([description, count]) => `${count} ${description} are not final.`),
    ...Object.entries(await countWithoutJob(cluster)).map(
      ([description, count]) => `${count} ${description} have no job.`,
    ),
  ];
}

/** `summarizeResponses` returns the responses to calls that were sent between two moments. */
export function summarizeResponses(
  trial: Trial,
  fromMs: number,
  untilMs: number,
): { readonly count: number; readonly slowestMs: number; readonly unanswered: number } {
  const responses = responsesIn(trial, { fromMs, untilMs });
  const slowestMs = Math.max(0, ...responses.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs));
  const isInWindow = (atMs: number): boolean => atMs >= fromMs && atMs < untilMs + 2 * answeredWithinMs;
  const unanswered = trial.history.unansweredAtMs.filter(isInWindow).length;
  return { count: responses.length, slowestMs: Math.round(slowestMs), unanswered };
}

function responsesIn({ history }: Trial, { fromMs, untilMs }: TimeWindow): readonly Answer[] {
  return history.answers.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs < untilMs);
}
