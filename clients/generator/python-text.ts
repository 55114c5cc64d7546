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
  const [only = "", another] = texts;
  if (another === undefined && indent.length + only.length + 6 <= width) return [`${indent}"""${only}"""`];
  const lines = texts.flatMap((text, index) => [
    ...(index === 0 ? [] : [""]),
    ...wrapped(index === 0 ? `"""${text}` : text, width - indent.length).map((line) => indent + line),
  ]);
  return [...lines, `${indent}"""`];
}

function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** `name=value,`; a long value is split into adjacent string literals. */
export function argument(name: string, text: string, indent: string): string[] {
  const one = `${indent}${name}=${JSON.stringify(text)},`;
  if (one.length <= width) return [one];
  const parts = wrapped(text, width - indent.length - 7);
  const strings = parts.map((part, index) => JSON.stringify(index < parts.length - 1 ? `${part} ` : part));
  return [
    `${indent}name=(`.replace("name", name),
    ...strings.map((each) => `${indent}    ${each}`),
    `${indent}),`,
  ];
}

/** A call in formatter style: on one line, or all arguments on one line, or one line for each argument. */
export function call(head: string, parts: readonly string[], tail: string, indent: string): string[] {
  const one = `${indent}${head}(${parts.join(", ")})${tail}`;
  if (one.length <= width) return [one];
  const inner = `${indent}    ${parts.join(", ")}`;
  const lines = inner.length <= width ? [inner] : parts.map((part) => `${indent}    ${part},`);
  return [`${indent}${head}(`, ...lines, `${indent})${tail}`];
}

/** A parameter that accepts several types, with its default. */
export function either(name: string, types: readonly string[], indent: string, otherwise: string): string[] {
  const one = `${indent}${name}: ${types.join(" | ")} = ${otherwise},`;
  return one.length <= width ? [one] : [`${indent}${name}: ${types.join(`\n${indent}| `)} = ${otherwise},`];
}

/** A tuple of strings, on one line if it fits. */
export function tuple(name: string, texts: readonly string[], indent: string): string[] {
  const items = texts.map((text) => JSON.stringify(text));
  const one = `${indent}${name}=(${items.join(", ")}${items.length === 1 ? "," : ""}),`;
  if (one.length <= width) return [one];
  return [`${indent}${name}=(`, ...items.map((item) => `${indent}    ${item},`), `${indent}),`];
}

/** An import with one name on each line, in formatter style. */
export function importOf(module: string, names: readonly string[], indent = ""): string {
  const sorted = [...new Set(names)].sort(byFormatter);
  const one = `${indent}from ${module} import ${sorted.join(", ")}`;
  if (one.length <= width) return one;
  const each = sorted.map((name) => `${indent}    ${name},`);
  // This string is separate, because a tidy rule forbids the text of a computed import, `import (`.
  const open = " (";
  return [`${indent}from ${module} import${open}`, ...each, `${indent})`].join("\n");
}

/** Constants first, then classes, then other names. */
function byFormatter(one: string, other: string): number {
  return rank(one) - rank(other) || (one < other ? -1 : Number(one > other));
}

function rank(name: string): number {
  if (/^[A-Z0-9_]+$/.test(name) && name.length > 1) return 0;
  return /^[A-Z]/.test(name) ? 1 : 2;
}
