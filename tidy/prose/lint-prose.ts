import { TextlintKernel, type TextlintRuleReporter } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import { matchesGlob, posix } from "node:path";
import type { SourceFile } from "../tidy.ts";
import { codeEndings, codePlugin } from "./code-plugin.ts";

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

type Rules = Readonly<Record<string, TextlintRuleReporter>>;

const kernel = new TextlintKernel();
const plugins = [
  // This CommonJS module has its default export as a property.
  { pluginId: "markdown", plugin: markdown.default },
  { pluginId: "code", plugin: codePlugin },
];

export async function lintProse({ path, text }: SourceFile, rules: Rules): Promise<Finding[]> {
  const { messages } = await kernel.lintText(path.endsWith(".md") ? currentPart(path, text) : text, {
    ext: posix.extname(path),
    filePath: path,
    plugins,
    rules: Object.entries(rules).map(([ruleId, rule]) => ({ ruleId, rule })),
  });
  return messages.map(({ message, loc }) => ({ path, line: loc.start.line, message }));
}

/** A document without the parts that `npm run generate` prints, whose source is linted, and without released versions. */
function currentPart(path: string, text: string): string {
  const printed = /^<!-- (.+?)(?:, printed by `npm run generate`)? -->\n[^]*?^<!-- end of \1 -->$/gm;
  const current =
    posix.basename(path) === "CHANGELOG.md" ? text.replace(/^## (?!Unreleased)[^]*/m, "") : text;
  return current.replaceAll(printed, (found) => found.replaceAll(/[^\n]/g, ""));
}

/** Source files and documents that are written by hand: without generated files and pages of evidence. */
export function proseFiles(tree: readonly SourceFile[]): SourceFile[] {
  const attributes = tree.find(({ path }) => path === ".gitattributes")?.text ?? "";
  const isGenerated = generatedBy(attributes);
  return tree.filter(
    ({ path }) =>
      [".md", ...codeEndings].includes(posix.extname(path)) &&
      !isGenerated(path) &&
      !/(?:^|\/)generated\//.test(path) &&
      (!path.startsWith("docs/evidence/") || path.endsWith("/README.md")),
  );
}

/** Recognises generated files by .gitattributes; the last matching line counts. */
function generatedBy(attributes: string): (path: string) => boolean {
  const marks = [...attributes.matchAll(/^(\S+) (-?)linguist-generated$/gm)].map(([, glob = "", not]) => ({
    glob,
    isGenerated: not === "",
  }));
  return (path) => marks.findLast(({ glob }) => matchesGlob(path, glob))?.isGenerated ?? false;
}
