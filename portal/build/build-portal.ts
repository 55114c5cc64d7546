import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { compressPortal } from "./compress-portal.ts";
import { fileGroups, loadingOrder } from "./loading-order.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Placeholder of the nonce in the page. Accounts replace it with a new nonce for each response; see
 * `accounts/src/portal/serve-portal.ts`.
 */
const noncePlaceholder = "[[nonce]]";

/**
 * `buildPortal` builds the portal into `folder`: pages with placeholders, and files that are named by a digest of
 * their content. It builds into a temporary folder and renames it, so that another process never reads a partial
 * build.
 */
export async function buildPortal(folder: string): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  await buildInto(temporary);
  await rm(folder, { recursive: true, force: true });
  // Race: another build may have renamed its folder first. Its result is the same.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true }));
}

async function buildInto(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    plugins: [react(), loadingOrder(root)],
    html: { cspNonce: noncePlaceholder },
    build: {
      outDir,
      emptyOutDir: true,
      manifest: "manifest.json",
      // The content security policy allows no `data:` URLs for scripts, fonts or styles.
      assetsInlineLimit: 0,
      target: "es2023",
      // Two pages that share code: the portal and the operator console.
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
