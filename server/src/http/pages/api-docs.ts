import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { openApi } from "../../catalog/openapi.ts";
import { operations } from "../../catalog/operations.ts";
import type { DocsSite } from "../../api-docs/docs-page.ts";
import type {
  Environment,
  GuideFile,
  LibraryCalls,
  Limits,
  ReaderClient,
} from "../../api-docs/site-facts.ts";
import { llmsText } from "../../api-docs/llms.ts";
import { renderMarkdown } from "../../api-docs/markdown-version.ts";
import { renderPage } from "../../api-docs/render-page.ts";
import { searchScript } from "../../api-docs/search-index.ts";
import { buildSite } from "../../api-docs/site.ts";
import { bodyBytesMax, headersMax } from "../merchant-api/admit.ts";
import { signedFailures } from "../merchant-api/answer-arrival.ts";
import { concurrencyMin, concurrencyMax, type OverloadGuard } from "../limits/overload-guard.ts";
import { serveText } from "./serve-text.ts";
import { headerBytesMax, timeouts } from "../merchant-api/server.ts";

/** The gateway's address for the reader of the pages, and the client id to show. */
export interface DocsContext {
  readonly publicUrl: string;
  readonly environment: Environment;
  readonly docsReader?: ReaderClient | undefined;
}

const concurrency = { min: concurrencyMin, max: concurrencyMax };
const limits: Limits = { bodyBytesMax, headersMax, headerBytesMax, concurrency, timeouts, signedFailures };

/**
 * Serves the OpenAPI document and the documentation, both generated from the list of operations. Each is built at its
 * first request and then cached, so that startup does not depend on them.
 */
export function serveReference(
  app: FastifyInstance,
  context: DocsContext,
  { isOverloaded }: Pick<OverloadGuard, "isOverloaded">,
): void {
  const serve = (path: string, type: string, text: () => string): void =>
    serveText(app, { path, type, text, headers: pageHeaders, isOverloaded });
  const site = readSite(context);
  for (const page of site.pages) {
    serve(page.path, "text/html", () => renderPage(site, page));
    serve(`${page.path}.md`, "text/markdown", () => renderMarkdown(site, page));
  }
  serve("/llms.txt", "text/plain", () => llmsText(site));
  serve("/docs/style.css", "text/css", () => styleSheets.map(readDocsAsset).join("\n"));
  serve("/docs/script.js", "text/javascript", () => readDocsAsset("script.js"));
  serve("/docs/search.js", "text/javascript", () => searchScript(site));
  serve("/openapi.json", "application/json", () => JSON.stringify(openApi(operations)));
  app.get("/docs/", (_request, reply) => reply.redirect("../docs"));
}

/** Builds all documentation pages, with the guides of the repository; the folder of guides may be missing. */
export function readSite(
  { publicUrl, environment, docsReader }: DocsContext,
  guidesFolder = new URL("../../../../docs/guides/", import.meta.url),
): DocsSite {
  const libraryCalls = JSON.parse(readDocsAsset("generated/library-calls.json")) as LibraryCalls;
  const guides = readGuides(guidesFolder);
  const reader = docsReader;
  return buildSite({ operations, baseUrl: publicUrl, environment, limits, libraryCalls, guides, reader });
}

/** Reads the guides in the order of their README. Guides that the README does not list come last. */
function readGuides(folder: URL): readonly GuideFile[] {
  if (!existsSync(folder)) return [];
  const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
  const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const contents = files.includes("README.md") ? read("README.md") : "";
  const positionOf = (name: string): number => `${contents}(${name})`.indexOf(`(${name})`);
  return files
    .filter((name) => name !== "README.md")
    .sort()
    .sort((left, right) => positionOf(left) - positionOf(right))
    .map((name) => ({ name: name.replace(/\.md$/, ""), text: read(name) }));
}

const styleSheets = [
  "../home/site.css",
  "style.css",
  "style-code.css",
  "style-tables.css",
  "style-layout.css",
  "style-search.css",
];

function readDocsAsset(name: string): string {
  return readFileSync(new URL(`../../api-docs/${name}`, import.meta.url), "utf8");
}

/** Content security policy: a page loads only its own style sheet and scripts. */
const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};
