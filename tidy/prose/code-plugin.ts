import type { TextlintPluginCreator } from "@textlint/kernel";
import { otherEndings, otherTexts } from "./other-texts.ts";
import type { Text } from "./text.ts";
import { typescriptTexts } from "./typescript-texts.ts";

type Processor = InstanceType<TextlintPluginCreator["Processor"]>;
type Hooks = ReturnType<Processor["processor"]>;
type Document = Extract<Awaited<ReturnType<Hooks["preProcess"]>>, { readonly type: string }>;
type Paragraph = Document["children"][number] & { readonly kind: Text["kind"] };
type Position = Document["loc"]["start"];

const typescriptEndings = [".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs"];
export const codeEndings = [...typescriptEndings, ...otherEndings];

/** Shows textlint each comment and each sentence in a string literal of a source file as a paragraph. */
function createProcessor(): Processor {
  return {
    availableExtensions: () => codeEndings,
    processor: () => ({
      preProcess: (source, path = "") => documentOf(source, extractTexts(path, source)),
      postProcess: (messages, filePath = "") => ({ messages, filePath }),
    }),
  };
}

export const codePlugin: TextlintPluginCreator = {
  // `Processor` is not an arrow function, because textlint calls it with `new`.
  Processor: function Processor() {
    return createProcessor();
  } as unknown as TextlintPluginCreator["Processor"],
};

function extractTexts(path: string, source: string): Text[] {
  const isTypescript = typescriptEndings.some((ending) => path.endsWith(ending));
  return isTypescript ? typescriptTexts(path, source) : otherTexts(path, source);
}

function documentOf(source: string, texts: readonly Text[]): Document {
  const positionOf = positionsIn(source);
  const node = ({ start, end }: Omit<Text, "kind">) => ({
    raw: source.slice(start, end),
    range: [start, end] as const,
    loc: { start: positionOf(start), end: positionOf(end) },
  });
  const children = texts.map((text): Paragraph => {
    const value = source.slice(text.start, text.end);
    return {
      type: "Paragraph",
      kind: text.kind,
      ...node(text),
      children: [{ type: "Str", value, ...node(text) }],
    };
  });
  return { type: "Document", ...node({ start: 0, end: source.length }), children };
}

/** Line from 1 and column from 0, as textlint requires. Offsets must ascend, or the search starts again. */
function positionsIn(source: string): (offset: number) => Position {
  let line = 1;
  let lineStart = 0;
  return (offset) => {
    if (offset < lineStart) [line, lineStart] = [1, 0];
    for (
      let next = source.indexOf("\n", lineStart);
      next !== -1 && next < offset;
      next = source.indexOf("\n", lineStart)
    ) {
      line += 1;
      lineStart = next + 1;
    }
    return { line, column: offset - lineStart };
  };
}
