import { setTimeout as waitMs } from "node:timers/promises";
import { toInjectedFault, type Fault, type FaultCatalog } from "./fault-catalog.ts";
import type { History } from "../oracle/history.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

interface FaultInjection {
  readonly options: FaultInjectionOptions;
  readonly random: Random;
  readonly history: History;
  readonly nowMs: () => number;
}

export interface FaultInjectionOptions {
  /** Duration of fault injection. */
  readonly seconds: number;
  /** The mean time between two faults. */
  readonly faultEveryMs: number;
  /** Prefixes of the kinds of fault to inject; empty means all kinds. */
  readonly kinds: readonly string[];
  /** The caller aborts this signal to end the fault injection early. */
  readonly signal: AbortSignal;
}

/**
 * Fault injection: draws faults at random intervals until the time is over. Faults that every run must include have a
 * fixed time.
 */
export async function injectFaults(
  { options, random, history, nowMs }: FaultInjection,
  catalog: FaultCatalog,
  stopSignal: AbortSignal,
): Promise<void> {
  const busyResources = new Set<string>();
  const activeInjections = new Set<Promise<void>>();
  const gapDraws = random.fork("gaps");
  let repairError: Error | undefined;
  const startFault = (fault: Fault): boolean => {
    if (busyResources.has(fault.resource)) return false;
    busyResources.add(fault.resource);
    const atMs = nowMs();
    const injection = fault
      .inject()
      .then(() => void history.faults.push(toInjectedFault(fault, atMs, nowMs() - atMs)))
      .catch((error: unknown) => {
        repairError = new Error(`${fault.kind} of ${fault.target} could not be repaired.`, { cause: error });
      })
      .finally(() => {
        activeInjections.delete(injection);
        setTimeout(() => busyResources.delete(fault.resource), fault.pauseAfterMs ?? 0).unref();
      });
    activeInjections.add(injection);
    return true;
  };
  const isSelected = ({ kind }: Fault): boolean =>
    options.kinds.length === 0 || options.kinds.some((prefix) => kind.startsWith(prefix));
  const drawSelected = (): Fault => {
    for (;;) {
      const fault = catalog.draw();
      if (isSelected(fault)) return fault;
    }
  };
  const lastMs = options.seconds * 1_000;
  const fixedFaults = [
    { atMs: lastMs * 0.08, create: catalog.rareFaults["long freeze"] },
    { atMs: lastMs * 0.15, create: catalog.rareFaults.partition },
    { atMs: lastMs * 0.3, create: catalog.rareFaults["fail over"] },
    { atMs: lastMs * 0.4, create: catalog.rareFaults["small pool"] },
    { atMs: lastMs * 0.55, create: catalog.rareFaults["kill primary"] },
    { atMs: lastMs * 0.65, create: catalog.rareFaults["connections used up"] },
    { atMs: lastMs * 0.75, create: catalog.rareFaults["fail over frozen"] },
  ].filter(({ create }) => options.kinds.length === 0 || isSelected(create()));
  while (nowMs() < lastMs && !stopSignal.aborted && repairError === undefined && !options.signal.aborted) {
    const dueFault = fixedFaults.find(({ atMs }) => atMs <= nowMs());
    if (dueFault && startFault(dueFault.create())) fixedFaults.splice(fixedFaults.indexOf(dueFault), 1);
    else if (!dueFault) startFault(drawSelected());
    await waitMs((gapDraws.between(50, 500) * options.faultEveryMs) / 275);
  }
  await Promise.all(activeInjections);
  if (repairError) throw repairError;
}
