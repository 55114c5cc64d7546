import { writeSync } from "node:fs";
import { importBankReports } from "../../src/settlement/payouts/import-bank-reports.workflow.ts";
import { runPayouts } from "../../src/settlement/payouts/run-payouts.workflow.ts";
import { closeSettlement } from "../../src/settlement/close-settlement.workflow.ts";
import type { PayoutCrashPoint } from "../../src/core/crash-point.ts";

/**
 * `settlement close`, `payout run` and `payout import` for crash tests: each stops at the STOP_ON-th pass of the crash
 * point STOP_AT.
 */
const { OWNER_URL: url = "", BANK: bank = "", FOLDER: folder = "" } = process.env;
/** The due day of batches; today when absent. */
const { DAY: day } = process.env;
const { STOP_AT: stopAt, STOP_ON: stopOn = "1" } = process.env;
const operator = { url, environment: "sandbox" } as const;
const [step, argument = ""] = process.argv.slice(2);
let passCount = 0;

function at(point: PayoutCrashPoint): void {
  if (point !== stopAt) return;
  passCount += 1;
  if (passCount < Number(stopOn)) return;
  writeSync(2, `Stands still: ${point}\n`);
  // Blocks until it is killed.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (step === "close") await closeSettlement(operator, { day: argument }, at);
else if (step === "run") await runPayouts(operator, { bank, day, folder, format: "pain.001.001.09" }, at);
else await importBankReports(operator, argument, at);
