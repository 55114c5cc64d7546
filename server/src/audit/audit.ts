import type { AuditedChange } from "./row-change.ts";

/** A person with a token, or the user of a command. */
export interface Actor {
  readonly kind: "person" | "command";
  readonly name: string;
  readonly role: string;
}

/** The name, subject and changes of an act. */
export interface Act {
  /** Name of the act, such as `merchant suspend`. */
  readonly act: string;
  /** The subject of an act: a client id, a connector name, or a payment id. */
  readonly subject: string;
  readonly clientId?: string | undefined;
  /**
   * The fields that the act changed, before and after. They must not contain a secret, because audit rows are never
   * deleted.
   */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

export interface NewAudit extends Act {
  readonly actor: Actor;
  readonly reason?: string | undefined;
}

/** An audit row in readable form. */
export interface AuditEntry {
  readonly seq: number;
  readonly at: Date;
  /** The name of the act; `sql` for a change of a setting by SQL, without a command. */
  readonly actor: { readonly kind: Actor["kind"] | "sql"; readonly name: string; readonly role: string };
  /** The database login, which is authenticated. The actor's name is not authenticated. */
  readonly login: string;
  readonly act: string;
  readonly subject: string;
  readonly clientId: string | undefined;
  readonly reason: string | undefined;
  readonly before: object | undefined;
  readonly after: object | undefined;
  /**
   * The row changes of the act's transaction, recorded by PostgreSQL. In contrast, the program supplies `before` and
   * `after`.
   */
  readonly rowChanges: readonly AuditedChange[];
}

/** Filters for audit rows; without a filter, all rows match. */
export interface AuditFilter {
  readonly clientId?: string | undefined;
  readonly actor?: string | undefined;
  readonly act?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Only rows with a lower number than this one, for the next page. */
  readonly beforeSeq?: number | undefined;
}

/** A changed field; `before` is absent for a new field, `after` for a removed one. */
export interface FieldChange {
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

/** Returns the changes of a row, field by field, in readable form. */
export function listFieldChanges({
  before = {},
  after = {},
}: Partial<Pick<AuditEntry, "before" | "after">>): readonly FieldChange[] {
  const [beforeFields, afterFields] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...beforeFields.keys(), ...afterFields.keys()])].map((field) => ({
    field,
    ...(beforeFields.has(field) && { before: formatValue(beforeFields.get(field)) }),
    ...(afterFields.has(field) && { after: formatValue(afterFields.get(field)) }),
  }));
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : auditJson(value);
}

/** An audit row as its merchant may read it. */
export interface MerchantAuditEntry extends Omit<
  AuditEntry,
  "actor" | "login" | "clientId" | "before" | "after" | "rowChanges"
> {
  /** The merchant's person who performed the act; absent for an act of the operator. */
  readonly person: { readonly personId: string; readonly role: string } | undefined;
  readonly changes: readonly FieldChange[];
}

/**
 * Removes the operator's person and reason from a row, because the reason may be a suspicion against the merchant,
 * who must not be warned.
 */
export function redactEntry({
  seq,
  at,
  actor,
  act,
  subject,
  reason,
  before,
  after,
}: AuditEntry): MerchantAuditEntry {
  const isOwn = !isOperators(actor);
  return {
    seq,
    at,
    person: isOwn ? { personId: actor.name, role: actor.role } : undefined,
    act,
    subject,
    reason: isOwn ? reason : undefined,
    changes: listFieldChanges({ before, after }),
  };
}

/** Whether the operator performed the act: by a command, by SQL, or as a person with a staff role. */
function isOperators({ kind, role }: AuditEntry["actor"]): boolean {
  return kind !== "person" || role.startsWith("staff-");
}

/** Returns the fields that differ, before and after. */
export function changedFields(
  before: object,
  after: object,
): { readonly before: object; readonly after: object } {
  const [beforeTexts, afterTexts] = [formatFields(before), formatFields(after)];
  const isChanged = ([name]: readonly [string, unknown]): boolean =>
    beforeTexts.get(name) !== afterTexts.get(name);
  return {
    before: Object.fromEntries(Object.entries(before).filter(isChanged)),
    after: Object.fromEntries(Object.entries(after).filter(isChanged)),
  };
}

function formatFields(fields: object): ReadonlyMap<string, string> {
  return new Map(Object.entries(fields).map(([name, value]) => [name, auditJson(value)]));
}

/** `auditJson` formats a value as JSON for the audit log. Amounts are text in minor units. */
export function auditJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
}
