/** Markup that is sent unchanged. The `html` template escapes every other inserted value (XSS protection). */
export interface Html {
  readonly markup: string;
}

export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  // The indentation of templates is removed; inserted values keep their white space.
  const raw = texts.map((text) => text.replaceAll(/\n\s+/g, "\n"));
  return { markup: String.raw({ raw }, ...parts.map(toMarkup)) };
}

function toMarkup(part: HtmlPart): string {
  if (part === undefined) return "";
  if (typeof part === "string") return part.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
  if (typeof part === "number") return String(part);
  return "markup" in part ? part.markup : part.map(toMarkup).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
