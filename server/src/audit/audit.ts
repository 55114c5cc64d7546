import type { AuditedChange } from "./row-change.ts";

/** A person with a token, or a command that somebody runs. */
export interface Actor {
  readonly kind: "person" | "command";
  readonly name: string;
  readonly role: string;
}

/** What an act was about, and what it has changed. */
export interface Act {
  /** What was done, such as `merchant suspend`. */
  readonly act: string;
  /** What it was done to: a client id, a wallet's name, a payment. */
  readonly subject: string;
  readonly clientId?: string | undefined;
  /** The fields that have changed, as they were and as they are. Never a secret: the audit keeps it for ever. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

export interface NewAudit extends Act {
  readonly actor: Actor;
  readonly reason?: string | undefined;
}

/** A row of the audit as people read it. */
export interface AuditEntry {
  readonly seq: number;
  readonly at: Date;
  /** `sql` when somebody has changed a setting by hand, past every command. */
  readonly actor: { readonly kind: Actor["kind"] | "sql"; readonly name: string; readonly role: string };
  /** The login of the database, which is proven. The actor's name is only what was said. */
  readonly login: string;
  readonly act: string;
  readonly subject: string;
  readonly clientId: string | undefined;
  readonly reason: string | undefined;
  readonly before: object | undefined;
  readonly after: object | undefined;
  /** The row changes of the act's transaction, as PostgreSQL has recorded them. `before` and `after` are the program's description. */
  readonly rowChanges: readonly AuditedChange[];
}

/** Which rows of the audit are asked for; all of them when nothing is given. */
export interface AuditFilter {
  readonly clientId?: string | undefined;
  readonly actor?: string | undefined;
  readonly act?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Only rows before this one: where a page ends, the next one begins. */
  readonly beforeSeq?: number | undefined;
}

/** A field that an act has changed; what was not there before, or is not there any more, is absent. */
export interface Change {
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

/** What a row says that has changed, field by field, as people read it. */
export function changesOf({
  before = {},
  after = {},
}: Partial<Pick<AuditEntry, "before" | "after">>): readonly Change[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...was.keys(), ...is.keys()])].map((field) => ({
    field,
    ...(was.has(field) && { before: valueText(was.get(field)) }),
    ...(is.has(field) && { after: valueText(is.get(field)) }),
  }));
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : auditJson(value);
}

/** A row as the merchant reads it whom it is about. */
export interface OwnEntry extends Omit<
  AuditEntry,
  "actor" | "login" | "clientId" | "before" | "after" | "rowChanges"
> {
  /** The person of its own who did it. Absent when the provider did. */
  readonly person: { readonly personId: string; readonly role: string } | undefined;
  readonly changes: readonly Change[];
}

/**
 * A merchant is told what the provider did, and not which of its people, nor why: the reason may be that somebody suspects the
 * merchant, whom nobody may warn.
 */
export function ownEntry({ seq, at, actor, act, subject, reason, before, after }: AuditEntry): OwnEntry {
  const isOwn = !isProviders(actor);
  return {
    seq,
    at,
    person: isOwn ? { personId: actor.name, role: actor.role } : undefined,
    act,
    subject,
    reason: isOwn ? reason : undefined,
    changes: changesOf({ before, after }),
  };
}

/** Commands, SQL by hand, and people whose role is one of staff. */
function isProviders({ kind, role }: AuditEntry["actor"]): boolean {
  return kind !== "person" || role.startsWith("staff-");
}

/** The fields that differ, as they were and as they are. */
export function changedFields(
  before: object,
  after: object,
): { readonly before: object; readonly after: object } {
  const [was, is] = [textsOf(before), textsOf(after)];
  const isChanged = ([name]: readonly [string, unknown]): boolean => was.get(name) !== is.get(name);
  return {
    before: Object.fromEntries(Object.entries(before).filter(isChanged)),
    after: Object.fromEntries(Object.entries(after).filter(isChanged)),
  };
}

function textsOf(fields: object): ReadonlyMap<string, string> {
  return new Map(Object.entries(fields).map(([name, value]) => [name, auditJson(value)]));
}

/** JSON for the audit: sums are text in minor units. */
export function auditJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
}
