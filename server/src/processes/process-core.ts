import { startClock, type Clock } from "../core/clock.ts";
import { newFaultWatch, type FaultWatch } from "../resilience/fault-watch.ts";
import type { Meter } from "../telemetry/meter.ts";
import { version as thisVersion } from "../core/version.ts";
import { findCell } from "../cells/home.sql.ts";
import { openSpanExporter, type SpanExporter } from "../egress/span-exporter.ts";
import type { Release } from "../http/listeners/health.ts";
import { openDatabase, systemScope, type Database } from "../postgres/database.ts";
import { findNewestMigration } from "../postgres/migration.sql.ts";
import { runPreflight } from "../postgres/preflight.ts";
import type { Tx } from "../postgres/sql.ts";
import { databaseTimeMs } from "../postgres/time.sql.ts";
import type { LocalSigner, Signer } from "../signing/gateway-keys.ts";
import type { Secrets } from "../signing/secrets.ts";
import { listConnectors } from "../providers/connector.sql.ts";
import { liveConnectorProblems, liveProblems, type ProcessKind } from "../settings/live-rules.ts";
import { openSigning } from "./open-signing.ts";
import type { OpenTraces } from "./open-traces.ts";
import { readPackageInfo } from "./read-package-info.ts";
import type { Settings } from "../settings/settings.ts";

/** The common part of `serve`, `serve-staff` and `work`: database, clock, signer, metrics. */
export interface ProcessCore {
  readonly database: Database;
  /** Reads outside of any merchant's scope. */
  readonly systemReader: Tx;
  readonly clock: Clock;
  readonly signer: Signer;
  /** The signer with private keys; undefined if a signer process has them. */
  readonly localSigner: LocalSigner | undefined;
  readonly secrets: Secrets;
  readonly meter: Meter;
  readonly faults: FaultWatch;
  readonly onFault: (cause: unknown) => void;
  readonly release: () => Release;
  /** Reads the newest migration again. */
  refreshRelease(): Promise<void>;
  /** The exporter of spans to a collector; undefined without one. */
  readonly spans: SpanExporter | undefined;
}

export interface ProcessOptions {
  readonly settings: Settings;
  readonly kind: Exclude<ProcessKind, "signer">;
  readonly applicationName: string;
  readonly connectionsMax: number;
  readonly log: {
    error(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    info(fields: object, message: string): void;
    debug(fields: object): void;
  };
  readonly meter: Meter;
  readonly traces: OpenTraces;
}

const preflightWarning = "The preflight has a warning about the database.";

/**
 * `openProcessCore` rejects settings and databases with which the process must not run, then opens what every process
 * needs.
 */
export async function openProcessCore(options: ProcessOptions): Promise<ProcessCore> {
  const { settings, kind, applicationName, connectionsMax, log, meter } = options;
  const { environment, databaseUrl: url } = settings;
  refuseToRun(liveProblems(settings, kind));
  refuseToRun(await runPreflight(url, environment, (warning) => log.warn({ warning }, preflightWarning)));
  if (kind !== "staff" && settings.hasStaffLogin) log.warn({}, staffSettingsIgnored);

  const onFault = newFaultHandler(log, meter);
  const spans = exportSpans(options, onFault);
  const database = openDatabase({ url, applicationName, connectionsMax, onFault, meter });
  await database.waitForStandby();
  const systemReader = database.reader(systemScope);
  refuseToRun(cellProblems(settings, await findCell(systemReader)));
  refuseToRun(liveConnectorProblems(settings, await listConnectors(systemReader)));
  const release = await openRelease(options, systemReader, meter);
  const clock = await openClock(systemReader, log, meter);
  const signing = await openSigning({ settings, tx: systemReader, onChange: newSignerChangeLog(log) });
  const { signer, localSigner, secrets } = signing;
  const telemetry = { meter, faults: newFaultWatch(), onFault, spans, ...release };
  return { database, systemReader, clock, signer, localSigner, secrets, ...telemetry };
}

const staffSettingsIgnored =
  "TOLLGATE_STAFF_* settings are ignored here: run `tollgate serve-staff` for the operator console.";

/** Logs a change of the signer at once, because the process can send no response while the signer does not respond. */
function newSignerChangeLog(log: ProcessOptions["log"]): (isWell: boolean, cause?: unknown) => void {
  return (isWell, cause) => {
    if (isWell) log.warn({}, "The signer responds again.");
    else
      log.error(
        { alert: true, err: cause },
        "The signer does not respond: requests are rejected with 'retry later'.",
      );
  };
}

/** Counts and logs a fault that belongs to no request. */
function newFaultHandler(log: Pick<ProcessOptions["log"], "error">, meter: Meter): (cause: unknown) => void {
  meter.set("faults", [], 0);
  return (cause) => {
    meter.add("faults", []);
    log.error({ err: cause }, "A background task failed.");
  };
}

async function openClock(tx: Tx, log: ProcessOptions["log"], meter: Meter): Promise<Clock> {
  meter.set("clockJumps", [], 0);
  const onJump = (byMs: number): void => {
    meter.add("clockJumps", []);
    log.error({ alert: true, byMs }, "The database's clock has jumped, which moves leases and expiries.");
  };
  const clock = await startClock({ monotonicMs, databaseMs: () => databaseTimeMs(tx), onJump });
  meter.beforeScrape(() => {
    meter.set("clockAgeSeconds", [], clock.sampleAgeMs() / 1000);
    meter.set("clockOffset", [], (clock.now().getTime() - Date.now()) / 1000);
  });
  return clock;
}

/** Sends spans to the operator's collector, if there is one. */
function exportSpans(
  { settings, applicationName, meter, traces }: ProcessOptions,
  onFault: (cause: unknown) => void,
): SpanExporter | undefined {
  if (!settings.metrics.spans) return undefined;
  const resource = {
    "service.name": applicationName.replace(" ", "-"),
    "service.version": thisVersion,
    "deployment.environment.name": settings.environment,
  };
  const exporter = openSpanExporter({ ...settings.metrics.spans, resource, meter, onFault });
  traces.startRecording(exporter.record);
  return exporter;
}

/** The running release and the schema's version. The schema may be migrated while the process runs. */
async function openRelease(
  { settings, applicationName, log }: ProcessOptions,
  tx: Tx,
  meter: Meter,
): Promise<Pick<ProcessCore, "release" | "refreshRelease">> {
  const { environment } = settings;
  const { commit = "unknown" } = await readPackageInfo();
  let migration = await findNewestMigration(tx);
  const release = (): Release => ({ version: thisVersion, commit, migration });
  log.info({ ...release(), environment }, `${applicationName} starts.`);
  meter.beforeScrape(() => {
    meter.clear("build");
    meter.set("build", [thisVersion, commit, migration], 1);
  });
  return {
    release,
    refreshRelease: async () => {
      migration = await findNewestMigration(tx);
    },
  };
}

/** The problem of a process with the database of another cell, which would serve the wrong merchants. */
function cellProblems({ fleet: { cell } }: Settings, databaseCell = ""): readonly string[] {
  if (cell === databaseCell) return [];
  const database =
    databaseCell === ""
      ? "The database belongs to no cell"
      : `The database belongs to the cell ${databaseCell}`;
  return [`${database}, and TOLLGATE_CELL is ${cell === "" ? "not set" : cell}.`];
}

function refuseToRun(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`This process must not run here:\n  ${problems.join("\n  ")}`);
}

/** Starts periodic work. The timers do not keep a process alive. */
export function startTimers(
  schedules: readonly (readonly [ms: number, work: () => Promise<void>])[],
  onFault: (cause: unknown) => void,
): () => void {
  const timers = schedules.map(([ms, work]) => setInterval(() => void work().catch(onFault), ms).unref());
  return () => timers.forEach((timer) => clearInterval(timer));
}

export function monotonicMs(): number {
  return performance.now();
}
