import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { openApi } from "../api/openapi.ts";
import { operations } from "../api/operations.ts";
import type { Environment, Limits } from "../api-docs/facts.ts";
import { apiDocsPage } from "../api-docs/page.ts";
import { bodyBytesMax, headersMax } from "./admit.ts";
import { signedFailures } from "./answer-arrival.ts";
import { placesLeast, placesMost, type OverloadGuard } from "./overload.ts";
import { serveText } from "./serve-text.ts";
import { headerBytesMax, timeouts } from "./server.ts";

/** Where the reader of the page finds the gateway. */
export interface SeenFrom {
  readonly publicUrl: string;
  readonly environment: Environment;
}

const places = { least: placesLeast, most: placesMost };
const limits: Limits = { bodyBytesMax, headersMax, headerBytesMax, places, timeouts, signedFailures };

/** The OpenAPI document and the reference page, both made from the list of operations. */
export function serveReference(
  app: FastifyInstance,
  { publicUrl, environment }: SeenFrom,
  { overloaded }: Pick<OverloadGuard, "overloaded">,
): void {
  const serve = (path: string, type: string, text: string): void =>
    serveText(app, { path, type, text, headers: pageHeaders, overloaded });
  serve("/docs", "text/html", apiDocsPage({ operations, baseUrl: publicUrl, environment, limits }));
  serve("/docs/style.css", "text/css", styleSheets.map(besidePage).join("\n"));
  serve("/docs/script.js", "text/javascript", besidePage("script.js"));
  serve("/openapi.json", "application/json", JSON.stringify(openApi(operations)));
  app.get("/docs/", (_request, reply) => reply.redirect("../docs"));
}

const styleSheets = ["style.css", "style-code.css", "style-tables.css", "style-layout.css"];

function besidePage(name: string): string {
  return readFileSync(new URL(`../api-docs/${name}`, import.meta.url), "utf8");
}

/** Content security policy: the page loads its own style sheet and script, and nothing from elsewhere. */
const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};
