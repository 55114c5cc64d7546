import type { Where } from "./audit-page-of.ts";

/** Filters stand in the address: they survive a reload, and can be sent to somebody. Days are `2026-11-15`. */
export interface AuditFilter {
  /** The id of a person, or `provider`. */
  readonly who?: string | undefined;
  readonly what?: string | undefined;
  readonly where?: Where | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** In the operator's console: a client id. */
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
