import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const levels: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** Passes a part's log on, line by line. */
export function followLog(log: Readable, onLine: (line: string) => void): void {
  createInterface({ input: log }).on("line", onLine);
}

/** `09:30:00 warn  serve  What happened. key=value`, and the stack of a fault below it. */
export function formatLogEntry(name: string, line: string): string {
  const entry = parseEntry(line);
  if (!entry) return line;
  const { level, time, msg, err, ...otherFields } = entry;
  const fields = Object.entries(otherFields).map(([field, value]) => `${field}=${toText(value)}`);
  const stack = typeof err?.stack === "string" ? err.stack : err && toText(err);
  const columns = [
    new Date(time).toISOString().slice(11, 19),
    (levels[level] ?? String(level)).padEnd(5),
    name.padEnd(6),
    ...(msg === undefined ? [] : [msg]),
    ...fields,
  ];
  return stack ? `${columns.join(" ")}\n${stack.replaceAll(/^/gm, "    ")}` : columns.join(" ");
}

/** An entry of a part's log: pino's fields, and the fields of its event. */
export interface Entry {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: unknown };
  readonly [field: string]: unknown;
}

export function parseEntry(line: string): Entry | undefined {
  try {
    const read = JSON.parse(line) as Partial<Entry> | null;
    return typeof read?.level === "number" && typeof read.time === "number" ? (read as Entry) : undefined;
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
