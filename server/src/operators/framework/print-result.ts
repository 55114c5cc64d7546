import type { CommandArguments } from "./command.ts";

/** Prints a result as text, or as JSON with `--json`. */
export function printResult(args: CommandArguments, value: unknown, text: string): void {
  print(args.has("json") ? toJson(value) : text);
}

/** Prints a text. It ignores a closed pipe, as in `tollgate reconcile | head`. */
export function print(text: string): void {
  if (process.stdout.listenerCount("error", exitOnClosedPipe) === 0)
    process.stdout.on("error", exitOnClosedPipe);
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

/** Formats a value as JSON on one line. Amounts are strings in minor units, times are in ISO 8601. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
}
