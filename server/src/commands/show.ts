import type { Given } from "./command.ts";

/** Prints a result: for people as text, with `--json` for programs. */
export function show(given: Given, value: unknown, text: string): void {
  print(given.has("json") ? toJson(value) : text);
}

/** Prints a text. `tollgate match | head`: a reader that has seen enough closes the pipe, and that is no fault. */
export function print(text: string): void {
  if (process.stdout.listenerCount("error", leaveQuietly) === 0) process.stdout.on("error", leaveQuietly);
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

/** One line. Sums are text in minor units, times in ISO 8601. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
}

/** A time for people: UTC, to the second. */
export function shownTime(time: Date | undefined, otherwise = "never"): string {
  return time ? time.toISOString().slice(0, 19).replace("T", " ") : otherwise;
}
