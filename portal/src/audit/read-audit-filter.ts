import type { AuditLog } from "./merge-audit-logs.ts";

/**
 * Filters of the audit log. They are part of the URL, so they survive a reload and can be shared. Dates have the form
 * `2026-11-15`.
 */
export interface AuditFilter {
  /** The person of the filter: an id of a person, or `provider` for the operator. */
  readonly who?: string | undefined;
  readonly what?: string | undefined;
  readonly where?: AuditLog | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** The client id of the filter, only in the operator console. */
  readonly of?: string | undefined;
}

const names = ["who", "what", "from", "until", "of"] as const;
const allAuditLogs: readonly string[] = ["accounts", "sandbox", "live"] satisfies readonly AuditLog[];

export function readAuditFilter(search: Record<string, unknown>): AuditFilter {
  const texts = names.map(
    (name) => [name, typeof search[name] === "string" ? search[name] : undefined] as const,
  );
  const { where } = search;
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text)),
    ...(typeof where === "string" && allAuditLogs.includes(where) && { where: where as AuditLog }),
  };
}
