/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** How a language writes such a value. */
export interface Notation {
  readonly object: readonly [open: string, close: string];
  /** The text inside the brackets of an object that is written on one line. */
  readonly padding: string;
  readonly entry: (key: string, value: string) => string;
  readonly text: (text: string) => string;
  readonly word: (value: boolean | null) => string;
  readonly trailingComma: boolean;
}

const widthMax = 56;

export const jsonNotation: Notation = {
  object: ["{", "}"],
  padding: "",
  entry: (key, value) => `"${key}": ${value}`,
  text: (text) => JSON.stringify(text),
  word: String,
  trailingComma: false,
};

export const typeScriptNotation: Notation = {
  ...jsonNotation,
  padding: " ",
  entry: (key, value) => `${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}: ${value}`,
  trailingComma: true,
};

export const pythonNotation: Notation = {
  ...jsonNotation,
  word: (value) => ({ true: "True", false: "False", null: "None" })[String(value)] ?? "None",
  trailingComma: true,
};

export const phpNotation: Notation = {
  ...jsonNotation,
  object: ["[", "]"],
  entry: (key, value) => `"${key}" => ${value}`,
  text: (text) => JSON.stringify(text).replaceAll("$", String.raw`\$`),
  trailingComma: true,
};

/**
 * A JSON value in the notation of a language: on one line if it is short, otherwise one line for each entry. Entries
 * are indented by `indent` more than the start of the value.
 */
export function formatLiteral(value: Json, notation: Notation, indent = ""): string {
  if (typeof value === "string") return notation.text(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean" || value === null) return notation.word(value);

  const inner = `${indent}  `;
  const [open, close] = isList(value) ? ["[", "]"] : notation.object;
  const items = isList(value)
    ? value.map((item) => formatLiteral(item, notation, inner))
    : Object.entries(value).map(([key, item]) => notation.entry(key, formatLiteral(item, notation, inner)));
  if (items.length === 0) return open + close;

  const padding = open === "{" ? notation.padding : "";
  const line = open + padding + items.join(", ") + padding + close;
  if (line.length <= widthMax && !line.includes("\n")) return line;
  const comma = notation.trailingComma ? "," : "";
  return `${open}\n${items.map((item) => inner + item).join(",\n")}${comma}\n${indent}${close}`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
