import { pino } from "pino";
import type { At } from "../core/crash-point.ts";
import { refreshEveryMs } from "../http/client-directory.ts";
import { rollUpBalances } from "../ledger/balance.sql.ts";
import { listenForWakes } from "../postgres/wake.ts";
import { startWorkLoop, type WorkLane } from "../worker/work-loop.ts";
import { nobody, startEngine, startTimers } from "./engine.ts";
import type { Settings } from "./settings.ts";

/** Places for wallets are for several that hang at once: each takes up 64 until its breaker opens. */
const lanes = [
  { lane: "wallets", inFlightMax: 256 },
  { lane: "notifications", inFlightMax: 64 },
] as const satisfies readonly WorkLane[];

export interface Working {
  /** Brings what was taken to its end, takes nothing new, and leaves. */
  stop(): Promise<void>;
}

/** Takes over what others left behind, and does what is due: wallets, expiries, notifications. */
export async function work(settings: Settings, at: At = () => undefined): Promise<Working> {
  const log = pino({ level: settings.logLevel, base: null });
  const onFault = (cause: unknown): void => log.error({ err: cause }, "A fault in the background.");
  const engine = await startEngine({ settings, applicationName: "tollgate work", log, at });
  const { database, clients, clock, signer, connectors, runner } = engine;
  const loops = lanes.map((lane) => startWorkLoop(runner, lane));
  const stopListening = listenForWakes(settings.databaseUrl, () => loops.forEach((loop) => loop.wake()));
  const rollUp = async (): Promise<void> => {
    const added = await database.transaction(nobody, rollUpBalances);
    if (added.outcome !== "committed") throw added.cause;
  };
  const stopTimers = startTimers(
    [
      [refreshEveryMs, () => clients.refresh()],
      [1_000, () => clock.sample()],
      [10_000, () => signer.refresh()],
      [10_000, () => connectors.refresh()],
      [250, () => connectors.tryUnreachable()],
      [1_000, rollUp],
    ],
    onFault,
  );
  return {
    async stop() {
      stopTimers();
      await stopListening();
      await Promise.all(loops.map((loop) => loop.stop()));
      await database.close();
    },
  };
}
