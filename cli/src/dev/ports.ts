import { setTimeout } from "node:timers/promises";
import { UsageError } from "../../../server/src/commands/command.ts";
import { freePort, isFree } from "../../../server/src/postgres/throw-away.ts";

/** Where a kept Tollgate listens, if nobody else does; its wallet and its shop are beside it. */
export const usualPort = 8484;

/** Reads a port of the command line. */
export function readPort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`--${option} is a number from 1 to 65535, and not ${text}.`);
  return port;
}

/** A port that was asked for, or that programs know from the last start: no other will do. */
export async function demandPort(port: number, option: string, patienceMs = 0): Promise<number> {
  if (await becomesFree(port, patienceMs)) return port;
  throw new Error(
    `Port ${port} is taken by another program, or not open to you. End that program, or choose another port: ` +
      `--${option} ${await freePort()}.`,
  );
}

/** A new port: the usual one, so that it is the same on every machine where that is free. */
export async function choosePort(usual: number, isKept: boolean): Promise<number> {
  return isKept && usual <= 65_535 && (await isFree(usual)) ? usual : freePort();
}

/** Whether it is free, at the latest after a while: parts of a start that was killed leave by themselves. */
export async function becomesFree(port: number, patienceMs: number): Promise<boolean> {
  const giveUpAtMs = performance.now() + patienceMs;
  do {
    if (await isFree(port)) return true;
    await setTimeout(50);
  } while (performance.now() < giveUpAtMs);
  return false;
}
