import { html, type Html, type HtmlPart } from "../formats/html.ts";
import { plainCode, codePre } from "./code-block.ts";
import { isCodeLanguage } from "./highlight.ts";

/**
 * The Markdown of our guides: headings, paragraphs, fenced code, lists, tables and quotes; within a line code, links,
 * strong and emphasis. Any other Markdown throws, so that no markup is published by mistake.
 */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly code: string }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] };

export function parseMarkdown(text: string): Block[] {
  return blocksOf(text.replaceAll(/^<!--[\s\S]*?-->$/gm, "").split("\n"));
}

/** Reads one kind of block at the start of these lines: returns the block, and its number of lines. */
type BlockReader = (lines: readonly string[]) => readonly [Block, number] | undefined;

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let rest = lines;
  while (rest.length > 0) {
    if (rest[0]?.trim() === "") {
      rest = rest.slice(1);
      continue;
    }
    const [block, lineCount] = readFirstBlock(rest) ?? rejectMarkdown(rest);
    blocks.push(block);
    rest = rest.slice(lineCount);
  }
  return blocks;
}

/**
 * The first block reader that accepts these lines wins and the later readers are skipped, so that text inside a code
 * block is not read as a paragraph.
 */
function readFirstBlock(lines: readonly string[]): ReturnType<BlockReader> {
  for (const read of readers) {
    const match = read(lines);
    if (match) return match;
  }
  return undefined;
}

function rejectMarkdown([line = ""]: readonly string[]): never {
  throw new Error(`This Markdown is not among what guides may use: ${line}`);
}

const listItem = /^(?:[-*]|(\d+)[.)]) +/;
/** Unsupported Markdown: HTML, pictures, reference links, rules and underlined headings. */
const unsupported = /^(?:<|!\[|\[[^\]]+\]: |(?:-{3,}|\*{3,}|={2,})\s*$|#{5,}|\t| {4,})/;
const startsBlock = /^(?:#{1,4} |```|> ?|\||(?:[-*]|\d+[.)]) )/;

const heading: BlockReader = ([line = ""]) => {
  const [, marks, text = ""] = /^(#{1,4}) +(.+?)\s*$/.exec(line) ?? [];
  return marks === undefined ? undefined : [{ kind: "heading", level: marks.length, text }, 1];
};

const code: BlockReader = ([first = "", ...others]) => {
  const language = /^```([\w-]*)/.exec(first)?.[1];
  if (language === undefined) return undefined;
  const end = others.findIndex((line) => line.trimEnd() === "```");
  if (end < 0) return rejectMarkdown([`${first} has no end`]);
  return [{ kind: "code", language, code: others.slice(0, end).join("\n") }, end + 2];
};

const quote: BlockReader = (lines) => {
  const quotedLines = lines.slice(
    0,
    countWhile(lines, (line) => line.startsWith(">")),
  );
  if (quotedLines.length === 0) return undefined;
  return [
    { kind: "quote", blocks: blocksOf(quotedLines.map((line) => line.replace(/^> ?/, ""))) },
    quotedLines.length,
  ];
};

const table: BlockReader = (lines) => {
  const rows = lines
    .slice(
      0,
      countWhile(lines, (line) => line.startsWith("|")),
    )
    .map(cellsOf);
  const [head, dashes, ...body] = rows;
  if (!head) return undefined;
  if (!dashes?.every((cell) => /^:?-+:?$/.test(cell)) || rows.some(({ length }) => length !== head.length))
    return rejectMarkdown(lines);
  return [{ kind: "table", head, rows: body }, rows.length];
};

/** A bar inside code does not end a cell. */
function cellsOf(line: string): string[] {
  const cells =
    line
      .trim()
      .slice(1, -1)
      .match(/(?:`[^`]*`|\\\||[^|`])+/g) ?? [];
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A list. The list marks define the level of an item; text that is indented further belongs to the item. */
const list: BlockReader = (lines) => {
  const first = listItem.exec(lines[0] ?? "");
  if (!first) return undefined;
  const lineCount = countWhile(lines, (line, index) => {
    if (listItem.test(line) || /^ {2,}\S/.test(line)) return true;
    if (line.trim() === "") return /^(?: {2,}\S|(?:[-*]|\d+[.)]) )/.test(lines[index + 1] ?? "");
    return !startsBlock.test(line) && lines[index - 1]?.trim() !== "";
  });
  const items: string[][] = [];
  for (const line of lines.slice(0, lineCount)) {
    if (listItem.test(line)) items.push([line.replace(listItem, "")]);
    else items.at(-1)?.push(line.replace(/^ {2,4}/, ""));
  }
  return [{ kind: "list", ordered: first[1] !== undefined, items: items.map(blocksOf) }, lineCount];
};

const paragraph: BlockReader = (lines) => {
  if (unsupported.test(lines[0] ?? "")) return undefined;
  const lineCount = countWhile(
    lines,
    (line, index) => line.trim() !== "" && (index === 0 || !startsBlock.test(line)),
  );
  const text = lines.slice(0, lineCount);
  if (text.some((line) => unsupported.test(line.trimStart()))) return rejectMarkdown(text);
  return [{ kind: "paragraph", text: text.map((line) => line.trim()).join(" ") }, lineCount];
};

const readers: readonly BlockReader[] = [heading, code, quote, table, list, paragraph];

function countWhile(lines: readonly string[], accepts: (line: string, index: number) => boolean): number {
  const end = lines.findIndex((line, index) => !accepts(line, index));
  return end < 0 ? lines.length : end;
}

/** The address of a link; undefined if it leads nowhere on this site. */
type AddressOf = (link: string) => string | undefined;

export function markdownToHtml(blocks: readonly Block[], addressOf: AddressOf): Html {
  return html`${blocks.map((block) => blockToHtml(block, addressOf))}`;
}

function blockToHtml(block: Block, addressOf: AddressOf): Html {
  const line = (text: string): Html => lineToHtml(text, addressOf);
  switch (block.kind) {
    case "heading":
      return headingToHtml(block.level, block.text, line(block.text));
    case "paragraph":
      return html`<p>${line(block.text)}</p> `;
    case "code":
      return html`<figure class="code">${codeToHtml(block.language, block.code)}</figure> `;
    case "quote":
      return html`<blockquote>${markdownToHtml(block.blocks, addressOf)}</blockquote> `;
    case "list": {
      const items = block.items.map((item) => html`<li>${itemToHtml(item, addressOf)}</li> `);
      return block.ordered
        ? html`<ol>
            ${items}
          </ol> `
        : html`<ul>
            ${items}
          </ul> `;
    }
    case "table":
      return html`<table>
        <thead>
          <tr>
            ${block.head.map((cell) => html`<th scope="col">${line(cell)}</th> `)}
          </tr>
        </thead>
        <tbody>
          ${block.rows.map(
            (cells) =>
              html`<tr>
                ${cells.map((cell) => html`<td>${line(cell)}</td> `)}
              </tr> `,
          )}
        </tbody>
      </table> `;
  }
}

/** The HTML of a list item. An item with a single paragraph becomes one line without `p`. */
function itemToHtml(item: readonly Block[], addressOf: AddressOf): Html {
  const [first, ...others] = item;
  if (first?.kind !== "paragraph") return markdownToHtml(item, addressOf);
  return html`${lineToHtml(first.text, addressOf)} ${markdownToHtml(others, addressOf)}`;
}

function headingToHtml(level: number, text: string, content: Html): Html {
  const id = anchorOf(text);
  if (level === 1) return html`<h1>${content}</h1> `;
  const link = html`<a class="anchor" href="#${id}" aria-label="Link to this part">#</a>`;
  if (level === 2) return html`<h2 id="${id}">${content}${link}</h2> `;
  return level === 3 ? html`<h3 id="${id}">${content}${link}</h3> ` : html`<h4 id="${id}">${content}</h4> `;
}

/**
 * The anchor of a heading. It is the same as on well-known code hosts, so that links between the files also work on the
 * site.
 */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

function codeToHtml(language: string, text: string): Html {
  const codeLanguage = fenceLanguages[language] ?? language;
  return isCodeLanguage(codeLanguage) ? codePre(text, codeLanguage) : plainCode(text);
}

const fenceLanguages: Readonly<Record<string, string>> = {
  sh: "curl",
  bash: "curl",
  shell: "curl",
  ts: "typescript",
  js: "typescript",
  javascript: "typescript",
  py: "python",
};

const inlineForm =
  /`` (?<quoted>.+?) ``|`(?<code>[^`]+)`|\[(?<text>(?:`[^`]*`|[^\]`])*)\]\((?<link>[^()\s]+)\)|\*\*(?<strong>(?:`[^`]*`|[^*`])+)\*\*|(?<![\w*])[*_](?<em>[^*_`]+)[*_](?![\w*])/g;

function lineToHtml(text: string, addressOf: AddressOf): Html {
  const parts: HtmlPart[] = [];
  let end = 0;
  for (const match of text.matchAll(inlineForm)) {
    parts.push(plainText(text.slice(end, match.index)), spanToHtml(match.groups ?? {}, addressOf));
    end = match.index + match[0].length;
  }
  return html`${[...parts, plainText(text.slice(end))]}`;
}

function spanToHtml(groups: Readonly<Record<string, string | undefined>>, addressOf: AddressOf): Html {
  const nested = (text: string): Html => lineToHtml(text, addressOf);
  const { quoted, code: word = quoted, text, link, strong, em } = groups;
  if (word !== undefined) return html`<code>${word}</code>`;
  if (strong !== undefined) return html`<strong>${nested(strong)}</strong>`;
  if (text === undefined || link === undefined) return html`<em>${em}</em>`;
  const address = addressOf(link);
  if (address !== undefined) return html`<a href="${address}">${nested(text)}</a>`;
  return html`<span class="elsewhere" title="In the repository: ${link}">${nested(text)}</span>`;
}

/** Plain text between Markdown marks. It must not look like HTML or a picture, which are not supported. */
function plainText(text: string): string {
  if (/<\/?[a-z!][^>]*>|!\[|\]\(/i.test(text)) return rejectMarkdown([text]);
  return text.replaceAll(/\\([\\`*_{}[\]()#+.!|<>-])/g, "$1");
}
