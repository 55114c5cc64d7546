/**
 * A row change as PostgreSQL records it (migrations/0050). The approver reads the change, and PostgreSQL compares it
 * with the changes of the commit.
 */
export interface RowChange {
  readonly table: string;
  readonly operation: "insert" | "update" | "delete";
  readonly key: Readonly<Record<string, unknown>>;
  /** The values of the changed columns. A time within a minute of the transaction is stored as `now`. */
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/**
 * Changes of a bulk statement, or of a transaction with more than 20 changes: the number of rows, and the SHA-256 of
 * the recorded text.
 */
interface RowChangeSummary extends Pick<RowChange, "table" | "operation"> {
  readonly rows: string;
  readonly sha256: string;
}

export type AuditedChange = RowChange | RowChangeSummary;

/** Parses a list of changes. Numbers stay text, because an amount in minor units may exceed the range of `number`. */
export function parseRowChanges(json: string): readonly RowChange[] {
  return parseAuditedChanges(json) as readonly RowChange[];
}

export function parseAuditedChanges(json: string): readonly AuditedChange[] {
  return JSON.parse(json, (_, value: unknown, ...rest: readonly unknown[]) =>
    typeof value === "number" ? ((rest[0] as { readonly source?: string }).source ?? String(value)) : value,
  ) as readonly AuditedChange[];
}

/** Formats a change in one line: `clients LIVE_1 update: status ACTIVE → SUSPENDED`. */
export function formatRowChange(change: AuditedChange): string {
  if ("sha256" in change)
    return `${change.table} ${change.operation}: ${change.rows} rows, SHA-256 ${change.sha256}`;
  const { table, operation, key, before, after } = change;
  const columns = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => operation === "update" || !Object.hasOwn(key, name),
  );
  const values = columns.map((name) => {
    const sides = [before, after].flatMap((row) =>
      Object.hasOwn(row, name) ? [formatValue(row[name])] : [],
    );
    return `${name} ${sides.join(" → ")}`;
  });
  const keyText = Object.values(key).map(formatValue).join(" ");
  return `${table} ${keyText} ${operation}${values.length > 0 ? `: ${values.join(", ")}` : ""}`;
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Maximum number of row changes in an audit row, whose fields are limited to 16 KiB. The approval request keeps all
 * changes.
 */
const auditedChangesMax = 20;

/** Returns the changes for the audit row of a request or an approval. */
export function changesForAudit(changes: readonly RowChange[]): object {
  const more = changes.length - auditedChangesMax;
  return {
    changes: changes.slice(0, auditedChangesMax).map((each) => formatRowChange(each).slice(0, 600)),
    ...(more > 0 && { more }),
  };
}
