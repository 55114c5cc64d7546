import { ConfigurationError } from "./errors.ts";
import { parseWireTime, toWireTime } from "./wire-time.ts";

/** Parses a time of a response or webhook. Models keep the text, so parsing loses nothing. */
export function parseTime(text: string): Date {
  const atMs = parseWireTime(text);
  if (atMs === undefined) throw new ConfigurationError(`Invalid time: ${JSON.stringify(text)}`);
  return new Date(atMs);
}

/** Formats a time for the API: whole seconds and a numeric offset. */
export function formatTime(at: Date): string {
  return toWireTime(at.getTime());
}
