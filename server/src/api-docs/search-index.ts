import type { Operation } from "../contract/operation.ts";
import { notifications } from "../catalog/notifications.ts";
import { results } from "../core/result.ts";
import type { DocsPage, Site } from "./docs-page.ts";
import { addressOf, examplesOf } from "./facts.ts";
import type { SchemaNode } from "./fields.ts";
import { anchorOf, readMarkdown } from "./markdown.ts";
import { openSearch, type Entry } from "./open-search.ts";
import { askedFor } from "./search-synonyms.ts";

/** All search entries: every page, the parts of guides, and every result code. */
export function searchEntries(site: Site): readonly Entry[] {
  return [...site.pages.flatMap((page) => pageEntries(site, page)), ...codeEntries()];
}

/** The search as a script for the browser: the entries, and the same search function that the tests run. */
export function searchScript(site: Site): string {
  return `export const entries = ${JSON.stringify(searchEntries(site))};\nexport const openSearch = ${openSearch.toString()};\n`;
}

function pageEntries(site: Site, page: DocsPage): Entry[] {
  const { path, title, description, kind } = page;
  const entry: Entry = {
    title,
    path,
    kind,
    about: description,
    asked: askedFor[path] ?? "",
    words: wordsOf(site, page).join(" "),
  };
  return page.source === undefined ? [entry] : [entry, ...partsOf(page, page.source)];
}

/** Names of fields, values and examples of a page, so that a search for a name finds the page. */
function wordsOf({ facts: { operations } }: Site, { path, source }: DocsPage): string[] {
  const operation = operations.find((each) => addressOf(each) === path);
  if (operation) return operationWords(operation);
  const news = notifications.find(({ kind }) => path === `/docs/notifications/${kind}`);
  if (news) return [...new Set(namesIn(news.body))];
  return source === undefined ? [] : [wordsOfGuide(source)];
}

function operationWords(operation: Operation): string[] {
  const { path, description = "", request, response } = operation;
  const titles = examplesOf(operation).map(({ title }) => title);
  return [path, description, ...titles, ...new Set([...namesIn(request), ...namesIn(response)])];
}

function namesIn(schema: SchemaNode): string[] {
  const inner = schema.items ?? schema;
  const own = inner.enum && inner.enum.length < 40 ? inner.enum : [];
  const fields = Object.entries(inner.properties ?? {});
  return [...own, ...fields.flatMap(([name, field]) => [name, ...namesIn(field)])];
}

function wordsOfGuide(source: string): string {
  const blocks = readMarkdown(source);
  return blocks.map((block) => ("text" in block ? block.text : "")).join(" ");
}

/** A part of a guide below a second-level heading. */
function partsOf({ path, title }: DocsPage, source: string): Entry[] {
  return readMarkdown(source).flatMap((block) =>
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
