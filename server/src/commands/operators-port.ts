import type { FaultWatch } from "../core/fault-watch.ts";
import type { Meter } from "../core/meter.ts";
import type { Health } from "../http/health.ts";
import { listenForOperators, type OperatorsListener } from "../http/operators-listener.ts";
import { startTimers, type ProcessCore } from "./process-core.ts";
import { watchProcess } from "./process-gauges.ts";
import type { Settings } from "./settings.ts";

export interface OperatorsPortOptions {
  readonly meter: Meter;
  readonly faults: FaultWatch;
  readonly health: Health;
  readonly refreshRelease: ProcessCore["refreshRelease"];
  /** Asks the database for what metrics and health tell. */
  readonly look?: () => Promise<void>;
  readonly onFault: (cause: unknown) => void;
}

/** As often as Prometheus usually asks. An installation without metrics does not pay for the questions. */
const lookEveryMs = 15_000;

/** Opens the port of metrics and health, if the operator has set one. */
export async function openOperatorsPort(
  { metrics: { host, port } }: Settings,
  { meter, faults, health, refreshRelease, look = async () => undefined, onFault }: OperatorsPortOptions,
): Promise<OperatorsListener | undefined> {
  if (port === undefined) return undefined;
  meter.beforeLook(() => {
    meter.set("ready", [], health.ready().isWell ? 1 : 0);
    meter.clear("failing");
    for (const what of faults.failing()) meter.set("failing", [what], 1);
  });
  await look();
  const stopLooking = startTimers(
    [
      [lookEveryMs, look],
      [lookEveryMs, refreshRelease],
    ],
    onFault,
  );
  const stopWatching = watchProcess(meter);
  const listener = await listenForOperators({ host, port, meter, health });
  return {
    url: listener.url,
    async close() {
      stopLooking();
      stopWatching();
      await listener.close();
    },
  };
}
