import type { Where } from "./merge-audit-logs.ts";

/**
 * Filters of the audit log. They are part of the URL, so they survive a reload and can be shared. Dates have the form
 * `2026-11-15`.
 */
export interface AuditFilter {
  /** The person of the filter: an id of a person, or `provider` for the operator. */
  readonly who?: string | undefined;
  readonly what?: string | undefined;
  readonly where?: Where | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** The client id of the filter, only in the operator console. */
  readonly of?: string | undefined;
}

const names = ["who", "what", "from", "until", "of"] as const;
const everywhere: readonly string[] = ["accounts", "sandbox", "live"] satisfies readonly Where[];

export function auditFilterIn(asked: Record<string, unknown>): AuditFilter {
  const texts = names.map(
    (name) => [name, typeof asked[name] === "string" ? asked[name] : undefined] as const,
  );
  const { where } = asked;
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text)),
    ...(typeof where === "string" && everywhere.includes(where) && { where: where as Where }),
  };
}
