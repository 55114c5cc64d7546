import { writeSync } from "node:fs";
import { archivePayments } from "../../src/archive/archive.workflow.ts";

/**
 * `archive` for crash tests: the clock is years ahead, and it stops at the STOP_ON-th pass of the crash point STOP_AT.
 */
const { OWNER_URL: url = "", FOLDER: folder = "", BEFORE: before = "", NOW: now = "" } = process.env;
const { STOP_AT: stopAt, STOP_ON: stopOn = "1" } = process.env;
let passCount = 0;
await archivePayments(
  { url, environment: "sandbox" },
  {
    before,
    folder,
    batchSize: 2,
    now: new Date(now),
    atCrashPoint(point) {
      if (point !== stopAt) return;
      passCount += 1;
      if (passCount < Number(stopOn)) return;
      writeSync(2, `Stands still: ${point}\n`);
      // Blocks until it is killed.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
);
