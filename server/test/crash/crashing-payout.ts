import { writeSync } from "node:fs";
import { importBankWords } from "../../src/commands/payout-import.ts";
import { runPayouts } from "../../src/commands/payout-run.ts";
import { closeSettlement } from "../../src/commands/settlement-close.ts";
import type { PayoutCrashPoint } from "../../src/core/crash-point.ts";

/** The crash tests' own `settlement close`, `payout run` and `payout import`: stands still at STOP_AT, the STOP_ON-th time that it comes there. */
const { OWNER_URL: url = "", BANK: bank = "", FOLDER: folder = "" } = process.env;
/** The day by which a batch is due; today when it is absent. */
const { DAY: day } = process.env;
const { STOP_AT: stopAt, STOP_ON: stopOn = "1" } = process.env;
const operator = { url, environment: "sandbox" } as const;
const [step, given = ""] = process.argv.slice(2);
let times = 0;

function at(point: PayoutCrashPoint): void {
  if (point !== stopAt) return;
  times += 1;
  if (times < Number(stopOn)) return;
  writeSync(2, `Stands still: ${point}\n`);
  // Nothing more is done, until somebody kills it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (step === "close") await closeSettlement(operator, { day: given }, at);
else if (step === "run") await runPayouts(operator, { bank, day, folder, format: "pain.001.001.09" }, at);
else await importBankWords(operator, given, at);
