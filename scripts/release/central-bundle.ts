import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fillBundle } from "./registries/central.ts";
import { run } from "./registries/registry.ts";

/**
 * Signs what a rehearsal has built for Maven Central, and packs it as it is uploaded: `node scripts/release/central-bundle.ts VERSION FOLDER BUNDLE.zip GNUPGHOME`. The
 * key in that home is the one that merchants verify with, so this runs where only the release's environment reaches.
 */
const [version, folder, archive, gpgHome] = process.argv.slice(2);
if (version === undefined || folder === undefined || archive === undefined || gpgHome === undefined) {
  process.stderr.write("node scripts/release/central-bundle.ts VERSION FOLDER BUNDLE.zip GNUPGHOME\n");
  process.exit(2);
}
const bundle = mkdtempSync(join(tmpdir(), "tollgate-central-"));
try {
  await fillBundle(bundle, version, folder, gpgHome);
  await run("python3", ["-m", "zipfile", "-c", resolve(archive), ...readdirSync(bundle)], { cwd: bundle });
} finally {
  rmSync(bundle, { recursive: true, force: true });
}
