import type { TextlintRuleReporter } from "@textlint/kernel";
import { blankOut, proseOf, type TextKind } from "./text.ts";
import { words, type Word } from "./words.ts";

type Context = Parameters<TextlintRuleReporter>[0];
type Node = Parameters<Context["report"]>[0];
interface Match {
  readonly at: number;
  readonly length: number;
  readonly message: string;
}

export const wordCountMax = 35;
export const wordCountAdvised = 25;

/** The number of words that were read, and the number of words of the old style (`rateWords`) among them. */
export interface Rate {
  words: number;
  found: number;
}

const wordPatterns = words.map((word) => ({ ...word, find: wholeWords(word.find) }));

/**
 * A space in the pattern matches any white space, including a line end. Parts of identifiers and compounds do not
 * match.
 */
function wholeWords({ source, flags }: RegExp): RegExp {
  return new RegExp(`(?<![\\w$◦-])(?:${source.replaceAll(" ", "\\s+")})(?![\\w◦-])`, `g${flags}`);
}

/** Words of the style guide: `found -> replacement`. */
export const wordRule: TextlintRuleReporter = (context) =>
  onEachText(context, (text, kind, path) =>
    wordPatterns
      .filter((word) => appliesTo(word, kind, path))
      .flatMap(({ find, use }) => findMatches(text, find, use)),
  );

/** Sentences of documents that are longer than `max`, and not longer than `over`. */
export function sentenceRule(max: number, over = Infinity): TextlintRuleReporter {
  return (context) =>
    onEachText(context, (text, kind) => {
      if (kind !== "paragraph") return [];
      return sentencesOf(text)
        .map((sentence) => ({ ...sentence, count: countWords(sentence.text) }))
        .filter(({ count }) => count > max && count <= over)
        .map(({ at, text: { length }, count }) => ({
          at,
          length,
          message: `${count} words -> at most ${max} in a sentence`,
        }));
    });
}

/** Sums up words by kind: documents, and comments. */
export function rateRule(
  find: RegExp,
  rates: { readonly documents: Rate; readonly comments: Rate },
): TextlintRuleReporter {
  return (context) =>
    onEachText(context, (text, kind) => {
      if (kind === "message" || kind === "label") return [];
      const rate = kind === "comment" ? rates.comments : rates.documents;
      rate.words += countWords(text);
      rate.found += [...text.matchAll(find)].length;
      return [];
    });
}

function findMatches(text: string, find: RegExp, use: string): Match[] {
  return [...text.matchAll(find)].map(({ 0: found, index }) => ({
    at: index,
    length: found.length,
    message: `${found.replaceAll(/\s+/g, " ")} -> ${use}`,
  }));
}

function appliesTo({ in: kinds, where, except }: Word, kind: TextKind, path: string): boolean {
  return (kinds?.includes(kind) ?? true) && (where?.test(path) ?? true) && !except?.test(path);
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

function sentencesOf(text: string): { readonly text: string; readonly at: number }[] {
  // A line end does not end a sentence.
  return [...segmenter.segment(text.replaceAll("\n", " "))].map(({ segment, index }) => ({
    text: segment,
    at: index,
  }));
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}◦][^\s—]*/gu)?.length ?? 0;
}

function onEachText(
  { Syntax, RuleError, report, getSource, getFilePath, locator }: Context,
  find: (text: string, kind: TextKind, path: string) => readonly Match[],
): ReturnType<TextlintRuleReporter> {
  const read = (node: Node, kind: TextKind): void => {
    const ownKind = "kind" in node ? (node.kind as TextKind) : kind;
    for (const { at, length, message } of find(
      proseIn(node, getSource(node), ownKind),
      ownKind,
      getFilePath() ?? "",
    ))
      report(node, new RuleError(message, { padding: locator.range([at, at + length]) }));
  };
  return {
    [Syntax.Paragraph]: (node) => read(node, "paragraph"),
    [Syntax.Header]: (node) => read(node, "heading"),
    [Syntax.TableCell]: (node) => read(node, "heading"),
  };
}

/**
 * The source of a node, with code as `◦` and everything that is not prose as spaces, so that positions stay the same.
 */
function proseIn(node: Node, source: string, kind: TextKind): string {
  if ("kind" in node) return proseOf(source, kind);
  const parts: string[] = [];
  let end = 0;
  for (const { type, range } of leavesOf(node)) {
    const [start, until] = [range[0] - node.range[0], range[1] - node.range[0]];
    parts.push(blankOut(source.slice(end, start)));
    const own = source.slice(start, until);
    parts.push(type === "Str" ? own : type === "Code" ? own.replaceAll(/[^\n]/g, "◦") : blankOut(own));
    end = until;
  }
  return proseOf(parts.join("") + blankOut(source.slice(end)), kind);
}

function leavesOf(node: Node): Node[] {
  return "children" in node ? (node.children as Node[]).flatMap(leavesOf) : [node];
}
