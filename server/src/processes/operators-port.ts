import type { FaultWatch } from "../resilience/fault-watch.ts";
import type { Meter } from "../telemetry/meter.ts";
import type { Health } from "../http/listeners/health.ts";
import { listenForOperators, type OperatorsListener } from "../http/listeners/operators-listener.ts";
import { startTimers, type ProcessCore } from "./process-core.ts";
import { watchProcess } from "./process-gauges.ts";
import type { Settings } from "../settings/settings.ts";

export interface OperatorsPortOptions {
  readonly meter: Meter;
  readonly faults: FaultWatch;
  readonly health: Health;
  readonly refreshRelease: ProcessCore["refreshRelease"];
  /** Queries the database for the values of metrics and health. */
  readonly refreshGauges?: () => Promise<void>;
  readonly onFault: (cause: unknown) => void;
}

/**
 * Poll interval of these queries: the usual scrape interval of Prometheus in milliseconds. An installation without
 * metrics does not run them.
 */
const pollIntervalMs = 15_000;

/** Opens the port of metrics and health, if the operator has set one. */
export async function openOperatorsPort(
  { metrics: { host, port } }: Settings,
  {
    meter,
    faults,
    health,
    refreshRelease,
    refreshGauges = async () => undefined,
    onFault,
  }: OperatorsPortOptions,
): Promise<OperatorsListener | undefined> {
  if (port === undefined) return undefined;
  meter.beforeScrape(() => {
    meter.set("ready", [], health.ready().isWell ? 1 : 0);
    meter.clear("failing");
    for (const name of faults.failingKinds()) meter.set("failing", [name], 1);
  });
  await refreshGauges();
  const stopTimers = startTimers(
    [
      [pollIntervalMs, refreshGauges],
      [pollIntervalMs, refreshRelease],
    ],
    onFault,
  );
  const stopWatching = watchProcess(meter);
  const listener = await listenForOperators({ host, port, meter, health });
  return {
    url: listener.url,
    async close() {
      stopTimers();
      stopWatching();
      await listener.close();
    },
  };
}
