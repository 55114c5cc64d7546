import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import { signatureFor } from "../../clients/typescript/src/signing.ts";
import { freePort } from "../../server/src/postgres/temporary-postgres.ts";
import type { Outage } from "./outage.ts";
import { newPart, type Part } from "../installation/part.ts";
import { openTrial, payBody, type Trial } from "../trial/trial.ts";

const hourMs = 3_600_000;
const toleranceMs = 3_000;
const expiresAfterMs = 6_000;
const shiftedClock = fileURLToPath(new URL("../installation/shifted-clock.ts", import.meta.url));

/** Clock skew: the processes run an hour ahead, then an hour behind, and all operations still work. */
export async function turnTheClocks(say: (line: string) => void): Promise<Outage> {
  const trial = await openTrial();
  const parts: Part[] = [];
  const killAll = (): void => parts.forEach((part) => part.killNow());
  process.once("exit", killAll);
  try {
    const { serves, works } = trial.installation;
    // Processes with a correct clock are stopped, so that processes with a wrong clock do all the work.
    await Promise.all([...serves, ...works].map((part) => part.kill()));
    const misses: string[] = [];
    if (Math.abs(shiftSeen(hourMs) - hourMs) > toleranceMs) throw new Error("The clock can not be shifted.");
    for (const shiftMs of [hourMs, -hourMs]) {
      const till = await startShifted(trial, parts, shiftMs);
      misses.push(...(await businessOn(trial, till, shiftMs)));
      say(`${shiftMs / hourMs} h: ${misses.length} wrong`);
    }
    return { name: "wrong clocks", figures: { shifts: "+1 h, -1 h", wrong_times: misses.length }, misses };
  } finally {
    process.off("exit", killAll);
    await Promise.all(parts.map((part) => part.kill()));
    await trial.stop();
  }
}

/** The clock skew that a process started with the preload sees. */
function shiftSeen(shiftMs: number): number {
  const env = { CLOCK_SHIFT_MS: String(shiftMs) };
  const words = ["--import", shiftedClock, "--print", "new Date().getTime()"];
  return Number(execFileSync(process.execPath, words, { env, encoding: "utf8" })) - Date.now();
}

/**
 * Starts a serving process and a worker with clock skew; returns the port of the first. The provider uses this port,
 * too.
 */
async function startShifted(trial: Trial, parts: Part[], shiftMs: number): Promise<number> {
  await Promise.all(parts.map((part) => part.kill()));
  const port = await freePort();
  const { variables: given, lines } = trial.installation;
  const clock = { CLOCK_SHIFT_MS: String(shiftMs) };
  const serving = { ...given, ...clock, TOLLGATE_PORT: String(port) };
  const working = { ...given, ...clock, TOLLGATE_DATABASE_URL: given["WORK_DATABASE_URL"] ?? "" };
  const words = (command: string): string[] => ["--import", shiftedClock, "server/src/main.ts", command];
  const serve = newPart({
    name: "shifted serve",
    words: words("serve"),
    variables: serving,
    ready: /^Tollgate serves/,
  });
  const work = newPart({
    name: "shifted work",
    words: words("work"),
    variables: working,
    ready: /^Tollgate works/,
  });
  parts.push(serve, work);
  await Promise.all([serve.start(), work.start()]);
  lines.providerToServe.moveTo(port);
  return port;
}

async function businessOn(trial: Trial, port: number, shiftMs: number): Promise<readonly string[]> {
  const misses: string[] = [];
  const name = `clock-${shiftMs}`;
  const isNow = (what: string, told: unknown): void => {
    const offMs = Math.abs(Date.parse(String(told)) - Date.now());
    if (!(offMs < toleranceMs)) misses.push(`${what} is ${String(told)}, at ${new Date().toISOString()}`);
  };
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (got !== wanted) misses.push(`${what} is ${String(got)}, and not ${String(wanted)}`);
  };
  // An overloaded machine sheds load, so requests are retried.
  const ask = async (verb: string, body: object, offMs = 0): Promise<Got> => {
    for (;;) {
      const got = await askRaw(trial, { port, verb, body, offMs });
      if (got.result["resultCode"] !== "REQUEST_TRAFFIC_EXCEED_LIMIT") return got;
      await waitMs(500);
    }
  };

  const paid = await ask("pay", payBody(name, trial.notifyUrl));
  expect("pay", paid.result["resultCode"], "PAYMENT_IN_PROCESS");
  isNow("response-time", paid.responseTime);
  isNow("paymentCreateTime", paid.json["paymentCreateTime"]);
  await trial.buyer(String(paid.json["paymentId"]), "approve");
  await untilTold(trial, String(paid.json["paymentId"]), misses);
  const asked = await ask("inquiryPayment", { paymentRequestId: name });
  expect("paymentStatus", asked.json["paymentStatus"], "SUCCESS");
  isNow("paymentTime", asked.json["paymentTime"]);
  const cancelled = await ask("cancel", { paymentRequestId: `${name}-never` });
  isNow("cancelTime", cancelled.json["cancelTime"]);
  // The gateway rejects a caller whose clock is as wrong as that of the process, because it uses the database's time.
  const wrong = await ask("inquiryPayment", { paymentRequestId: name }, shiftMs);
  expect("a call an hour off", wrong.result["resultStatus"], "F");

  const expiring = {
    ...payBody(`${name}-left`, trial.notifyUrl),
    paymentExpiryTime: wireTime(Date.now() + expiresAfterMs),
  };
  await ask("pay", expiring);
  await waitMs(expiresAfterMs / 2);
  const early = await ask("inquiryPayment", { paymentRequestId: `${name}-left` });
  expect("a payment before its expiry", early.json["paymentStatus"], "PROCESSING");
  await waitMs(expiresAfterMs / 2 + 5_000);
  const late = await ask("inquiryPayment", { paymentRequestId: `${name}-left` });
  expect("a payment after its expiry", late.json["paymentStatus"], "FAIL");
  return misses;
}

/** The merchant is notified at once, and not an hour later. */
async function untilTold({ history, nowMs }: Trial, paymentId: string, misses: string[]): Promise<void> {
  const giveUpAtMs = nowMs() + 2 * toleranceMs;
  while (nowMs() < giveUpAtMs) {
    if (history.notifications.some((told) => told.paymentId === paymentId)) return;
    await waitMs(50);
  }
  misses.push(`${paymentId}: the merchant was not notified`);
}

interface Got {
  readonly json: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
  readonly responseTime: string;
}

async function askRaw(
  { installation }: Trial,
  {
    port,
    verb,
    body,
    offMs,
  }: { readonly port: number; readonly verb: string; readonly body: object; readonly offMs: number },
): Promise<Got> {
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
