import type { Operation } from "../contract/operation.ts";
import { notifications } from "../catalog/notifications.ts";
import { results } from "../core/result.ts";
import type { DocsPage, DocsSite } from "./docs-page.ts";
import { operationAddress, examplesOf } from "./site-facts.ts";
import type { SchemaNode } from "./fields.ts";
import { anchorOf, parseMarkdown } from "./markdown.ts";
import { openSearch, type Entry } from "./open-search.ts";
import { searchSynonyms } from "./search-synonyms.ts";

/** All search entries: every page, the parts of guides, and every result code. */
export function searchEntries(site: DocsSite): readonly Entry[] {
  return [...site.pages.flatMap((page) => pageEntries(site, page)), ...codeEntries()];
}

/** The search as a script for the browser: the entries, and the same search function that the tests run. */
export function searchScript(site: DocsSite): string {
  return `export const entries = ${JSON.stringify(searchEntries(site))};\nexport const openSearch = ${openSearch.toString()};\n`;
}

function pageEntries(site: DocsSite, page: DocsPage): Entry[] {
  const { path, title, description, kind } = page;
  const entry: Entry = {
    title,
    path,
    kind,
    about: description,
    asked: searchSynonyms[path] ?? "",
    words: searchWordsOf(site, page).join(" "),
  };
  return page.source === undefined ? [entry] : [entry, ...guideSections(page, page.source)];
}

/** Names of fields, values and examples of a page, so that a search for a name finds the page. */
function searchWordsOf({ facts: { operations } }: DocsSite, { path, source }: DocsPage): string[] {
  const operation = operations.find((each) => operationAddress(each) === path);
  if (operation) return operationWords(operation);
  const webhook = notifications.find(({ kind }) => path === `/docs/notifications/${kind}`);
  if (webhook) return [...new Set(namesInSchema(webhook.body))];
  return source === undefined ? [] : [guideWords(source)];
}

function operationWords(operation: Operation): string[] {
  const { path, description = "", request, response } = operation;
  const titles = examplesOf(operation).map(({ title }) => title);
  return [path, description, ...titles, ...new Set([...namesInSchema(request), ...namesInSchema(response)])];
}

function namesInSchema(schema: SchemaNode): string[] {
  const inner = schema.items ?? schema;
  const values = inner.enum && inner.enum.length < 40 ? inner.enum : [];
  const fields = Object.entries(inner.properties ?? {});
  return [...values, ...fields.flatMap(([name, field]) => [name, ...namesInSchema(field)])];
}

function guideWords(source: string): string {
  const blocks = parseMarkdown(source);
  return blocks.map((block) => ("text" in block ? block.text : "")).join(" ");
}

/** A part of a guide below a second-level heading. */
function guideSections({ path, title }: DocsPage, source: string): Entry[] {
  return parseMarkdown(source).flatMap((block) =>
    block.kind === "heading" && block.level === 2
      ? [
          {
            title: block.text,
            path: `${path}#${anchorOf(block.text)}`,
            kind: "guide",
            about: title,
            asked: "",
            words: "",
          },
        ]
      : [],
  );
}

function codeEntries(): Entry[] {
  return Object.entries(results).map(([code, { status, message, advice }]) => ({
    title: code,
    path: `/docs/results#${code}`,
    kind: "result code",
    about: `${status}: ${message}`,
    asked: "",
    words: advice,
  }));
}
