/** A parser for our own markup: every element is closed, every attribute is quoted or bare. */
export type Node = Element | string;

export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: Node[];
}

const voidTags = new Set(["br", "wbr", "input", "meta", "link", "path"]);

export function parseElements(markup: string): readonly Node[] {
  const root: Element = { tag: "", attributes: {}, children: [] };
  const openElements = [root];
  let end = 0;
  for (const match of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g)) {
    const [tag, isClosing, name = "", attributes = ""] = match;
    const parent = openElements.at(-1) ?? root;
    if (match.index > end) parent.children.push(decodeEntities(markup.slice(end, match.index)));
    end = match.index + tag.length;
    if (isClosing) {
      if (parent.tag !== name) throw new Error(`</${name}> closes <${parent.tag}>.`);
      openElements.pop();
      continue;
    }
    const element: Element = { tag: name, attributes: parseAttributes(attributes), children: [] };
    parent.children.push(element);
    if (!voidTags.has(name)) openElements.push(element);
  }
  if (openElements.length > 1) throw new Error(`<${openElements.at(-1)?.tag}> is not closed.`);
  root.children.push(decodeEntities(markup.slice(end)));
  return root.children;
}

export function textOf(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
}

function parseAttributes(text: string): Element["attributes"] {
  const matches = text.matchAll(/([\w:-]+)(?:="([^"]*)")?/g);
  return Object.fromEntries([...matches].map(([, name = "", value = ""]) => [name, decodeEntities(value)]));
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
}
