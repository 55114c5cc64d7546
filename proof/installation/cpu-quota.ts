import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A group of processes that share a fraction of one core. */
export interface CpuQuota {
  /** Moves processes into the group, together with their children. */
  confine(pids: readonly number[]): void;
  /** Removes all processes from the group, and deletes it. */
  release(): void;
}

/** A short period: a process that has used its share is paused for milliseconds instead of a tenth of a second. */
const periodUs = 10_000;
const root = "/sys/fs/cgroup";

/**
 * `newCpuQuota` creates a CPU quota. It returns undefined if this machine has no cgroups, or does not permit creating
 * one.
 */
export function newCpuQuota(name: string, cores: number): CpuQuota | undefined {
  const parent = isUnified() ? root : join(root, "cpu");
  const group = join(parent, `tollgate-${process.pid}-${name}`);
  try {
    mkdirSync(group);
  } catch {
    return undefined;
  }
  const release = (): void => {
    try {
      for (const pid of readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean))
        moveTo(parent, Number(pid));
      rmdirSync(group);
    } catch {
      // The group can not be deleted while it contains processes that are exiting. An unused group costs nothing, so it
      // stays.
    }
  };
  try {
    setShare(group, cores);
  } catch {
    release();
    return undefined;
  }
  process.once("exit", release);
  return {
    confine(pids) {
      for (const pid of pids) moveTo(group, pid);
    },
    release,
  };
}

/**
 * Cgroups version 2 has one tree, and the cpu controller is available only if it is enabled for groups below the root.
 */
function isUnified(): boolean {
  const file = join(root, "cgroup.subtree_control");
  return existsSync(file) && readFileSync(file, "utf8").split(/\s+/).includes("cpu");
}

function setShare(group: string, cores: number): void {
  const quotaUs = Math.round(cores * periodUs);
  if (existsSync(join(group, "cpu.max")))
    return writeFileSync(join(group, "cpu.max"), `${quotaUs} ${periodUs}`);
  writeFileSync(join(group, "cpu.cfs_period_us"), String(periodUs));
  writeFileSync(join(group, "cpu.cfs_quota_us"), String(quotaUs));
}

function moveTo(group: string, pid: number): void {
  try {
    writeFileSync(join(group, "cgroup.procs"), String(pid));
  } catch (error) {
    // The process has exited in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
