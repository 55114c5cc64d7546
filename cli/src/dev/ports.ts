import { setTimeout } from "node:timers/promises";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { findFreePort, isPortFree } from "../../../server/src/postgres/temporary-postgres.ts";

/** The default port of a kept Tollgate; provider and shop use the ports after it. */
export const defaultPort = 8484;

/** Reads a port of the command line. */
export function readPort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`--${option} is a number from 1 to 65535, and not ${text}.`);
  return port;
}

/**
 * Returns the port if it is free, and otherwise throws: the user chose this port, or programs know it from the last
 * start.
 */
export async function requirePort(port: number, option: string, patienceMs = 0): Promise<number> {
  if (await waitUntilFree(port, patienceMs)) return port;
  throw new Error(
    `Port ${port} is used by another program, or you may not use it. Stop that program, or choose another port: ` +
      `--${option} ${await findFreePort()}.`,
  );
}

/**
 * Chooses a port: for a kept Tollgate the default port if it is free, so that it is usually the same on every machine;
 * otherwise any free port.
 */
export async function choosePort(preferred: number, isPersistent: boolean): Promise<number> {
  return isPersistent && preferred <= 65_535 && (await isPortFree(preferred)) ? preferred : findFreePort();
}

/** Waits until the port is free, at most `patienceMs`: parts of a killed start stop by themselves. */
export async function waitUntilFree(port: number, patienceMs: number): Promise<boolean> {
  const giveUpAtMs = performance.now() + patienceMs;
  do {
    if (await isPortFree(port)) return true;
    await setTimeout(50);
  } while (performance.now() < giveUpAtMs);
  return false;
}
