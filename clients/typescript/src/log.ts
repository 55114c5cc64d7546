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

export type Logger = (entry: LogEntry) => void;

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
