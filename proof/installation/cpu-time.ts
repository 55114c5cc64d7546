import { readFileSync } from "node:fs";

/** The kernel's clock tick, which `getconf CLK_TCK` reports as hundredths of a second on every Linux. */
const tickUs = 10_000;

/** CPU time of these processes so far, including children that have exited. */
export function readCpuTimeUs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readCpuTime(pid), 0);
}

function readCpuTime(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field of `/proc/PID/stat` is the program's name in parentheses, which may contain spaces and
    // parentheses. The later fields are numbers.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * tickUs;
  } catch {
    // The process has exited, and the kernel has added its CPU time to its parent.
    return 0;
  }
}
