/** Terms that an engineer searches for, with their other forms, and the plain words that stood in their place. */
const otherForms = {
  timeout: "timeouts|time[sd]? out|timing out",
  cache: "caches|cached|caching",
  backoff: "backoffs|back(?:s|ed|ing)? off",
  poll: "polls|polled|polling",
  race: "races|raced|racing",
  retry: "retries|retried|retrying",
  idempotent: "idempotently|idempotence|idempotency",
  lease: "leases|leased|leasing",
  batch: "batches|batched|batching",
  deadlock: "deadlocks|deadlocked",
  starvation: "starves?|starved|starving",
  fencing: "fences?|fenced",
  "load shedding": "sheds? load|shedding load|load is shed",
  what: "",
  nobody: "",
  whoever: "",
} as const satisfies Readonly<Record<string, string>>;

type Term = keyof typeof otherForms;
const terms = Object.keys(otherForms) as readonly Term[];

interface TermCount {
  /** The term itself, as a whole word. */
  readonly exact: number;
  /** Its other forms: plurals, verbs, the noun of an adjective. */
  readonly inflected: number;
}

export interface TermCounts {
  readonly comments: number;
  readonly byTerm: Readonly<Record<Term, TermCount>>;
}

interface Project {
  readonly comments: number;
  readonly byTerm: Partial<Readonly<Record<Term, number>>>;
}

/**
 * River and Temporal's TypeScript SDK, as a review of November 2026 counted them: whole words in 2,549 and 2,142
 * comments. It counted no other terms there, and does not say whether other forms of these are in its figures.
 */
const river: Project = {
  comments: 2_549,
  byTerm: { timeout: 69, cache: 6, backoff: 8, poll: 19, race: 5, retry: 79, idempotent: 1 },
};
const temporal: Project = {
  comments: 2_142,
  byTerm: { timeout: 29, cache: 19, backoff: 8, poll: 43, race: 3, retry: 53, idempotent: 5 },
};

/** Counts whole words, in capitals or not. A term that the end of a line divides is found as well. */
export function countTerms(comments: readonly string[]): TermCounts {
  const text = comments.join("\n\n").replaceAll(/(?<=\S)\n[ \t]*(?:\/\/|\*(?!\/))?[ \t]*(?=\S)/g, " ");
  const count = (words: string): number =>
    words === "" ? 0 : [...text.matchAll(new RegExp(`\\b(?:${words})\\b`, "gi"))].length;
  const byTerm = Object.fromEntries(
    terms.map((term) => [term, { exact: count(term), inflected: count(otherForms[term]) }]),
  ) as Record<Term, TermCount>;
  return { comments: comments.length, byTerm };
}

/** A table in Markdown. `12 + 3` is the word itself 12 times, and other forms of it 3 times. */
export function termTable(now: TermCounts, base?: TermCounts): string {
  const own = (counts: TermCounts | undefined, term: Term): string => {
    if (!counts) return "";
    const { exact, inflected } = counts.byTerm[term];
    return otherForms[term] === "" ? `${exact}` : `${exact} + ${inflected}`;
  };
  const rows = [
    ["term", "base", "now", "River", "Temporal"],
    ["---", "--:", "--:", "--:", "--:"],
    ...terms.map((term) => [
      term,
      own(base, term),
      own(now, term),
      `${river.byTerm[term] ?? ""}`,
      `${temporal.byTerm[term] ?? ""}`,
    ]),
    ["comments", `${base?.comments ?? ""}`, `${now.comments}`, `${river.comments}`, `${temporal.comments}`],
  ];
  return rows.map((row) => `| ${row.join(" | ")} |\n`).join("");
}

/** Comments, and whatever could look like the beginning of one: strings, regular expressions, templates. */
const token = new RegExp(
  [
    /\/\/.*(?:\n[ \t]*\/\/.*)*/,
    /\/\*[^]*?\*\//,
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/,
    /(?<=(?:[(,=:[!&|?{;>]|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//,
    /[`{}]/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);
const templateText = /(?:\\[^]|\$(?!\{)|[^\\`$])*(?:`|\$\{)/y;

/**
 * The comments of a TypeScript file; `//` on lines that follow each other is one. The scanner is our own, because
 * TypeScript's scanner needs its parser to tell a regular expression or the rest of a template from a division.
 */
export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  const open: ("block" | "template")[] = [];
  let at = 0;

  function skipTemplateText(): void {
    templateText.lastIndex = at;
    const [skipped] = templateText.exec(text) ?? [text.slice(at)];
    at += skipped.length;
    if (skipped.endsWith("${")) open.push("template");
  }

  for (;;) {
    token.lastIndex = at;
    const [found] = token.exec(text) ?? [];
    if (found === undefined) return comments;
    at = token.lastIndex;
    if (/^\/[/*]/.test(found)) comments.push(found);
    if (found === "{") open.push("block");
    if (found === "`" || (found === "}" && open.pop() === "template")) skipTemplateText();
  }
}
