import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import { database } from "../installation/installation.ts";
import type { Outage } from "./outage.ts";
import { requestRefund, makePayment } from "../trial/scenario.ts";
import { openTrial, payBody, type Trial } from "../trial/trial.ts";

const hourSeconds = 3_600;
/** Largest accepted delay of a job in ms: a job lease, one second, and the usual retry backoff. */
const delayedMsMax = 18_000;
const observedMs = 25_000;
const openForMs = 10 * 60_000;

/** The standby that is promoted has a clock skew of an hour, ahead or behind. */
export async function shiftDatabaseClock(logProgress: (line: string) => void): Promise<Outage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
  try {
    const library = compileShiftedClock(folder);
    const misses: string[] = [];
    const figures: Record<string, number | string> = {};
    for (const seconds of [hourSeconds, -hourSeconds]) {
      const name = seconds > 0 ? "an_hour_early" : "an_hour_late";
      const { retriedMs, wrong } = await failOverToShiftedClock({ library, seconds });
      figures[`next_try_after_ms_${name}`] = Math.round(retriedMs);
      misses.push(...wrong.map((each) => `${name.replaceAll("_", " ")}: ${each}`));
      logProgress(`${name.replaceAll("_", " ")}: ${wrong.length} wrong`);
    }
    return { name: "the database's own clock", figures, misses };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Compiles the library that shifts a server's clock. The server runs as another user, who must be able to enter its
 * folder.
 */
export function compileShiftedClock(folder: string): string {
  chmodSync(folder, 0o755);
  const library = join(folder, "shifted-clock.so");
  const source = fileURLToPath(new URL("../installation/shifted-clock.c", import.meta.url));
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
  return library;
}

interface ClockShiftOutcome {
  readonly retriedMs: number;
  readonly wrong: readonly string[];
}

async function failOverToShiftedClock(clock: {
  readonly library: string;
  readonly seconds: number;
}): Promise<ClockShiftOutcome> {
  const trial = await openTrial();
  try {
    const { cluster, merchants, control } = trial.installation;
    const [merchant] = merchants;
    if (!merchant) throw new Error("There are merchants.");
    await cluster.buildStandby(clock);
    const paid = await makePayment(trial, merchant, "paid-before");
    const openPaymentId = await requestPayment(trial, "left-open");
    // The refund's job retries after one or two seconds of backoff, by the database's clock.
    const match = { paymentId: paid.paymentId, verb: "refund" };
    await control("POST", "/control/faults", { kind: "refuse-connection", match, count: 1 });
    await requestRefund(trial, paid);
    await cluster.failOver();
    const failedOverAtMs = trial.nowMs();
    const retriedMs = (await waitForRefund(trial)) - failedOverAtMs;
    await waitMs(Math.max(0, observedMs - (trial.nowMs() - failedOverAtMs)));
    const wrong = await checkOperations(trial, { openPaymentId, retriedMs });
    return { retriedMs, wrong };
  } finally {
    await trial.stop();
  }
}

/** An unpaid order stays open for ten minutes, so one that is closed earlier was closed because of the wrong clock. */
function findEarlyClose({ installation }: Trial, paymentId: string): readonly string[] {
  const lines = installation.effects().filter((line) => line["paymentId"] === paymentId);
  return lines.some(({ kind }) => kind === "closed") ? ["an order was closed before its time"] : [];
}

async function requestPayment(trial: Trial, name: string): Promise<string> {
  const [merchant] = trial.installation.merchants;
  if (!merchant) throw new Error("There are merchants.");
  const paymentExpiryTime = `${new Date(Date.now() + openForMs).toISOString().slice(0, 19)}+00:00`;
  const body = { ...payBody(name, trial.notifyUrl), paymentExpiryTime };
  for (let tries = 0; tries < 40; tries += 1) {
    const answer = await trial.send(tries % 2, { verb: "pay", merchant, requestId: name, body });
    if (answer?.id !== undefined) return answer.id;
    await waitMs(500);
  }
  throw new Error(`${name} is not taken.`);
}

/**
 * `waitForRefund` returns the time at which the refund's row became final, or the end of the observation if it did not.
 */
async function waitForRefund({ installation: { cluster }, nowMs }: Trial): Promise<number> {
  for (const giveUpAtMs = nowMs() + observedMs; nowMs() < giveUpAtMs; await waitMs(250)) {
    const [row] = await cluster.execute<{ count: number }>(
      database,
      "select count(*)::int from refunds where status = 'SUCCESS'",
    );
    if (row?.count === 1) break;
  }
  return nowMs();
}

/**
 * Checks that the gateway has one of two outcomes. Either it accepts, completes and reports a new payment, and open
 * records stay unchanged. Or it accepts no payment, because it rejects merchants for the time in their requests or
 * providers reject the gateway for its time, and it raises an alert.
 */
async function checkOperations(
  trial: Trial,
  { openPaymentId, retriedMs }: { readonly openPaymentId: string; readonly retriedMs: number },
): Promise<readonly string[]> {
  const fromMs = trial.nowMs();
  const paymentId = await requestPayment(trial, "paid-afterwards").catch(() => undefined);
  if (paymentId === undefined) return checkRejections(trial, fromMs);
  if (retriedMs > delayedMsMax) return [`the next retry came after ${Math.round(retriedMs)} ms`];
  const earlyCloses = findEarlyClose(trial, openPaymentId);
  if (earlyCloses.length > 0) return earlyCloses;
  await trial.actAsBuyer(paymentId, "approve");
  const isNotified = (): boolean =>
    trial.history.notifications.some((webhook) => webhook.paymentId === paymentId);
  for (const giveUpAtMs = trial.nowMs() + delayedMsMax; trial.nowMs() < giveUpAtMs; await waitMs(100))
    if (isNotified()) return [];
  return ["a merchant is not notified of a payment"];
}

function checkRejections(trial: Trial, fromMs: number): readonly string[] {
  const resultCodes = countResultCodesSince(trial, fromMs);
  const withoutAlert = trial.installation
    .processes()
    .filter(({ name }) => /^(?:serve|work)/.test(name))
    .filter(({ alerts }) => !alerts.some((line) => line.includes("clock has jumped")))
    .map(({ name }) => `${name} has raised no alert`);
  return [
    ...(/^F PARAM_ILLEGAL \d+$/.test(resultCodes) ? [] : [`no payment is accepted any more: ${resultCodes}`]),
    ...withoutAlert,
  ];
}

/** Result codes that callers received, and their counts. */
function countResultCodesSince({ history }: Trial, fromMs: number): string {
  const responses = history.answers.filter(({ sentAtMs }) => sentAtMs >= fromMs);
  const counts = [
    ...Map.groupBy(responses, ({ resultStatus, resultCode }) => `${resultStatus} ${resultCode}`),
  ];
  return counts.map(([code, answers]) => `${code} ${answers.length}`).join(", ") || "nothing";
}
