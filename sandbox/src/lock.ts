import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const lockTimeoutMs = 2_000;

/**
 * Acquires the lock of the folder (a pid file), because two processes with one journal would each know only a part of
 * it. Waits a short time for a process that was killed a moment ago.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const file = join(folder, "wallet.pid");
  const deadline = performance.now() + lockTimeoutMs;
  for (let holder = findLockHolder(file); holder !== undefined; holder = findLockHolder(file)) {
    if (performance.now() > deadline)
      throw new Error(`Process ${holder} uses ${folder}. If it is not a wallet, remove ${file}.`);
    await wait(20);
  }
  writeFileSync(file, `${process.pid}\n`);
  return () => rmSync(file, { force: true });
}

function findLockHolder(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8"));
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
