import { setTimeout as waitMs } from "node:timers/promises";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { incidents, type Incident, type IncidentContext } from "./failures/incident.ts";
import { startLoad } from "./failures/open-loop-load.ts";
import { startMonitoring, type Monitoring } from "./failures/monitoring.ts";
import type { ManagedProcess } from "./installation/managed-process.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";
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
  run: (options) => runIncidents(options, options.number("quiet-minutes")),
});

/** The result of one incident. */
interface IncidentResult {
  readonly name: string;
  readonly alert: string;
  readonly raisedMs: number | undefined;
  readonly endedMs: number | undefined;
  /** Other alerts that it raised. */
  readonly otherAlerts: readonly string[];
}

async function runIncidents(
  { tries, args, logProgress }: ProofOptions,
  quietMinutes: number,
): Promise<ProofResult> {
  const trial = await openTrial();
  const { serves, works } = trial.installation;
  const metrics = new Map<ManagedProcess, number>();
  for (const child of [...serves, ...works]) metrics.set(child, await findFreePort());
  const portsOf = (processes: readonly ManagedProcess[]): readonly number[] =>
    processes.map((child) => metrics.get(child) ?? 0);
  const startWithMetrics = (child: ManagedProcess): Promise<string> =>
    child.start({ TOLLGATE_METRICS_PORT: String(metrics.get(child)) });
  let monitoring: Monitoring | undefined;
  try {
    for (const child of metrics.keys()) {
      await child.kill();
      await startWithMetrics(child);
    }
    monitoring = await startMonitoring({
      "tollgate-serve": portsOf(serves),
      "tollgate-work": portsOf(works),
    });
    const load = startLoad(trial, "incident", paymentsPerSecond);
    const alertsWithoutFault = await alertsWithin(monitoring, quietMinutes * 60_000);
    logProgress(`${quietMinutes} min without a fault: ${alertsWithoutFault.join(", ") || "no alert"}`);
    const context: IncidentContext = {
      trial,
      async restartServe() {
        const [serve] = serves;
        await serve?.kill();
        // A process that can not start is started again for a while, as any supervisor does.
        if (serve) void startWithMetrics(serve).catch(() => undefined);
      },
    };
    const results: IncidentResult[] = [];
    const selected = Object.entries(incidents).filter(([name]) => args.length === 0 || args.includes(name));
    for (let index = 0; index < tries; index += 1)
      for (const [, incident] of selected)
        if (incident.skipReason === undefined)
          results.push(await runIncident(incident, context, monitoring, logProgress));
        else logProgress(`${incident.name}: not tried, ${incident.skipReason}`);
    await load.stop();
    return buildResult(results, alertsWithoutFault, quietMinutes);
  } finally {
    await monitoring?.stop();
    await trial.stop();
  }
}

/**
 * Prepares and injects the fault, waits until its alert is raised, repairs the fault, and waits until the alert has
 * ended.
 */
async function runIncident(
  incident: Incident,
  context: IncidentContext,
  monitoring: Monitoring,
  logProgress: (line: string) => void,
): Promise<IncidentResult> {
  const { name, alert } = incident;
  const injectFault = await incident.prepare(context);
  // An alert of an earlier incident must not be attributed to this one.
  await timeUntil(async () => !(await monitoring.raised()).includes(alert), endedWithinMs);
  await timeUntil(async () => (await monitoring.raised()).length === 0, calmWithinMs);
  const activeBefore = new Set([alert, ...(await monitoring.raised())]);
  const otherAlerts = new Set<string>();
  const pollAlerts = async (): Promise<readonly string[]> => {
    const raised = await monitoring.raised();
    for (const each of raised) if (!activeBefore.has(each)) otherAlerts.add(each);
    return raised;
  };
  const repair = await injectFault();
  const raisedMs = await timeUntil(async () => (await pollAlerts()).includes(alert), raisedWithinMs);
  logProgress(
    `${name}: ${alert} ${raisedMs === undefined ? "was not raised" : `after ${seconds(raisedMs)} s`}`,
  );
  await repair();
  const endedMs = await timeUntil(async () => !(await pollAlerts()).includes(alert), endedWithinMs);
  logProgress(
    `${name}: repaired, and the alert ${endedMs === undefined ? "is still active" : `ended after ${seconds(endedMs)} s`}`,
  );
  return { name, alert, raisedMs, endedMs, otherAlerts: [...otherAlerts].sort() };
}

async function timeUntil(isMet: () => Promise<boolean>, withinMs: number): Promise<number | undefined> {
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < withinMs) {
    if (await isMet()) return performance.now() - startedAtMs;
    await waitMs(500);
  }
  return undefined;
}

async function alertsWithin(monitoring: Monitoring, ms: number): Promise<readonly string[]> {
  const alerts = new Set<string>();
  for (const endAtMs = performance.now() + ms; performance.now() < endAtMs; await waitMs(1_000))
    for (const alert of await monitoring.raised()) alerts.add(alert);
  return [...alerts];
}

function buildResult(
  results: readonly IncidentResult[],
  alertsWithoutFault: readonly string[],
  quietMinutes: number,
): ProofResult {
  const slowest = (times: readonly (number | undefined)[]): string =>
    seconds(Math.max(0, ...times.filter((ms) => ms !== undefined)));
  return {
    figures: {
      quiet_minutes: quietMinutes,
      raised_while_quiet: alertsWithoutFault.length,
      incidents: results.length,
      slowest_raised_s: slowest(results.map(({ raisedMs }) => raisedMs)),
      slowest_ended_s: slowest(results.map(({ endedMs }) => endedMs)),
    },
    misses: [
      ...alertsWithoutFault.map((alert) => `${alert} was raised without a fault.`),
      ...results.flatMap(({ name, alert, raisedMs, endedMs }) => [
        ...(raisedMs === undefined ? [`${name}: ${alert} was not raised.`] : []),
        ...(endedMs === undefined ? [`${name}: ${alert} did not end.`] : []),
      ]),
    ],
    details: [
      "| incident | alert | raised after, s | ended after, s | other alerts |",
      "| --- | --- | --- | --- | --- |",
      ...results.map(
        ({ name, alert, raisedMs, endedMs, otherAlerts }) =>
          `| ${name} | ${alert} | ${formatMs(raisedMs)} | ${formatMs(endedMs)} | ${otherAlerts.join(", ")} |`,
      ),
    ],
  };
}

function formatMs(ms: number | undefined): string {
  return ms === undefined ? "never" : seconds(ms);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
