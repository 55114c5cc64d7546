import { phpQuoted } from "./names.ts";
import { generatedNotice, type GeneratedFile } from "./emitter.ts";

/** A file with one class. */
export function file(namespace: string, name: string, uses: readonly string[], text: string): GeneratedFile {
  const imports = [...new Set(uses)].sort().map((use) => `use Tollgate\\${use};`);
  const parts = [
    "<?php",
    `// ${generatedNotice}`,
    "declare(strict_types=1);",
    `namespace Tollgate\\${namespace};`,
    ...(imports.length === 0 ? [] : [imports.join("\n")]),
    text,
  ];
  return { path: `php/src/${namespace}/${name}.php`, text: `${parts.join("\n\n")}\n` };
}

export const quotedList = (texts: readonly string[]): string => `[${texts.map(phpQuoted).join(", ")}]`;

export function listInLines(texts: readonly string[], indent: number): string {
  const space = " ".repeat(indent);
  return `[\n${texts.map((text) => `${space}    ${phpQuoted(text)},\n`).join("")}${space}]`;
}

/** A doc comment of paragraphs, on one line if it fits. */
export function comment(paragraphs: readonly string[], indent: number): string {
  const space = " ".repeat(indent);
  const texts = paragraphs.filter((text) => text !== "").map((text) => text.replaceAll("*/", "* /"));
  if (texts.length === 0) return "";
  const singleText = texts.length === 1 ? (texts[0] ?? "") : "\n";
  if (!singleText.includes("\n") && singleText.length <= 110 - indent)
    return `${space}/** ${singleText} */\n`;
  const body = texts
    .map((text) => text.split("\n").flatMap((line) => wrapText(line, 115 - indent)))
    .map((rows) => rows.map((row) => `${space} * ${row}\n`).join(""))
    .join(`${space} *\n`);
  return `${space}/**\n${body}${space} */\n`;
}

/** Writes the items on one line if they fit, otherwise on one line each. */
export function joinOrBreakLines(before: string, parts: readonly string[], after: string): string {
  const oneLine = `${before}${parts.join(", ")}${after}`;
  if (oneLine.length <= 120) return oneLine;
  const indent = " ".repeat(before.length - before.trimStart().length);
  return `${before}\n${parts.map((part) => `${indent}    ${part},\n`).join("")}${indent}${after}`;
}

export function wrapText(text: string, width: number): string[] {
  return text.split(" ").reduce<string[]>((rows, word) => {
    const lastRow = rows.at(-1);
    if (lastRow === undefined || lastRow.length + 1 + word.length > width) return [...rows, word];
    return [...rows.slice(0, -1), `${lastRow} ${word}`];
  }, []);
}
