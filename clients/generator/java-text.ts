import { generatedNotice, type GeneratedFile } from "./emitter.ts";
import { upperFirst } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

const sources = "java/src/main/java";
const lineLength = 110;

/** A file with one class. Imports are sorted and unique. */
export function javaFile(
  packageName: string,
  className: string,
  imports: Iterable<string>,
  body: string,
): GeneratedFile {
  const sortedImports = [...new Set(imports)].filter((name) => !isInPackage(packageName, name)).sort();
  const parts = [
    `// ${generatedNotice}\npackage ${packageName};`,
    ...(sortedImports.length === 0 ? [] : [sortedImports.map((name) => `import ${name};`).join("\n")]),
    body,
  ];
  const path = `${sources}/${packageName.replaceAll(".", "/")}/${className}.java`;
  return { path, text: `${parts.join("\n\n")}\n` };
}

function isInPackage(packageName: string, className: string): boolean {
  return className.slice(0, className.lastIndexOf(".")) === packageName;
}

export const packages = {
  base: "io.tollgate",
  model: "io.tollgate.model",
  codec: "io.tollgate.internal.codec",
  call: "io.tollgate.internal.call",
  json: "io.tollgate.internal.json",
  generated: "io.tollgate.internal.generated",
} as const;

export function javaType(type: TypeReference): string {
  switch (type.kind) {
    case "text":
      return "String";
    case "integer":
      return "Long";
    case "number":
      return "BigDecimal";
    case "boolean":
      return "Boolean";
    case "anything":
      return "Object";
    case "object":
    case "enum":
      return type.name;
    case "list":
      return `List<${javaType(type.of)}>`;
    case "map":
      return `Map<String, ${javaType(type.of)}>`;
  }
}

/** The classes that a value of this type imports. */
export function importsOf(type: TypeReference): string[] {
  switch (type.kind) {
    case "number":
      return ["java.math.BigDecimal"];
    case "object":
    case "enum":
      return [`${packages.model}.${type.name}`];
    case "list":
      return ["java.util.List", ...importsOf(type.of)];
    case "map":
      return ["java.util.Map", ...importsOf(type.of)];
    case "text":
    case "integer":
    case "boolean":
    case "anything":
      return [];
  }
}

export const codecName = (type: string): string => `${type}Codec`;
export const areaName = (area: string): string => `${upperFirst(area)}Area`;

/** A Java string literal. JSON's escapes are used, because each is valid in Java. */
export const quoteJava = (text: string): string => JSON.stringify(text);

/** A doc comment: on one line if it fits, otherwise with a line for each tag. Empty if there is no text. */
export function javadoc(text: string, tags: readonly string[] = [], indent = ""): string {
  const markedUp = writeMarkup(text);
  if (markedUp === "" && tags.length === 0) return "";
  if (tags.length === 0 && indent.length + markedUp.length + 7 <= lineLength)
    return `${indent}/** ${markedUp} */\n`;
  const paragraphs = [
    ...(markedUp === "" ? [] : wrapText(markedUp, lineLength - indent.length - 3)),
    ...(markedUp === "" || tags.length === 0 ? [] : [""]),
    ...tags.flatMap((tag) => hangingIndent(writeMarkup(tag), lineLength - indent.length - 3)),
  ];
  const lines = paragraphs.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}`);
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`;
}

/** A doc comment; for a deprecated element also the `@Deprecated` annotation. */
export function javaDeprecation(doc: string, deprecated: string | undefined, indent: string): string {
  if (deprecated === undefined) return javadoc(doc, [], indent);
  return `${javadoc(doc, [`@deprecated ${deprecated}`], indent)}${indent}@Deprecated\n`;
}

function writeMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("*/", "*&#47;")
    .replaceAll(/`([^`]*)`/g, "{@code $1}");
}

function wrapText(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const lastLine = lines.at(-1);
    if (lastLine !== undefined && lastLine.length + 1 + word.length <= length)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

function hangingIndent(text: string, length: number): string[] {
  return wrapText(text, length - 4).map((line, index) => (index === 0 ? line : `    ${line}`));
}

/** Writes `head(a, b)` on one line if it fits, otherwise with one line for each item. */
export function joinOrBreakLines(
  head: string,
  items: readonly string[],
  tail: string,
  indent: string,
): string {
  const oneLine = `${indent}${head}${items.join(", ")}${tail}`;
  if (oneLine.length <= lineLength) return oneLine;
  return `${indent}${head}\n${items.map((item) => `${indent}    ${item}`).join(",\n")}${tail}`;
}
