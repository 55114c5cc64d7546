import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { work } from "../../src/processes/work.ts";
import { crashPoints, type CrashPoint } from "../../src/core/crash-point.ts";

/**
 * Entry point for crash tests: the same processes, except that one kills itself with SIGKILL at the crash point
 * CRASH_AT. With STOP_AT it only stops, until it is resumed.
 */
const crashAt = process.env["CRASH_AT"];
const stopAt = process.env["STOP_AT"];
for (const point of [crashAt, stopAt]) {
  if (point && !crashPoints.includes(point as CrashPoint)) throw new Error(`Unknown crash point ${point}.`);
}

function at(point: CrashPoint): void {
  if (point === crashAt) process.kill(process.pid, "SIGKILL");
  if (point === stopAt) process.kill(process.pid, "SIGSTOP");
}

const settings = readSettings(process.env);
if (process.argv[2] === "serve") {
  const { url } = await serve(settings, at);
  process.stderr.write(`Tollgate serves ${settings.environment} at ${url}\n`);
} else {
  await work(settings, { atCrashPoint: at });
  process.stderr.write(`Tollgate works for ${settings.environment}\n`);
}
