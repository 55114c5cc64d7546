import { environment, type Variables } from "./environment.ts";
import { ConfigurationError } from "./errors.ts";
import { secretFields } from "./generated/operations.ts";

/** What happened, for a log. Nothing in it is secret. */
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

/** Is told what happens, without secrets. */
export type Logger = (entry: LogEntry) => void;

/** What `TOLLGATE_LOG` lets through. */
const eventsOf: Readonly<Record<string, readonly LogEntry["event"][]>> = {
  debug: ["request", "response", "retry", "warning"],
  info: ["response", "retry", "warning"],
  warn: ["retry", "warning"],
};

/** Of a client without a logger: lines on standard error, as `TOLLGATE_LOG` says, to see what happens without a change. */
export function environmentLogger(
  write: (line: string) => void = (line) => void process.stderr?.write(`${line}\n`),
  lookUp: Variables = environment,
): Logger {
  const level = lookUp("TOLLGATE_LOG");
  if (level === undefined) return () => undefined;
  const events = Object.hasOwn(eventsOf, level) ? eventsOf[level] : undefined;
  if (!events) throw new ConfigurationError(`TOLLGATE_LOG is debug, info or warn, and not ${level}.`);
  return ({ event, ...facts }) => {
    if (events.includes(event)) write(`tollgate ${event} ${JSON.stringify(facts)}`);
  };
}

const secretNames = new RegExp(
  `^(?:${secretFields.join("|")}|.*(?:token|secret|password|cvv|cvc|cardno|cardnumber|authcode|privatekey).*)$`,
  "i",
);
const hidden = "[hidden]";

/** Whether a field of this name must not be written down. */
export function isSecret(name: string): boolean {
  return secretNames.test(name);
}

/** A copy without what must not be written down. */
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isSecret(name) ? hidden : redacted(each)]),
  );
}
