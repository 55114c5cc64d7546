/**
 * Log fields, by allow-list: a connector logs nothing else, so no secret, no code and no personal data can reach the
 * log. `reason` is a constant text of the code.
 */
export interface LogFields {
  readonly reference?: string;
  readonly eventId?: string;
  readonly account?: string;
  readonly call?: string;
  readonly resultCode?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly status?: number;
  readonly attempts?: number;
  readonly ms?: number;
  readonly traceId?: string;
}

const fieldNames: readonly (keyof LogFields)[] = [
  "reference",
  "eventId",
  "account",
  "call",
  "resultCode",
  "state",
  "reason",
  "status",
  "attempts",
  "ms",
  "traceId",
];
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
