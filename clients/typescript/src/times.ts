import { ConfigurationError } from "./errors.ts";
import { parseWireTime, toWireTime } from "./wire-time.ts";

/** Reads a time of an answer or a notification. Models keep the text, so nothing is lost by reading it. */
export function parseTime(text: string): Date {
  const atMs = parseWireTime(text);
  if (atMs === undefined) throw new ConfigurationError(`This is no time: ${JSON.stringify(text)}`);
  return new Date(atMs);
}

/** Writes a time as the interface has it: whole seconds and a numeric offset. */
export function formatTime(at: Date): string {
  return toWireTime(at.getTime());
}
