import { readFileSync } from "node:fs";
import { readBody, type Exchange } from "./exchange.ts";
import { pageHeaders } from "./pages/page.ts";

const contentTypes = {
  "/style.css": "text/css; charset=utf-8",
  "/script.js": "text/javascript; charset=utf-8",
  "/scan.js": "text/javascript; charset=utf-8",
  "/card.css": "text/css; charset=utf-8",
  "/card.js": "text/javascript; charset=utf-8",
  "/icon.svg": "image/svg+xml",
} as const;

const files: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map(
  Object.entries(contentTypes).map(([path, type]) => [
    path,
    { type, text: readFileSync(new URL(`./app${path}`, import.meta.url), "utf8") },
  ]),
);

export function isAppFile(path: string): boolean {
  return files.has(path);
}

/**
 * Serves styles, scripts and icons of the pages. Browsers revalidate them each time, so that no page gets the style of
 * another release.
 */
export async function serveAppFile({ request, response, path }: Exchange): Promise<void> {
  await readBody(request);
  const { type, text } = files.get(path) ?? { type: "text/plain", text: "" };
  response.writeHead(200, { ...pageHeaders, "content-type": type });
  response.end(text);
}
