import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { openApi } from "../../catalog/openapi.ts";
import { operations } from "../../catalog/operations.ts";
import type { Site } from "../../api-docs/docs-page.ts";
import type { Environment, GuideFile, LibraryCalls, Limits, Reader } from "../../api-docs/facts.ts";
import { llmsText } from "../../api-docs/llms.ts";
import { markdownTwin } from "../../api-docs/markdown-version.ts";
import { renderPage } from "../../api-docs/page.ts";
import { searchScript } from "../../api-docs/search-index.ts";
import { siteOf } from "../../api-docs/site.ts";
import { bodyBytesMax, headersMax } from "../merchant-api/admit.ts";
import { signedFailures } from "../merchant-api/answer-arrival.ts";
import { concurrencyMin, concurrencyMax, type OverloadGuard } from "../limits/overload.ts";
import { serveText } from "./serve-text.ts";
import { headerBytesMax, timeouts } from "../merchant-api/server.ts";

/** The gateway's address for the reader of the pages, and the client id to show. */
export interface SeenFrom {
  readonly publicUrl: string;
  readonly environment: Environment;
  readonly docsReader?: Reader | undefined;
}

const places = { least: concurrencyMin, most: concurrencyMax };
const limits: Limits = { bodyBytesMax, headersMax, headerBytesMax, places, timeouts, signedFailures };

/**
 * Serves the OpenAPI document and the documentation, both generated from the list of operations. Each is built at its
 * first request and then cached, so that startup does not depend on them.
 */
export function serveReference(
  app: FastifyInstance,
  seenFrom: SeenFrom,
  { overloaded }: Pick<OverloadGuard, "overloaded">,
): void {
  const serve = (path: string, type: string, text: () => string): void =>
    serveText(app, { path, type, text, headers: pageHeaders, overloaded });
  const site = readSite(seenFrom);
  for (const page of site.pages) {
    serve(page.path, "text/html", () => renderPage(site, page));
    serve(`${page.path}.md`, "text/markdown", () => markdownTwin(site, page));
  }
  serve("/llms.txt", "text/plain", () => llmsText(site));
  serve("/docs/style.css", "text/css", () => styleSheets.map(besidePages).join("\n"));
  serve("/docs/script.js", "text/javascript", () => besidePages("script.js"));
  serve("/docs/search.js", "text/javascript", () => searchScript(site));
  serve("/openapi.json", "application/json", () => JSON.stringify(openApi(operations)));
  app.get("/docs/", (_request, reply) => reply.redirect("../docs"));
}

/** Builds all documentation pages, with the guides of the repository; the folder of guides may be missing. */
export function readSite(
  { publicUrl, environment, docsReader }: SeenFrom,
  guidesFolder = new URL("../../../../docs/guides/", import.meta.url),
): Site {
  const libraryCalls = JSON.parse(besidePages("generated/library-calls.json")) as LibraryCalls;
  const guides = readGuides(guidesFolder);
  const reader = docsReader;
  return siteOf({ operations, baseUrl: publicUrl, environment, limits, libraryCalls, guides, reader });
}

/** Reads the guides in the order of their README. Guides that the README does not list come last. */
function readGuides(folder: URL): readonly GuideFile[] {
  if (!existsSync(folder)) return [];
  const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
  const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const contents = files.includes("README.md") ? read("README.md") : "";
  const placeOf = (name: string): number => `${contents}(${name})`.indexOf(`(${name})`);
  return files
    .filter((name) => name !== "README.md")
    .sort()
    .sort((one, other) => placeOf(one) - placeOf(other))
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

function besidePages(name: string): string {
  return readFileSync(new URL(`../../api-docs/${name}`, import.meta.url), "utf8");
}

/** Content security policy: a page loads only its own style sheet and scripts. */
const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};
