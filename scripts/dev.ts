import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { main } from "../cli/src/main.ts";

const portal = join(import.meta.dirname, "../portal");

if (isOutdated()) {
  const { buildPortal } = await import("../portal/build/build-portal.ts");
  await buildPortal(join(portal, "dist"));
}
// Runs `tollgate dev` from the sources, without keeping data for the next start. `npm run dev -- --help` lists the
// options.
await main(["dev", "--ephemeral", ...process.argv.slice(2)]);

/** `isOutdated` returns true if the portal was never built, or a source file is newer than the build. */
function isOutdated(): boolean {
  const builtAtMs = statSync(join(portal, "dist/index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync(["index.html", "operator.html", "src/**/*.*"], { cwd: portal }).some(
    (path) => statSync(join(portal, path)).mtimeMs > builtAtMs,
  );
}
