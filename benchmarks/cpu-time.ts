import { readdirSync, readFileSync } from "node:fs";

/** The kernel's clock tick (`getconf CLK_TCK`), which is 1/100 s on every Linux. */
const tickUs = 10_000;

/** The total CPU time of a process, all threads, in user and kernel mode. */
export function cpuTimeUs(pid: number): number {
  return statOf(pid).ownUs;
}

/** The total CPU time of a process and its children. The kernel adds the time of an ended child to its parent. */
export function familyCpuTimeUs(pid: number): number {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statIfAlive(Number(name)))
    .filter((stat) => stat?.parent === pid);
  const { ownUs, endedChildrenUs } = statOf(pid);
  return children.reduce((sum, child) => sum + (child?.ownUs ?? 0), ownUs + endedChildrenUs);
}

interface Stat {
  readonly parent: number;
  readonly ownUs: number;
  readonly endedChildrenUs: number;
}

function statOf(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The second field of `/proc/PID/stat` is the program's name in parentheses, which may contain spaces and
  // parentheses. The later fields are numbers.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [, parent] = fields.map(Number);
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15).map(Number);
  return {
    parent: parent ?? 0,
    ownUs: (user + system) * tickUs,
    endedChildrenUs: (childrenUser + childrenSystem) * tickUs,
  };
}

function statIfAlive(pid: number): Stat | undefined {
  try {
    return statOf(pid);
  } catch {
    return undefined;
  }
}
