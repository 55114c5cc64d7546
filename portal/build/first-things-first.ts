import { relative } from "node:path";
import type { IndexHtmlTransformContext, Plugin } from "vite";

/** The small script that runs before the rest of a page is there. */
const firstScripts: Readonly<Record<string, string>> = {
  "index.html": "src/first.ts",
  "operator.html": "src/operator/first.ts",
};

/**
 * In what order a page comes. Its own few words are painted before the styles of everything else are there, because these stand below
 * them, and above what React and Mantine write; and its first script is a file of its own in front of the others.
 */
export function firstThingsFirst(root: string): Plugin {
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
        const attrs = { type: "module", crossorigin: true, src: `/${firstFileOf(root, context)}` };
        return { html, tags: [{ tag: "script", attrs, injectTo: "head-prepend" }] };
      },
    },
  };
}

function firstFileOf(root: string, { filename, bundle = {} }: IndexHtmlTransformContext): string {
  const script = firstScripts[relative(root, filename)];
  const found = Object.values(bundle).find(
    (part) => part.type === "chunk" && part.facadeModuleId && relative(root, part.facadeModuleId) === script,
  );
  if (!found) throw new Error(`${filename} has no first script.`);
  return found.fileName;
}

/**
 * Few files: each costs a round trip on a slow network. What both pages begin with is one, and so is what many pages inside need. What the
 * first scripts share with the rest stays apart from it, because they would have to wait for it.
 */
export const fileGroups = [
  { name: "first", test: /\/(?:asked-early|catalogues)\.ts$|preload-helper/ },
  { name: "frame", tags: ["$initial" as const], minShareCount: 2 },
  { name: "inside", minShareCount: 4 },
];
