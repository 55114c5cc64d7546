import { setTimeout as waitMs } from "node:timers/promises";
import { freePort } from "../server/src/postgres/temporary-postgres.ts";
import { incidents, type Incident, type World } from "./failures/incident.ts";
import { startLoad } from "./failures/load.ts";
import { startMonitoring, type Monitoring } from "./failures/monitoring.ts";
import type { Part } from "./installation/part.ts";
import { runProof, type ProofAsked, type Shown } from "./reports/run-proof.ts";
import { openTrial } from "./trial/trial.ts";

const raisedWithinMs = 60_000;
const endedWithinMs = 120_000;
/**
 * Milliseconds for which the proof waits until no alert is raised. It does not wait for the end of alerts that last
 * minutes longer than their cause, such as that of a dropped log entry.
 */
const calmWithinMs = 30_000;
const paymentsPerSecond = 5;

await runProof({
  name: "incidents",
  claim:
    "A fault is injected while payments are made: settlement, all workers, the payment provider, a password, the connection to the database, its " +
    "standby, its clock, its disk, or a restored dump. A real Prometheus with our rules raises the alert for the fault, and " +
    "notifies Alertmanager, within 60 s; it ends within 120 s after the repair. Before that, with payments and without a " +
    "fault, no alert is raised for a minute, or for --quiet-minutes. Arguments select the incidents; `none` runs only the time without faults.",
  triesDefault: 1,
  numbers: { "quiet-minutes": 1 },
  run: (asked) => runIncidents(asked, asked.number("quiet-minutes")),
});

/** The result of one incident. */
interface Seen {
  readonly name: string;
  readonly alert: string;
  readonly raisedMs: number | undefined;
  readonly endedMs: number | undefined;
  /** Other alerts that it raised. */
  readonly beside: readonly string[];
}

async function runIncidents({ tries, words, say }: ProofAsked, quietMinutes: number): Promise<Shown> {
  const trial = await openTrial();
  const { serves, works } = trial.installation;
  const metrics = new Map<Part, number>();
  for (const part of [...serves, ...works]) metrics.set(part, await freePort());
  const portsOf = (parts: readonly Part[]): readonly number[] => parts.map((part) => metrics.get(part) ?? 0);
  const start = (part: Part): Promise<string> =>
    part.start({ TOLLGATE_METRICS_PORT: String(metrics.get(part)) });
  let monitoring: Monitoring | undefined;
  try {
    for (const part of metrics.keys()) {
      await part.kill();
      await start(part);
    }
    monitoring = await startMonitoring({
      "tollgate-serve": portsOf(serves),
      "tollgate-work": portsOf(works),
    });
    const load = startLoad(trial, "incident", paymentsPerSecond);
    const early = await alertsWithin(monitoring, quietMinutes * 60_000);
    say(`${quietMinutes} min without a fault: ${early.join(", ") || "no alert"}`);
    const world: World = {
      trial,
      async restartServe() {
        const [serve] = serves;
        await serve?.kill();
        // A process that can not start is started again for a while, as any supervisor does.
        if (serve) void start(serve).catch(() => undefined);
      },
    };
    const seen: Seen[] = [];
    const asked = Object.entries(incidents).filter(([word]) => words.length === 0 || words.includes(word));
    for (let index = 0; index < tries; index += 1)
      for (const [, incident] of asked)
        if (incident.cannot === undefined) seen.push(await go(incident, world, monitoring, say));
        else say(`${incident.name}: not tried, ${incident.cannot}`);
    await load.stop();
    return shownOf(seen, early, quietMinutes);
  } finally {
    await monitoring?.stop();
    await trial.stop();
  }
}

/**
 * Prepares and injects the fault, waits until its alert is raised, repairs the fault, and waits until the alert has
 * ended.
 */
async function go(
  incident: Incident,
  world: World,
  monitoring: Monitoring,
  say: (line: string) => void,
): Promise<Seen> {
  const { name, alert } = incident;
  const strike = await incident.prepare(world);
  // An alert of an earlier incident must not be attributed to this one.
  await timeUntil(async () => !(await monitoring.raised()).includes(alert), endedWithinMs);
  await timeUntil(async () => (await monitoring.raised()).length === 0, calmWithinMs);
  const already = new Set([alert, ...(await monitoring.raised())]);
  const beside = new Set<string>();
  const look = async (): Promise<readonly string[]> => {
    const raised = await monitoring.raised();
    for (const each of raised) if (!already.has(each)) beside.add(each);
    return raised;
  };
  const repair = await strike();
  const raisedMs = await timeUntil(async () => (await look()).includes(alert), raisedWithinMs);
  say(`${name}: ${alert} ${raisedMs === undefined ? "was not raised" : `after ${seconds(raisedMs)} s`}`);
  await repair();
  const endedMs = await timeUntil(async () => !(await look()).includes(alert), endedWithinMs);
  say(
    `${name}: repaired, and the alert ${endedMs === undefined ? "is still active" : `ended after ${seconds(endedMs)} s`}`,
  );
  return { name, alert, raisedMs, endedMs, beside: [...beside].sort() };
}

async function timeUntil(isSo: () => Promise<boolean>, withinMs: number): Promise<number | undefined> {
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < withinMs) {
    if (await isSo()) return performance.now() - startedAtMs;
    await waitMs(500);
  }
  return undefined;
}

async function alertsWithin(monitoring: Monitoring, ms: number): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (const endAtMs = performance.now() + ms; performance.now() < endAtMs; await waitMs(1_000))
    for (const alert of await monitoring.raised()) seen.add(alert);
  return [...seen];
}

function shownOf(seen: readonly Seen[], early: readonly string[], quietMinutes: number): Shown {
  const slowest = (times: readonly (number | undefined)[]): string =>
    seconds(Math.max(0, ...times.filter((ms) => ms !== undefined)));
  return {
    figures: {
      quiet_minutes: quietMinutes,
      raised_while_quiet: early.length,
      incidents: seen.length,
      slowest_raised_s: slowest(seen.map(({ raisedMs }) => raisedMs)),
      slowest_ended_s: slowest(seen.map(({ endedMs }) => endedMs)),
    },
    misses: [
      ...early.map((alert) => `${alert} was raised without a fault.`),
      ...seen.flatMap(({ name, alert, raisedMs, endedMs }) => [
        ...(raisedMs === undefined ? [`${name}: ${alert} was not raised.`] : []),
        ...(endedMs === undefined ? [`${name}: ${alert} did not end.`] : []),
      ]),
    ],
    details: [
      "| incident | alert | raised after, s | ended after, s | other alerts |",
      "| --- | --- | --- | --- | --- |",
      ...seen.map(
        ({ name, alert, raisedMs, endedMs, beside }) =>
          `| ${name} | ${alert} | ${shownMs(raisedMs)} | ${shownMs(endedMs)} | ${beside.join(", ")} |`,
      ),
    ],
  };
}

function shownMs(ms: number | undefined): string {
  return ms === undefined ? "never" : seconds(ms);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
