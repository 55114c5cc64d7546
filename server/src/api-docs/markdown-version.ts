import type { DocsPage, Site } from "./docs-page.ts";
import { readElements, textOf, type Element, type Node } from "./read-html.ts";

/** A page as Markdown: a guide's own text, or the content of the HTML page, so that both always agree. */
export function markdownTwin(site: Site, page: DocsPage): string {
  if (page.source !== undefined) return page.source;
  const blocks = blocksOf(readElements(page.content(site).markup)).filter((block) => block !== "");
  const depth = page.path.split("/").length - 2;
  const up = depth === 0 ? "./" : "../".repeat(depth);
  // Links from the root, as on the page, become relative links to the Markdown versions of the pages.
  return `${blocks.join("\n\n")}\n`
    .replaceAll(/\]\(\/(docs[\w/-]*)/g, `](${up}$1.md`)
    .replaceAll("](/", `](${up}`);
}

const hidden = new Set(["svg", "button", "input", "label", "legend"]);
const containers = new Set(["div", "section", "article", "main", "header", "fieldset", "details"]);

/** Blocks of Markdown. Text between the elements of a container is a paragraph. */
function blocksOf(nodes: readonly Node[]): string[] {
  const blocks: string[] = [];
  let line: Node[] = [];
  const endLine = (): void => {
    blocks.push(inlineOf(line).trim());
    line = [];
  };
  for (const node of nodes) {
    if (typeof node !== "string" && hidden.has(node.tag)) continue;
    if (typeof node === "string" || !isBlock(node)) {
      line.push(node);
      continue;
    }
    endLine();
    blocks.push(...blockOf(node));
  }
  endLine();
  return blocks.filter((block) => block !== "");
}

function isBlock({ tag }: Element): boolean {
  return containers.has(tag) || Object.hasOwn(blockWriters, tag);
}

function blockOf(element: Element): readonly string[] {
  const { tag, attributes, children } = element;
  const write = blockWriters[tag];
  if (write) return write(element);
  const title = attributes["data-title"];
  return [...(title === undefined ? [] : [`**${title}**`]), ...blocksOf(children)];
}

const headingWriter =
  (marks: string) =>
  ({ children }: Element): string[] => [`${marks} ${inlineOf(children).trim()}`];

/** HTML elements that become separate Markdown blocks, with the function that writes their content. */
const blockWriters: Readonly<Record<string, (element: Element) => readonly string[]>> = {
  h1: headingWriter("#"),
  h2: headingWriter("##"),
  h3: headingWriter("###"),
  h4: headingWriter("####"),
  p: ({ children }) => [inlineOf(children).trim()],
  pre: ({ attributes, children }) => [
    `\`\`\`${fences[attributes["data-code"] ?? ""] ?? attributes["data-code"] ?? ""}\n${textOf(children)}\n\`\`\``,
  ],
  ul: (element) => [listOf(element, () => "- ")],
  ol: (element) => [listOf(element, (index) => `${index + 1}. `)],
  dl: ({ children }) => [definitionsOf(children)],
  table: (element) => [tableOf(element)],
  figure: ({ attributes, children }) =>
    attributes["class"] === "signed" ? signedOf(children) : blocksOf(children),
  figcaption: ({ children }) =>
    elementsIn(children).some(({ tag }) => tag === "ol")
      ? blocksOf(children)
      : [`**${inlineOf(children).trim()}**`],
  summary: ({ children }) => [`**${inlineOf(children).trim()}**`],
};

const fences: Readonly<Record<string, string>> = { curl: "sh" };

function elementsIn(nodes: readonly Node[]): Element[] {
  return nodes.filter((node) => typeof node !== "string");
}

/** All elements with this name below these nodes, from the outside in. */
function allOf(nodes: readonly Node[], name: string): Element[] {
  return elementsIn(nodes).flatMap((element) => [
    ...(element.tag === name ? [element] : []),
    ...allOf(element.children, name),
  ]);
}

function listOf({ children }: Element, markOf: (index: number) => string): string {
  const items = elementsIn(children).map((item, index) => {
    const mark = markOf(index);
    const blocks = blocksOf(item.children).join("\n\n");
    return mark + blocks.replaceAll("\n", `\n${" ".repeat(mark.length)}`).replaceAll(/^ +$/gm, "");
  });
  return items.join("\n");
}

function definitionsOf(children: readonly Node[]): string {
  const entries = [...allOf(children, "dt").entries()].map(([index, term]) => {
    const meaning = allOf(children, "dd")[index];
    return `- ${inlineOf(term.children).trim()}: ${inlineOf(meaning?.children ?? []).trim()}`;
  });
  return entries.join("\n");
}

/** A table in Markdown. A field is named with its full path, because a Markdown table has no indentation. */
function tableOf({ children }: Element): string {
  const [head, ...rows] = allOf(children, "tr").map((row) =>
    elementsIn(row.children).map((cell, index) => {
      const path = index === 0 ? /^[\w-]+\.(.+)$/.exec(row.attributes["id"] ?? "")?.[1] : undefined;
      const text = path === undefined ? cellOf(cell.children) : `\`${path}\``;
      return text.replaceAll("|", "\\|");
    }),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head ?? []), line((head ?? []).map(() => "---")), ...rows.map(line)].join("\n");
}

/** The values of a field on one line; the page shows them as a list. */
function cellOf(nodes: readonly Node[]): string {
  const parts = nodes.map((node) =>
    typeof node !== "string" && node.tag === "ul"
      ? ` ${elementsIn(node.children)
          .map(({ children }) => inlineOf(children).trim())
          .join("; ")} `
      : inlineOf([node]),
  );
  return parts.join("").replaceAll(/\s+/g, " ").trim();
}

/** The figure of the signed text: its lines, then the explanation. */
function signedOf(children: readonly Node[]): string[] {
  const lines = elementsIn(children)
    .filter(({ tag }) => tag === "div")
    .map((line) =>
      allOf(line.children, "code")
        .map((code) => textOf(code.children))
        .join(""),
    );
  const recipe = allOf(children, "figcaption").flatMap((caption) => blocksOf(caption.children));
  return [`\`\`\`\n${lines.join("\n")}\n\`\`\``, ...recipe];
}

function inlineOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => (typeof node === "string" ? node.replaceAll("<", "\\<") : spanOf(node)))
    .join("")
    .replaceAll(/\s+/g, " ");
}

function spanOf({ tag, attributes, children }: Element): string {
  const text = inlineOf(children);
  const { class: kind = "" } = attributes;
  if (hidden.has(tag) || kind === "anchor" || kind === "tab-group") return "";
  // The letter before a result code.
  if (kind.startsWith("status")) return `${text} `;
  if (tag === "code") return `\`${textOf(children)}\``;
  if (tag === "a") return `[${text.trim()}](${attributes["href"]})`;
  if (tag === "strong" || tag === "b") return `**${text}**`;
  if (tag === "em") return `*${text}*`;
  // A `span` without a class is a separate part of the page, such as the description after a link in a list.
  return tag === "span" && kind === "" ? ` ${text}` : text;
}
