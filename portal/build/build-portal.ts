import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Stands in the page until it is served, and is another one each time; see `accounts/src/portal/serve-portal.ts`. */
const noncePlaceholder = "[[nonce]]";

/** Builds the portal into `outDir`: a page with two placeholders, and files whose names are digests of their content. */
export async function buildPortal(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    plugins: [react()],
    html: { cspNonce: noncePlaceholder },
    build: {
      outDir,
      emptyOutDir: true,
      manifest: "manifest.json",
      // The policy of the page allows no data: addresses for scripts, fonts or styles.
      assetsInlineLimit: 0,
      target: "es2023",
    },
  });
}

if (import.meta.main) await buildPortal(fileURLToPath(new URL("../dist", import.meta.url)));
