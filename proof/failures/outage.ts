import { setTimeout as waitMs } from "node:timers/promises";
import { countForgotten, countUnfinished, readEvidence, skipNotificationGaps } from "../oracle/evidence.ts";
import type { Answer } from "../oracle/history.ts";
import { readMoments, toldTooEarly } from "./moments.ts";
import type { Trial } from "../trial/trial.ts";

/** The outcome of one kind of outage. */
export interface Outage {
  readonly name: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly misses: readonly string[];
}

export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Deadline of every response in ms, whatever part behind the gateway fails. */
export const answeredWithinMs = 11_000;

/**
 * Returns the violations during the outage: wrong results, money moved twice, responses after the deadline, and wrong
 * rejections.
 */
export async function brokenPromises(trial: Trial, window: Window): Promise<readonly string[]> {
  const { cluster } = trial.installation;
  const evidence = await readEvidence(cluster);
  const recorded = new Set(evidence.payments.map(({ paymentRequestId }) => paymentRequestId));
  const asked = within(trial, window);
  const late = asked.filter(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs > answeredWithinMs);
  const refused = asked.filter(({ verb, resultStatus }) => verb === "pay" && resultStatus === "F");
  return [
    ...trial.untrue(evidence),
    ...toldTooEarly(trial.history, await readMoments(cluster), trial.startedAtEpochMs),
    ...trial.doubled(),
    ...late.map(({ verb, requestId }) => `${requestId}: ${verb} was answered after the deadline`),
    ...refused
      .filter(({ requestId }) => recorded.has(requestId))
      .map(({ requestId, resultCode }) => `${requestId}: rejected with ${resultCode}, but recorded`),
  ];
}

const settledWithinMs = 30_000;

/**
 * Returns records that do not become final or have no job. It does not wait for unpaid payments, which expire only
 * minutes later.
 */
export async function leftBehind({ installation: { cluster }, nowMs }: Trial): Promise<readonly string[]> {
  const unsettled = async (): Promise<readonly [string, number][]> => {
    const { payments: _, ...others } = await countUnfinished(cluster);
    return Object.entries(others);
  };
  for (const giveUpAtMs = nowMs() + settledWithinMs; nowMs() < giveUpAtMs; await waitMs(250)) {
    await skipNotificationGaps(cluster);
    if ((await unsettled()).length === 0) break;
  }
  return [
    ...(await unsettled()).map(([what, count]) => `${count} ${what} are not final.`),
    ...Object.entries(await countForgotten(cluster)).map(([what, count]) => `${count} ${what} have no job.`),
  ];
}

/** `answersIn` returns the responses to calls that were sent between two moments. */
export function answersIn(
  trial: Trial,
  fromMs: number,
  untilMs: number,
): { readonly count: number; readonly slowestMs: number; readonly unanswered: number } {
  const asked = within(trial, { fromMs, untilMs });
  const slowestMs = Math.max(0, ...asked.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs));
  const gaveUpInTime = (atMs: number): boolean => atMs >= fromMs && atMs < untilMs + 2 * answeredWithinMs;
  const unanswered = trial.history.unansweredAtMs.filter(gaveUpInTime).length;
  return { count: asked.length, slowestMs: Math.round(slowestMs), unanswered };
}

function within({ history }: Trial, { fromMs, untilMs }: Window): readonly Answer[] {
  return history.answers.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs < untilMs);
}
