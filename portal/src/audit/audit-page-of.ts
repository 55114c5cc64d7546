export type Where = "accounts" | "sandbox" | "live";

export interface AuditRow {
  readonly where: Where;
  /** Of its source: which comes in the order of these. */
  readonly seq: number;
  readonly at: string;
  readonly by:
    | { readonly kind: "person"; readonly personId: string; readonly role: string }
    /** The provider, of whose people and commands a merchant is told no name. */
    | { readonly kind: "provider" }
    | { readonly kind: "command" | "sql"; readonly name: string };
  readonly act: string;
  readonly subject: string;
  /** The client id or organisation that it is about. */
  readonly about?: string | undefined;
  readonly reason?: string | undefined;
  readonly changes: readonly {
    readonly field: string;
    readonly before?: string;
    readonly after?: string;
  }[];
}

/** An audit of its own: accounts has one, and each environment one for each client. */
export interface AuditSource {
  readonly name: string;
  readonly where: Where;
  ask(
    cursor: string | undefined,
  ): Promise<{ readonly rows: readonly AuditRow[]; readonly nextCursor?: string }>;
}

/** Where each source goes on. One that is at its `end`, or could not be asked, is not asked for older rows. */
export type Cursors = Readonly<Record<string, string>>;

export interface AuditPage {
  readonly rows: readonly (AuditRow & { readonly source: string })[];
  /** Sources that could not be asked: their rows are missing, and the page says so. */
  readonly missing: readonly { readonly where: Where; readonly error: unknown }[];
  readonly next: Cursors | undefined;
}

export const pageRows = 50;

/**
 * A page of several audits as one, the newest first. Each source is asked for a page behind the last row of it that was shown; of all
 * of them the newest fill this page, so that no row is left out and none comes twice.
 */
export async function auditPageOf(
  sources: readonly AuditSource[],
  cursors: Cursors,
  /** Whether nothing can be shown at all. */
  isGrave: (error: unknown) => boolean,
): Promise<AuditPage> {
  const open = sources.filter(({ name }) => cursors[name] !== "end");
  const answers = await Promise.all(open.map((source) => answerOf(source, cursors[source.name], isGrave)));
  const rows = newestOf(answers.map(({ rows: found }) => found));
  const next = Object.fromEntries([
    ...Object.entries(cursors),
    ...answers.map((answer) => [answer.source.name, cursorBehind(answer, rows, cursors)] as const),
  ]);
  return {
    rows,
    missing: answers.flatMap(({ source: { where }, error }) => (error ? [{ where, error }] : [])),
    next: Object.values(next).every((cursor) => cursor === "end") ? undefined : next,
  };
}

type SourceRow = AuditPage["rows"][number];

interface Answer {
  readonly source: AuditSource;
  readonly rows: readonly SourceRow[];
  readonly hasMore: boolean;
  readonly error?: unknown;
}

async function answerOf(
  source: AuditSource,
  cursor: string | undefined,
  isGrave: (error: unknown) => boolean,
): Promise<Answer> {
  try {
    const { rows, nextCursor } = await source.ask(cursor === "" ? undefined : cursor);
    const named = rows.map((row) => ({ ...row, source: source.name }));
    return { source, rows: named, hasMore: nextCursor !== undefined };
  } catch (error) {
    if (isGrave(error)) throw error;
    return { source, rows: [], hasMore: false, error };
  }
}

/** Merges by time. Each source's own order stands, also where its clock was set back. */
function newestOf(lists: readonly (readonly SourceRow[])[]): readonly SourceRow[] {
  const waiting = lists.map((list) => [...list]);
  const merged: SourceRow[] = [];
  while (merged.length < pageRows) {
    const [newest] = waiting
      .filter((list) => list.length > 0)
      .toSorted(([one], [other]) => Date.parse(other?.at ?? "") - Date.parse(one?.at ?? ""));
    const row = newest?.shift();
    if (!row) break;
    merged.push(row);
  }
  return merged;
}

function cursorBehind(
  { source: { name }, rows, hasMore, error }: Answer,
  shown: readonly SourceRow[],
  cursors: Cursors,
): string {
  const own = shown.filter((row) => row.source === name);
  if (error !== undefined || (!hasMore && own.length === rows.length)) return "end";
  return own.length > 0 ? String(own.at(-1)?.seq) : (cursors[name] ?? "");
}
