export type AuditLog = "accounts" | "sandbox" | "live";

export interface AuditRow {
  readonly where: AuditLog;
  /** The row's number in its source; rows of a source are in this order. */
  readonly seq: number;
  readonly at: string;
  readonly by:
    | { readonly kind: "person"; readonly personId: string; readonly role: string }
    /** The operator; merchants do not see the names of its people and its commands. */
    | { readonly kind: "provider" }
    | { readonly kind: "command" | "sql"; readonly name: string };
  readonly act: string;
  readonly subject: string;
  /** The client id or organisation that the action affected. */
  readonly about?: string | undefined;
  readonly reason?: string | undefined;
  readonly changes: readonly {
    readonly field: string;
    readonly before?: string;
    readonly after?: string;
  }[];
}

/** A separate audit log. Accounts have one, and each environment has one for each client. */
export interface AuditSource {
  readonly name: string;
  readonly where: AuditLog;
  query(
    cursor: string | undefined,
  ): Promise<{ readonly rows: readonly AuditRow[]; readonly nextCursor?: string }>;
}

/** Cursor of each source. A source at its `end`, or one that failed, is not queried for older rows. */
export type Cursors = Readonly<Record<string, string>>;

export interface AuditPage {
  readonly rows: readonly (AuditRow & { readonly source: string })[];
  /** Sources that failed. Their rows are missing, and the page says so. */
  readonly missing: readonly { readonly where: AuditLog; readonly error: unknown }[];
  readonly next: Cursors | undefined;
}

export const pageRowCount = 50;

/**
 * `mergeAuditLogs` returns one page of several merged audit logs, newest first. It queries each source after its last
 * shown row and takes the newest rows of all sources, so that no row is missing or duplicated.
 */
export async function mergeAuditLogs(
  sources: readonly AuditSource[],
  cursors: Cursors,
  /** Returns true if the error makes the whole page fail. */
  isFatal: (error: unknown) => boolean,
): Promise<AuditPage> {
  const open = sources.filter(({ name }) => cursors[name] !== "end");
  const answers = await Promise.all(open.map((source) => querySource(source, cursors[source.name], isFatal)));
  const rows = mergeNewest(answers.map(({ rows: found }) => found));
  const next = Object.fromEntries([
    ...Object.entries(cursors),
    ...answers.map((answer) => [answer.source.name, nextCursorOf(answer, rows, cursors)] as const),
  ]);
  return {
    rows,
    missing: answers.flatMap(({ source: { where }, error }) => (error ? [{ where, error }] : [])),
    next: Object.values(next).every((cursor) => cursor === "end") ? undefined : next,
  };
}

type SourceRow = AuditPage["rows"][number];

interface SourceAnswer {
  readonly source: AuditSource;
  readonly rows: readonly SourceRow[];
  readonly hasMore: boolean;
  readonly error?: unknown;
}

async function querySource(
  source: AuditSource,
  cursor: string | undefined,
  isFatal: (error: unknown) => boolean,
): Promise<SourceAnswer> {
  try {
    const { rows, nextCursor } = await source.query(cursor === "" ? undefined : cursor);
    const named = rows.map((row) => ({ ...row, source: source.name }));
    return { source, rows: named, hasMore: nextCursor !== undefined };
  } catch (error) {
    if (isFatal(error)) throw error;
    return { source, rows: [], hasMore: false, error };
  }
}

/** `mergeNewest` merges by time. The order within a source is kept, even if its clock was set back. */
function mergeNewest(lists: readonly (readonly SourceRow[])[]): readonly SourceRow[] {
  const remaining = lists.map((list) => [...list]);
  const merged: SourceRow[] = [];
  while (merged.length < pageRowCount) {
    const [newest] = remaining
      .filter((list) => list.length > 0)
      .toSorted(([one], [other]) => Date.parse(other?.at ?? "") - Date.parse(one?.at ?? ""));
    const row = newest?.shift();
    if (!row) break;
    merged.push(row);
  }
  return merged;
}

function nextCursorOf(
  { source: { name }, rows, hasMore, error }: SourceAnswer,
  shownRows: readonly SourceRow[],
  cursors: Cursors,
): string {
  const rowsOfSource = shownRows.filter((row) => row.source === name);
  if (error !== undefined || (!hasMore && rowsOfSource.length === rows.length)) return "end";
  return rowsOfSource.length > 0 ? String(rowsOfSource.at(-1)?.seq) : (cursors[name] ?? "");
}
