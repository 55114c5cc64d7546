import { serve } from "../../src/commands/serve.ts";
import { readSettings } from "../../src/commands/settings.ts";
import { work } from "../../src/commands/work.ts";
import { crashPoints, type CrashPoint } from "../../src/core/crash-point.ts";

/**
 * The crash tests' own entry: the same processes, except that one ends itself, with the signal that leaves no time
 * for anything, when it comes to the place that CRASH_AT names. With STOP_AT it only stops, until somebody
 * lets it go on.
 */
const crashAt = process.env["CRASH_AT"];
const stopAt = process.env["STOP_AT"];
for (const point of [crashAt, stopAt]) {
  if (point && !crashPoints.includes(point as CrashPoint)) throw new Error(`There is no place ${point}.`);
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
  await work(settings, { at });
  process.stderr.write(`Tollgate works for ${settings.environment}\n`);
}
