import { setTimeout as waitMs } from "node:timers/promises";
import { seen, type Fault, type Menu } from "./fault-menu.ts";
import type { History } from "../oracle/history.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

interface Breaking {
  readonly options: BreakingOptions;
  readonly random: Random;
  readonly history: History;
  readonly nowMs: () => number;
}

export interface BreakingOptions {
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
export async function breakThings(
  { options, random, history, nowMs }: Breaking,
  menu: Menu,
  calm: AbortSignal,
): Promise<void> {
  const busy = new Set<string>();
  const striking = new Set<Promise<void>>();
  const draws = random.fork("gaps");
  let problem: Error | undefined;
  const strike = (fault: Fault): boolean => {
    if (busy.has(fault.place)) return false;
    busy.add(fault.place);
    const atMs = nowMs();
    const struck = fault
      .strike()
      .then(() => void history.faults.push(seen(fault, atMs, nowMs() - atMs)))
      .catch((error: unknown) => {
        problem = new Error(`${fault.kind} of ${fault.target} could not be repaired.`, { cause: error });
      })
      .finally(() => {
        striking.delete(struck);
        setTimeout(() => busy.delete(fault.place), fault.restMs ?? 0).unref();
      });
    striking.add(struck);
    return true;
  };
  const isWanted = ({ kind }: Fault): boolean =>
    options.kinds.length === 0 || options.kinds.some((wanted) => kind.startsWith(wanted));
  const drawWanted = (): Fault => {
    for (;;) {
      const fault = menu.draw();
      if (isWanted(fault)) return fault;
    }
  };
  const lastMs = options.seconds * 1_000;
  const named = [
    { atMs: lastMs * 0.08, make: menu.named["long freeze"] },
    { atMs: lastMs * 0.15, make: menu.named.partition },
    { atMs: lastMs * 0.3, make: menu.named["fail over"] },
    { atMs: lastMs * 0.4, make: menu.named["small pool"] },
    { atMs: lastMs * 0.55, make: menu.named["kill primary"] },
    { atMs: lastMs * 0.65, make: menu.named["connections used up"] },
    { atMs: lastMs * 0.75, make: menu.named["fail over frozen"] },
  ].filter(({ make }) => options.kinds.length === 0 || isWanted(make()));
  while (nowMs() < lastMs && !calm.aborted && problem === undefined && !options.signal.aborted) {
    const due = named.find(({ atMs }) => atMs <= nowMs());
    if (due && strike(due.make())) named.splice(named.indexOf(due), 1);
    else if (!due) strike(drawWanted());
    await waitMs((draws.between(50, 500) * options.faultEveryMs) / 275);
  }
  await Promise.all(striking);
  if (problem) throw problem;
}
