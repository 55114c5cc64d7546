import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { compressPortal } from "./compress-portal.ts";
import { fileGroups, firstThingsFirst } from "./first-things-first.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Stands in the page until it is served, and is another one each time; see `accounts/src/portal/serve-portal.ts`. */
const noncePlaceholder = "[[nonce]]";

/**
 * Builds the portal into `folder`: a page with two placeholders, and files whose names are digests of their content. It is built
 * beside it and moved there at once, because another process may be about to read it.
 */
export async function buildPortal(folder: string): Promise<void> {
  const beside = `${folder}.${process.pid}`;
  await buildInto(beside);
  await rm(folder, { recursive: true, force: true });
  // Race: another build may have moved its own there in between, which is as good.
  await rename(beside, folder).catch(() => rm(beside, { recursive: true }));
}

async function buildInto(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    plugins: [react(), firstThingsFirst(root)],
    html: { cspNonce: noncePlaceholder },
    build: {
      outDir,
      emptyOutDir: true,
      manifest: "manifest.json",
      // The policy of the page allows no data: addresses for scripts, fonts or styles.
      assetsInlineLimit: 0,
      target: "es2023",
      // Two pages that share what they have in common: the portal, and the operator's console.
      rolldownOptions: {
        input: ["index.html", "operator.html", "src/first.ts", "src/operator/first.ts"].map((name) =>
          join(root, name),
        ),
        output: { codeSplitting: { groups: fileGroups } },
      },
    },
  });
}

if (import.meta.main) {
  const folder = fileURLToPath(new URL("../dist", import.meta.url));
  await buildPortal(folder);
  await compressPortal(folder);
}
