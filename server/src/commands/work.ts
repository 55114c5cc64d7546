import { pino } from "pino";
import type { At } from "../core/crash-point.ts";
import { refreshEveryMs } from "../http/client-directory.ts";
import { listenForWakes } from "../postgres/wake.ts";
import { startWorkLoop } from "../worker/work-loop.ts";
import { startEngine, startTimers } from "./engine.ts";
import type { Settings } from "./settings.ts";

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
  const loop = startWorkLoop(runner, [...runner.jobs.keys()]);
  const stopListening = listenForWakes(settings.databaseUrl, () => loop.wake());
  const stopTimers = startTimers(
    [
      [refreshEveryMs, () => clients.refresh()],
      [1_000, () => clock.sample()],
      [10_000, () => signer.refresh()],
      [10_000, () => connectors.refresh()],
    ],
    onFault,
  );
  return {
    async stop() {
      stopTimers();
      await stopListening();
      await loop.stop();
      await database.close();
    },
  };
}
