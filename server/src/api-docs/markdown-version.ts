import type { DocsPage, DocsSite } from "./docs-page.ts";
import { parseElements, textOf, type Element, type Node } from "./read-html.ts";

/** A page as Markdown: a guide's own text, or the content of the HTML page, so that both always agree. */
export function renderMarkdown(site: DocsSite, page: DocsPage): string {
  if (page.source !== undefined) return page.source;
  const blocks = renderBlocks(parseElements(page.content(site).markup)).filter((block) => block !== "");
  const depth = page.path.split("/").length - 2;
  const rootPath = depth === 0 ? "./" : "../".repeat(depth);
  // Links from the root, as on the page, become relative links to the Markdown versions of the pages.
  return `${blocks.join("\n\n")}\n`
    .replaceAll(/\]\(\/(docs[\w/-]*)/g, `](${rootPath}$1.md`)
    .replaceAll("](/", `](${rootPath}`);
}

const hidden = new Set(["svg", "button", "input", "label", "legend"]);
const containers = new Set(["div", "section", "article", "main", "header", "fieldset", "details"]);

/** Blocks of Markdown. Text between the elements of a container is a paragraph. */
function renderBlocks(nodes: readonly Node[]): string[] {
  const blocks: string[] = [];
  let inlineNodes: Node[] = [];
  const endParagraph = (): void => {
    blocks.push(renderInline(inlineNodes).trim());
    inlineNodes = [];
  };
  for (const node of nodes) {
    if (typeof node !== "string" && hidden.has(node.tag)) continue;
    if (typeof node === "string" || !isBlock(node)) {
      inlineNodes.push(node);
      continue;
    }
    endParagraph();
    blocks.push(...renderBlock(node));
  }
  endParagraph();
  return blocks.filter((block) => block !== "");
}

function isBlock({ tag }: Element): boolean {
  return containers.has(tag) || Object.hasOwn(blockWriters, tag);
}

function renderBlock(element: Element): readonly string[] {
  const { tag, attributes, children } = element;
  const write = blockWriters[tag];
  if (write) return write(element);
  const title = attributes["data-title"];
  return [...(title === undefined ? [] : [`**${title}**`]), ...renderBlocks(children)];
}

const headingWriter =
  (marks: string) =>
  ({ children }: Element): string[] => [`${marks} ${renderInline(children).trim()}`];

/** HTML elements that become separate Markdown blocks, with the function that writes their content. */
const blockWriters: Readonly<Record<string, (element: Element) => readonly string[]>> = {
  h1: headingWriter("#"),
  h2: headingWriter("##"),
  h3: headingWriter("###"),
  h4: headingWriter("####"),
  p: ({ children }) => [renderInline(children).trim()],
  pre: ({ attributes, children }) => [
    `\`\`\`${fences[attributes["data-code"] ?? ""] ?? attributes["data-code"] ?? ""}\n${textOf(children)}\n\`\`\``,
  ],
  ul: (element) => [renderList(element, () => "- ")],
  ol: (element) => [renderList(element, (index) => `${index + 1}. `)],
  dl: ({ children }) => [renderDefinitions(children)],
  table: (element) => [renderTable(element)],
  figure: ({ attributes, children }) =>
    attributes["class"] === "signed" ? renderSignedText(children) : renderBlocks(children),
  figcaption: ({ children }) =>
    elementsIn(children).some(({ tag }) => tag === "ol")
      ? renderBlocks(children)
      : [`**${renderInline(children).trim()}**`],
  summary: ({ children }) => [`**${renderInline(children).trim()}**`],
};

const fences: Readonly<Record<string, string>> = { curl: "sh" };

function elementsIn(nodes: readonly Node[]): Element[] {
  return nodes.filter((node) => typeof node !== "string");
}

/** All elements with this name below these nodes, from the outside in. */
function findElements(nodes: readonly Node[], name: string): Element[] {
  return elementsIn(nodes).flatMap((element) => [
    ...(element.tag === name ? [element] : []),
    ...findElements(element.children, name),
  ]);
}

function renderList({ children }: Element, markOf: (index: number) => string): string {
  const items = elementsIn(children).map((item, index) => {
    const mark = markOf(index);
    const blocks = renderBlocks(item.children).join("\n\n");
    return mark + blocks.replaceAll("\n", `\n${" ".repeat(mark.length)}`).replaceAll(/^ +$/gm, "");
  });
  return items.join("\n");
}

function renderDefinitions(children: readonly Node[]): string {
  const entries = [...findElements(children, "dt").entries()].map(([index, term]) => {
    const meaning = findElements(children, "dd")[index];
    return `- ${renderInline(term.children).trim()}: ${renderInline(meaning?.children ?? []).trim()}`;
  });
  return entries.join("\n");
}

/** A table in Markdown. A field is named with its full path, because a Markdown table has no indentation. */
function renderTable({ children }: Element): string {
  const [head, ...rows] = findElements(children, "tr").map((row) =>
    elementsIn(row.children).map((cell, index) => {
      const path = index === 0 ? /^[\w-]+\.(.+)$/.exec(row.attributes["id"] ?? "")?.[1] : undefined;
      const text = path === undefined ? renderCell(cell.children) : `\`${path}\``;
      return text.replaceAll("|", "\\|");
    }),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head ?? []), line((head ?? []).map(() => "---")), ...rows.map(line)].join("\n");
}

/** The values of a field on one line; the page shows them as a list. */
function renderCell(nodes: readonly Node[]): string {
  const parts = nodes.map((node) =>
    typeof node !== "string" && node.tag === "ul"
      ? ` ${elementsIn(node.children)
          .map(({ children }) => renderInline(children).trim())
          .join("; ")} `
      : renderInline([node]),
  );
  return parts.join("").replaceAll(/\s+/g, " ").trim();
}

/** The figure of the signed text: its lines, then the explanation. */
function renderSignedText(children: readonly Node[]): string[] {
  const lines = elementsIn(children)
    .filter(({ tag }) => tag === "div")
    .map((line) =>
      findElements(line.children, "code")
        .map((code) => textOf(code.children))
        .join(""),
    );
  const recipe = findElements(children, "figcaption").flatMap((caption) => renderBlocks(caption.children));
  return [`\`\`\`\n${lines.join("\n")}\n\`\`\``, ...recipe];
}

function renderInline(nodes: readonly Node[]): string {
  return nodes
    .map((node) => (typeof node === "string" ? node.replaceAll("<", "\\<") : renderSpan(node)))
    .join("")
    .replaceAll(/\s+/g, " ");
}

function renderSpan({ tag, attributes, children }: Element): string {
  const text = renderInline(children);
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
