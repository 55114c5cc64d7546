import type { Meter } from "../core/meter.ts";
import type { FaultWatch } from "../core/fault-watch.ts";
import type { Health } from "../http/health.ts";
import { listenForOperators, type OperatorsListener } from "../http/operators-listener.ts";
import { watchProcess } from "./process-gauges.ts";
import type { Settings } from "./settings.ts";

/** Opens the port of metrics and health, if the operator has set one. */
export async function openOperatorsPort(
  { metrics: { host, port } }: Settings,
  { meter, faults }: { readonly meter: Meter; readonly faults: FaultWatch },
  health: Health,
): Promise<OperatorsListener | undefined> {
  if (port === undefined) return undefined;
  meter.beforeLook(() => {
    meter.set("ready", [], health.ready().isWell ? 1 : 0);
    meter.clear("failing");
    for (const what of faults.failing()) meter.set("failing", [what], 1);
  });
  const stopWatching = watchProcess(meter);
  const listener = await listenForOperators({ host, port, meter, health });
  return {
    url: listener.url,
    async close() {
      stopWatching();
      await listener.close();
    },
  };
}
