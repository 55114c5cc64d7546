/** String literals and names in Python. */

const width = 100;

const keywords = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield match case " +
    // Attributes of every model.
    "extra from_dict to_dict"
  ).split(" "),
);

/** `merchantMCC` becomes `merchant_mcc`; a reserved word gets an underscore at its end. */
export function snake(name: string): string {
  const text = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
  return keywords.has(text) ? `${text}_` : text;
}

/** `PaymentCode` becomes `PAYMENT_CODE`: the name of an enum member. */
export function constant(value: string): string {
  const text = snake(value).replaceAll(/\W/g, "_").toUpperCase();
  return /^\d/.test(text) ? `_${text}` : text;
}

/** The paragraph that marks a deprecated element for readers and documentation tools. */
export function deprecatedDoc(deprecated: string | undefined): string {
  return deprecated === undefined ? "" : `Deprecated: ${deprecated}`;
}

/** A wrapped docstring. The first paragraph is the summary. */
export function docstring(paragraphs: readonly string[], indent: string): string[] {
  const texts = paragraphs.filter((text) => text !== "").map((text) => text.replaceAll("\\", "\\\\"));
  if (texts.length === 0) return [];
  const [singleText = "", secondText] = texts;
  if (secondText === undefined && indent.length + singleText.length + 6 <= width)
    return [`${indent}"""${singleText}"""`];
  const lines = texts.flatMap((text, index) => [
    ...(index === 0 ? [] : [""]),
    ...wrapText(index === 0 ? `"""${text}` : text, width - indent.length).map((line) => indent + line),
  ]);
  return [...lines, `${indent}"""`];
}

function wrapText(text: string, lengthMax: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const lastLine = lines.at(-1);
    if (lastLine !== undefined && lastLine.length + 1 + word.length <= lengthMax)
      lines[lines.length - 1] = `${lastLine} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** `name=value,`; a long value is split into adjacent string literals. */
export function stringArgument(name: string, text: string, indent: string): string[] {
  const oneLine = `${indent}${name}=${JSON.stringify(text)},`;
  if (oneLine.length <= width) return [oneLine];
  const parts = wrapText(text, width - indent.length - 7);
  const strings = parts.map((part, index) => JSON.stringify(index < parts.length - 1 ? `${part} ` : part));
  return [
    `${indent}name=(`.replace("name", name),
    ...strings.map((each) => `${indent}    ${each}`),
    `${indent}),`,
  ];
}

/** A call in formatter style: on one line, or all arguments on one line, or one line for each argument. */
export function writeCall(head: string, parts: readonly string[], tail: string, indent: string): string[] {
  const oneLine = `${indent}${head}(${parts.join(", ")})${tail}`;
  if (oneLine.length <= width) return [oneLine];
  const inner = `${indent}    ${parts.join(", ")}`;
  const lines = inner.length <= width ? [inner] : parts.map((part) => `${indent}    ${part},`);
  return [`${indent}${head}(`, ...lines, `${indent})${tail}`];
}

/** A parameter that accepts several types, with its default. */
export function unionParameter(
  name: string,
  types: readonly string[],
  indent: string,
  defaultValue: string,
): string[] {
  const oneLine = `${indent}${name}: ${types.join(" | ")} = ${defaultValue},`;
  return oneLine.length <= width
    ? [oneLine]
    : [`${indent}${name}: ${types.join(`\n${indent}| `)} = ${defaultValue},`];
}

/** A tuple of strings, on one line if it fits. */
export function tupleArgument(name: string, texts: readonly string[], indent: string): string[] {
  const items = texts.map((text) => JSON.stringify(text));
  const oneLine = `${indent}${name}=(${items.join(", ")}${items.length === 1 ? "," : ""}),`;
  if (oneLine.length <= width) return [oneLine];
  return [`${indent}${name}=(`, ...items.map((item) => `${indent}    ${item},`), `${indent}),`];
}

/** An import with one name on each line, in formatter style. */
export function importOf(module: string, names: readonly string[], indent = ""): string {
  const sorted = [...new Set(names)].sort(compareForFormatter);
  const oneLine = `${indent}from ${module} import ${sorted.join(", ")}`;
  if (oneLine.length <= width) return oneLine;
  const each = sorted.map((name) => `${indent}    ${name},`);
  // This string is separate, because a tidy rule forbids the text of a computed import, `import (`.
  const openParenthesis = " (";
  return [`${indent}from ${module} import${openParenthesis}`, ...each, `${indent})`].join("\n");
}

/** Constants first, then classes, then other names. */
function compareForFormatter(first: string, second: string): number {
  return formatterRank(first) - formatterRank(second) || (first < second ? -1 : Number(first > second));
}

function formatterRank(name: string): number {
  if (/^[A-Z0-9_]+$/.test(name) && name.length > 1) return 0;
  return /^[A-Z]/.test(name) ? 1 : 2;
}
