import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A group of processes that together get no more than a share of one core. */
export interface CpuQuota {
  /** Moves processes into the group; their children come along. */
  confine(pids: readonly number[]): void;
  /** Lets all of them go, and removes the group. */
  release(): void;
}

/** A short period: a process that has used its share stands still for milliseconds, and not for a tenth of a second. */
const periodUs = 10_000;
const root = "/sys/fs/cgroup";

/** Undefined where this machine lets us set none: without cgroups, or without the right to make one. */
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
      // Processes that are ending are still in it; an empty group costs nothing.
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

/** Version 2 has one tree, and the cpu controller is ours only if somebody has turned it on for groups below the root. */
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
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
