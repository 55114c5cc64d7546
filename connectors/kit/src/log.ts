/**
 * The fields of log lines, by allow-list: a connector logs nothing else, so no secret, no code and no personal data can
 * reach the log. `reason` is a constant text of the code.
 */
const fieldNames = [
  "reference",
  "eventId",
  "account",
  "call",
  "resultCode",
  "state",
  "reason",
  "attempts",
  "ms",
  "traceId",
] as const;

type LogFields = { readonly [Name in (typeof fieldNames)[number]]?: string | number };

const textLengthMax = 160;

/** Writes one line of JSON. `error` alerts the operator. */
export type Log = (level: "info" | "warn" | "error", message: string, fields?: LogFields) => void;

export function newLog(write: (line: string) => void, nowMs: () => number = Date.now): Log {
  return (level, message, fields = {}) => {
    const entries = fieldNames.flatMap((name) => {
      const value = fields[name];
      if (value === undefined) return [];
      return [[name, typeof value === "string" ? value.slice(0, textLengthMax) : value] as const];
    });
    const line = {
      level,
      time: new Date(nowMs()).toISOString(),
      msg: message,
      ...Object.fromEntries(entries),
    };
    write(`${JSON.stringify(line)}\n`);
  };
}
