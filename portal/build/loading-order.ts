import { relative } from "node:path";
import type { IndexHtmlTransformContext, Plugin } from "vite";

/** The small first script of each page. */
const firstScripts: Readonly<Record<string, string>> = {
  "index.html": "src/first.ts",
  "operator.html": "src/operator/first.ts",
};

/**
 * `loadingOrder` sets the loading order of a page. The static text is painted before the main styles are loaded,
 * because the styles are placed below it. The first script is a separate file before all others.
 */
export function loadingOrder(root: string): Plugin {
  return {
    name: "first-things-first",
    transformIndexHtml: {
      order: "post",
      handler(page, context) {
        const stylesheet = /\s*<link rel="stylesheet"[^>]*>/g;
        const styles = (page.match(stylesheet) ?? []).join("");
        const html = page
          .replaceAll(stylesheet, "")
          .replace('<div id="root">', (place) => `${styles.trim()}\n    ${place}`);
        const attrs = { type: "module", crossorigin: true, src: `/${findFirstFile(root, context)}` };
        return { html, tags: [{ tag: "script", attrs, injectTo: "head-prepend" }] };
      },
    },
  };
}

function findFirstFile(root: string, { filename, bundle = {} }: IndexHtmlTransformContext): string {
  const script = firstScripts[relative(root, filename)];
  const found = Object.values(bundle).find(
    (part) => part.type === "chunk" && part.facadeModuleId && relative(root, part.facadeModuleId) === script,
  );
  if (!found) throw new Error(`${filename} has no entry chunk for its first script.`);
  return found.fileName;
}

/**
 * Rules for few files, because each file costs a round trip on a slow network. Code that both pages need first is one
 * file, and so is code of many inner pages. Code that the first scripts share is separate, so that they do not wait
 * for the rest.
 */
export const fileGroups = [
  { name: "first", test: /\/(?:asked-early|catalogues)\.ts$|preload-helper/ },
  { name: "frame", tags: ["$initial" as const], minShareCount: 2 },
  { name: "inside", minShareCount: 4 },
];
