/** A parser for our own markup: every element is closed, every attribute is quoted or bare. */
export type Node = Element | string;

export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: Node[];
}

const empty = new Set(["br", "wbr", "input", "meta", "link", "path"]);

export function readElements(markup: string): readonly Node[] {
  const root: Element = { tag: "", attributes: {}, children: [] };
  const open = [root];
  let end = 0;
  for (const match of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g)) {
    const [tag, closes, name = "", attributes = ""] = match;
    const parent = open.at(-1) ?? root;
    if (match.index > end) parent.children.push(decoded(markup.slice(end, match.index)));
    end = match.index + tag.length;
    if (closes) {
      if (parent.tag !== name) throw new Error(`</${name}> closes <${parent.tag}>.`);
      open.pop();
      continue;
    }
    const element: Element = { tag: name, attributes: attributesIn(attributes), children: [] };
    parent.children.push(element);
    if (!empty.has(name)) open.push(element);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.tag}> is not closed.`);
  root.children.push(decoded(markup.slice(end)));
  return root.children;
}

export function textOf(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
}

function attributesIn(text: string): Element["attributes"] {
  const found = text.matchAll(/([\w:-]+)(?:="([^"]*)")?/g);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, decoded(value)]));
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

function decoded(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
}
