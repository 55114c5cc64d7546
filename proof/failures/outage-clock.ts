import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import { signatureFor } from "../../clients/typescript/src/signing.ts";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import type { Outage } from "./outage.ts";
import { newManagedProcess, type ManagedProcess } from "../installation/managed-process.ts";
import { openTrial, payBody, type Trial } from "../trial/trial.ts";

const hourMs = 3_600_000;
const toleranceMs = 3_000;
const expiresAfterMs = 6_000;
const shiftedClock = fileURLToPath(new URL("../installation/shifted-clock.ts", import.meta.url));

/** Clock skew: the processes run an hour ahead, then an hour behind, and all operations still work. */
export async function shiftProcessClocks(logProgress: (line: string) => void): Promise<Outage> {
  const trial = await openTrial();
  const processes: ManagedProcess[] = [];
  const killAll = (): void => processes.forEach((child) => child.killNow());
  process.once("exit", killAll);
  try {
    const { serves, works } = trial.installation;
    // Processes with a correct clock are stopped, so that processes with a wrong clock do all the work.
    await Promise.all([...serves, ...works].map((child) => child.kill()));
    const misses: string[] = [];
    if (Math.abs(measureShift(hourMs) - hourMs) > toleranceMs)
      throw new Error("The clock can not be shifted.");
    for (const shiftMs of [hourMs, -hourMs]) {
      const shiftedPort = await startShifted(trial, processes, shiftMs);
      misses.push(...(await checkOperations(trial, shiftedPort, shiftMs)));
      logProgress(`${shiftMs / hourMs} h: ${misses.length} wrong`);
    }
    return { name: "wrong clocks", figures: { shifts: "+1 h, -1 h", wrong_times: misses.length }, misses };
  } finally {
    process.off("exit", killAll);
    await Promise.all(processes.map((child) => child.kill()));
    await trial.stop();
  }
}

/** The clock skew that a process started with the preload sees. */
function measureShift(shiftMs: number): number {
  const env = { CLOCK_SHIFT_MS: String(shiftMs) };
  const args = ["--import", shiftedClock, "--print", "new Date().getTime()"];
  return Number(execFileSync(process.execPath, args, { env, encoding: "utf8" })) - Date.now();
}

/**
 * Starts a serving process and a worker with clock skew; returns the port of the first. The provider uses this port,
 * too.
 */
async function startShifted(trial: Trial, processes: ManagedProcess[], shiftMs: number): Promise<number> {
  await Promise.all(processes.map((child) => child.kill()));
  const port = await findFreePort();
  const { variables: installationVariables, proxies } = trial.installation;
  const clock = { CLOCK_SHIFT_MS: String(shiftMs) };
  const serveVariables = { ...installationVariables, ...clock, TOLLGATE_PORT: String(port) };
  const workVariables = {
    ...installationVariables,
    ...clock,
    TOLLGATE_DATABASE_URL: installationVariables["WORK_DATABASE_URL"] ?? "",
  };
  const args = (command: string): string[] => ["--import", shiftedClock, "server/src/main.ts", command];
  const serve = newManagedProcess({
    name: "shifted serve",
    args: args("serve"),
    variables: serveVariables,
    ready: /^Tollgate serves/,
  });
  const work = newManagedProcess({
    name: "shifted work",
    args: args("work"),
    variables: workVariables,
    ready: /^Tollgate works/,
  });
  processes.push(serve, work);
  await Promise.all([serve.start(), work.start()]);
  proxies.providerToServe.moveTo(port);
  return port;
}

async function checkOperations(trial: Trial, port: number, shiftMs: number): Promise<readonly string[]> {
  const misses: string[] = [];
  const name = `clock-${shiftMs}`;
  const expectNow = (field: string, reported: unknown): void => {
    const offMs = Math.abs(Date.parse(String(reported)) - Date.now());
    if (!(offMs < toleranceMs))
      misses.push(`${field} is ${String(reported)}, at ${new Date().toISOString()}`);
  };
  const expect = (field: string, actual: unknown, expected: unknown): void => {
    if (actual !== expected) misses.push(`${field} is ${String(actual)}, and not ${String(expected)}`);
  };
  // An overloaded machine sheds load, so requests are retried.
  const request = async (verb: string, body: object, offMs = 0): Promise<ParsedResponse> => {
    for (;;) {
      const actual = await sendRequest(trial, { port, verb, body, offMs });
      if (actual.result["resultCode"] !== "REQUEST_TRAFFIC_EXCEED_LIMIT") return actual;
      await waitMs(500);
    }
  };

  const paid = await request("pay", payBody(name, trial.notifyUrl));
  expect("pay", paid.result["resultCode"], "PAYMENT_IN_PROCESS");
  expectNow("response-time", paid.responseTime);
  expectNow("paymentCreateTime", paid.json["paymentCreateTime"]);
  await trial.actAsBuyer(String(paid.json["paymentId"]), "approve");
  await waitUntilNotified(trial, String(paid.json["paymentId"]), misses);
  const inquired = await request("inquiryPayment", { paymentRequestId: name });
  expect("paymentStatus", inquired.json["paymentStatus"], "SUCCESS");
  expectNow("paymentTime", inquired.json["paymentTime"]);
  const cancelled = await request("cancel", { paymentRequestId: `${name}-never` });
  expectNow("cancelTime", cancelled.json["cancelTime"]);
  // The gateway rejects a caller whose clock is as wrong as that of the process, because it uses the database's time.
  const skewed = await request("inquiryPayment", { paymentRequestId: name }, shiftMs);
  expect("a call an hour off", skewed.result["resultStatus"], "F");

  const expiring = {
    ...payBody(`${name}-left`, trial.notifyUrl),
    paymentExpiryTime: wireTime(Date.now() + expiresAfterMs),
  };
  await request("pay", expiring);
  await waitMs(expiresAfterMs / 2);
  const early = await request("inquiryPayment", { paymentRequestId: `${name}-left` });
  expect("a payment before its expiry", early.json["paymentStatus"], "PROCESSING");
  await waitMs(expiresAfterMs / 2 + 5_000);
  const late = await request("inquiryPayment", { paymentRequestId: `${name}-left` });
  expect("a payment after its expiry", late.json["paymentStatus"], "FAIL");
  return misses;
}

/** The merchant is notified at once, and not an hour later. */
async function waitUntilNotified(
  { history, nowMs }: Trial,
  paymentId: string,
  misses: string[],
): Promise<void> {
  const giveUpAtMs = nowMs() + 2 * toleranceMs;
  while (nowMs() < giveUpAtMs) {
    if (history.notifications.some((webhook) => webhook.paymentId === paymentId)) return;
    await waitMs(50);
  }
  misses.push(`${paymentId}: the merchant was not notified`);
}

interface ParsedResponse {
  readonly json: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
  readonly responseTime: string;
}

async function sendRequest(
  { installation }: Trial,
  {
    port,
    verb,
    body,
    offMs,
  }: { readonly port: number; readonly verb: string; readonly body: object; readonly offMs: number },
): Promise<ParsedResponse> {
  const { privateKey, merchants } = installation;
  const { clientId = "", keyVersion = 1 } = merchants[0] ?? {};
  const path = `/ams/sandbox/api/v1/payments/${verb}`;
  const text = JSON.stringify(body);
  const time = String(Date.now() + offMs);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": time,
      signature: signatureFor({ path, clientId, time, body: text }, privateKey, keyVersion),
    },
    body: text,
  });
  const json = (await response.json()) as Record<string, unknown>;
  const result = (json["result"] ?? {}) as Record<string, unknown>;
  return { json, result, responseTime: response.headers.get("response-time") ?? "" };
}

/** Timestamps of the interface have no fractions of a second. */
function wireTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, "+00:00");
}
