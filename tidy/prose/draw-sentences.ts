import type { TextlintRuleReporter } from "@textlint/kernel";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readTree } from "../tidy.ts";
import { lintProse, proseFiles } from "./lint-prose.ts";
import type { TextKind } from "./text.ts";

/**
 * Draws the sentences of a reading test: `node tidy/prose/draw-sentences.ts SEED [--count N] [--tree FOLDER]` prints N comments and N
 * sentences of documents (default 200) as lines of JSON. The same seed draws the same sentences from the same tree.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "200" }, tree: { type: "string" } },
});
const [seed] = positionals;
if (seed === undefined) throw new Error("The seed is missing: node tidy/prose/draw-sentences.ts SEED");
const root = values.tree ?? join(import.meta.dirname, "../..");

interface Sentence {
  readonly kind: "comment" | "document";
  readonly path: string;
  readonly text: string;
}

const wordsMin = 6;
const foundSentences: Sentence[] = [];
for (const file of proseFiles(readTree(root))) await lintProse(file, { collect });
for (const kind of ["comment", "document"] as const)
  for (const sentence of draw(foundSentences.filter((each) => each.kind === kind)))
    process.stdout.write(`${JSON.stringify(sentence)}\n`);

/** `collect` is a textlint rule that reports nothing, and keeps comments whole and documents by sentence. */
function collect(context: Parameters<TextlintRuleReporter>[0]): ReturnType<TextlintRuleReporter> {
  const path = context.getFilePath() ?? "";
  return {
    [context.Syntax.Paragraph]: (node) => {
      const kind = "kind" in node ? (node.kind as TextKind) : "paragraph";
      const raw = context.getSource(node);
      if (kind === "comment") addSentence({ kind, path, text: withoutMarks(raw) });
      if (kind === "paragraph")
        for (const text of sentencesOf(raw)) addSentence({ kind: "document", path, text });
    },
  };
}

function addSentence(sentence: Sentence): void {
  const text = sentence.text.replaceAll(/\s+/g, " ").trim();
  const isDirective = /^(?:oxlint|eslint|@ts-|prettier|shellcheck|language=)/.test(text);
  if (!isDirective && (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= wordsMin)
    foundSentences.push({ ...sentence, text });
}

function withoutMarks(raw: string): string {
  return raw
    .replaceAll(/^[ \t]*(?:\/\*+|\*+(?!\/)|\/\/+|--+|#+|"""|''')/gm, "")
    .replace(/(?:\*+\/|"""|''')\s*$/, "");
}

/**
 * Sentences as a reader sees them: without link targets and bold marks. Code is a capitalised word meanwhile, so that it
 * can begin a sentence and a full stop in it ends none.
 */
function sentencesOf(paragraph: string): string[] {
  const codes: string[] = [];
  const plainText = paragraph
    .replaceAll(/`[^`]+`/g, (code) => `Code${codes.push(code) - 1}◦`)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(/\s+/g, " ");
  const segments = new Intl.Segmenter("en", { granularity: "sentence" }).segment(plainText);
  return [...segments].map(({ segment }) =>
    segment.replaceAll(/Code(\d+)◦/g, (_, nth: string) => codes[Number(nth)] ?? ""),
  );
}

/** Sorts by a hash of seed and sentence, so a change of one file does not change the draw from other files. */
function draw(sentences: readonly Sentence[]): readonly Sentence[] {
  const keyOf = ({ path, text }: Sentence): string =>
    createHash("sha256").update(`${seed}\0${path}\0${text}`).digest("hex");
  const keyed = new Map(sentences.map((sentence) => [keyOf(sentence), sentence]));
  return [...keyed]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, Number(values.count))
    .map(([, sentence]) => sentence);
}
