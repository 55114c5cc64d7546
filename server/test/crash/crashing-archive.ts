import { writeSync } from "node:fs";
import { archivePayments } from "../../src/commands/archive.ts";

/** The crash tests' own `archive`: years from now, and it stands still at the place that STOP_AT names, the STOP_ON-th time that it comes there. */
const { OWNER_URL: url = "", FOLDER: folder = "", BEFORE: before = "", NOW: now = "" } = process.env;
const { STOP_AT: stopAt, STOP_ON: stopOn = "1" } = process.env;
let times = 0;
await archivePayments(
  { url, environment: "sandbox" },
  {
    before,
    folder,
    batchSize: 2,
    now: new Date(now),
    at(point) {
      if (point !== stopAt) return;
      times += 1;
      if (times < Number(stopOn)) return;
      writeSync(2, `Stands still: ${point}\n`);
      // Nothing more is done, until somebody kills it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
);
