import { environment, type Variables } from "./environment.ts";
import { ConfigurationError } from "./errors.ts";
import { secretFields } from "./generated/operations.ts";

/** A log entry. It contains no secrets. */
export type LogEntry =
  | { readonly event: "warning"; readonly message: string }
  | {
      readonly event: "request";
      readonly operation: string;
      readonly requestId: string | undefined;
      readonly attempt: number;
      readonly body: unknown;
    }
  | {
      readonly event: "response";
      readonly operation: string;
      readonly requestId: string | undefined;
      readonly traceId: string | undefined;
      readonly attempt: number;
      readonly durationMs: number;
      /** The result code, or the name of the error. */
      readonly outcome: string;
    }
  | {
      readonly event: "retry";
      readonly operation: string;
      readonly requestId: string | undefined;
      readonly attempt: number;
      readonly delayMs: number;
      readonly outcome: string;
    };

/** Receives log entries, without secrets. */
export type Logger = (entry: LogEntry) => void;

/** The events that each level of `TOLLGATE_LOG` includes. */
const eventsOf: Readonly<Record<string, readonly LogEntry["event"][]>> = {
  debug: ["request", "response", "retry", "warning"],
  info: ["response", "retry", "warning"],
  warn: ["retry", "warning"],
};

/**
 * Creates the logger for a client without a logger: it writes lines to standard error at the level of
 * `TOLLGATE_LOG`, so that you can debug without a code change.
 */
export function environmentLogger(
  write: (line: string) => void = (line) => void process.stderr?.write(`${line}\n`),
  lookUp: Variables = environment,
): Logger {
  const level = lookUp("TOLLGATE_LOG");
  if (level === undefined) return () => undefined;
  const events = Object.hasOwn(eventsOf, level) ? eventsOf[level] : undefined;
  if (!events) throw new ConfigurationError(`TOLLGATE_LOG must be debug, info or warn, not ${level}.`);
  return ({ event, ...facts }) => {
    if (events.includes(event)) write(`tollgate ${event} ${JSON.stringify(facts)}`);
  };
}

const secretNames = new RegExp(
  `^(?:${secretFields.join("|")}|.*(?:token|secret|password|cvv|cvc|cardno|cardnumber|authcode|privatekey).*)$`,
  "i",
);
const hidden = "[hidden]";

/** Whether a field with this name must not be logged. */
export function isSecret(name: string): boolean {
  return secretNames.test(name);
}

/** A copy without the fields that must not be logged. */
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isSecret(name) ? hidden : redacted(each)]),
  );
}
