import { DatabaseError } from "pg";
import { WrongCellError } from "../core/wrong-cell-error.ts";

/** Whether an error means that the server became a read-only standby, or is shutting down. */
export function isFailoverError(cause: unknown): boolean {
  return cause instanceof DatabaseError && ["25006", "57P01", "57P02"].includes(cause.code ?? "");
}

/** Resources that PostgreSQL lacks, by error code. The operator has to provide them. */
export const resourceErrors: Readonly<Record<string, string>> = {
  "53100": "disk full",
  "53200": "out of memory",
  "53300": "too many connections",
  "25006": "read only",
};

/** Names the resource whose lack caused an error. */
export function resourceErrorOf(cause: unknown): string | undefined {
  return cause instanceof DatabaseError ? resourceErrors[cause.code ?? ""] : undefined;
}

/** Whether an error is a deadlock, or a serialization failure. */
export function isDeadlock(cause: unknown): boolean {
  return cause instanceof DatabaseError && (cause.code === "40P01" || cause.code === "40001");
}

/**
 * Whether an error is a timeout of the statement, its response or a connection. The driver reports the last two only by
 * message.
 */
export function isTimeout(cause: unknown): boolean {
  if (cause instanceof DatabaseError) return cause.code === "57014";
  return cause instanceof Error && driverTimeouts.includes(cause.message);
}

const driverTimeouts = ["Query read timeout", "timeout exceeded when trying to connect"];

/**
 * Whether PostgreSQL rejected the rows. Other errors are a lack of connections, time or disk space: retrying a batch in
 * smaller pieces would then add load to an overloaded server.
 */
export function isDataError(cause: unknown): boolean {
  if (cause instanceof WrongCellError) return true;
  return cause instanceof DatabaseError && !/^(08|53|55|57|58|XX)/.test(cause.code ?? "XX");
}

/** Whether PostgreSQL rejects a value, or a constraint does: this failure is permanent, and a retry is useless. */
export function isValueRejected(cause: unknown): boolean {
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? "");
}

/** Whether PostgreSQL rejected the commit itself. After a lost connection or a shutdown the outcome is unknown. */
export function isCommitRejected(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return !/^(08|57P|58|XX)/.test(error.code);
}
