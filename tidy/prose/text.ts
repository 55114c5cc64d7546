/**
 * The kind of a text. A `message` is a string literal that a person reads. A `label` is a text of the portal of any
 * length.
 */
export type TextKind = "paragraph" | "heading" | "comment" | "message" | "label";

/** Prose inside a source file: offsets of UTF-16 code units, `end` exclusive. */
export interface Text {
  readonly kind: TextKind;
  readonly start: number;
  readonly end: number;
}

/**
 * The character that replaces each character of code. So offsets stay, and the words around the code are not adjacent.
 */
const code = "◦";

export const blankOut = (text: string): string => text.replaceAll(/[^\n]/g, " ");

/** The prose of a text, character by character: comment marks and escapes become spaces, code becomes `◦`. */
export function proseOf(raw: string, kind: TextKind): string {
  const words = kind === "comment" ? withoutMarks(raw) : withoutEscapes(raw, kind);
  return words.replaceAll(codeInProse, (found) => found.replaceAll(/[^\n]/g, code));
}

/** Code spans, URLs, file names, and paths of at least two folders. */
const codeInProse =
  /`[^`]+`|\bhttps?:\/\/[^\s)>]+|\{@\w+[^}]*\}|(?<![\w.])[\w./-]*\w\.(?:tsx?|m?js|sql|md|json|ya?ml|sh|java|php|py|go|patch|css)\b|\b[\w-]+(?:\/[\w-]+){2,}/g;

function withoutMarks(raw: string): string {
  return raw
    .replaceAll(/^[ \t]*(?:\/\*+|\*+(?!\/)|\/\/+|--+|#+|(?:[rR]?(?:"""|''')))/gm, blankOut)
    .replace(/(?:\*+\/|"""|''')$/, blankOut);
}

function withoutEscapes(raw: string, kind: TextKind): string {
  if (kind === "paragraph" || kind === "heading") return raw;
  return raw.replace(/^["'`]|["'`]$/g, blankOut).replaceAll(/\\[nrt]/g, blankOut);
}

/**
 * `isSentence` returns true for a text with four consecutive words that is no SQL statement. Shorter strings are
 * usually names and keys.
 */
export function isSentence(text: string): boolean {
  if (
    /^\W*(?:select\b[^]*\bfrom|insert into|update \w+ set|delete from|with \w+ as|alter table|set local)\b/.test(
      text,
    )
  )
    return false;
  return /\p{L}[\p{L}']*(?:[,;:]?[ \n]+\p{L}[\p{L}']*){3}/u.test(text);
}

/** Joins line comments on consecutive lines, so that a term across a line end is found. */
export function joinLineComments(source: string, comments: readonly Text[]): Text[] {
  const joined: Text[] = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const isBlock = source.startsWith("/*", comment.start) || (last && source.startsWith("/*", last.start));
    if (last && !isBlock && /^[ \t]*\r?\n[ \t]*$/.test(source.slice(last.end, comment.start)))
      joined[joined.length - 1] = { ...last, end: comment.end };
    else joined.push(comment);
  }
  return joined;
}
