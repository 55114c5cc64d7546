import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fillBundle } from "./registries/central.ts";
import { run } from "./registries/registry.ts";

/**
 * Signs the output of a rehearsal for Maven Central, and packs it for upload: `node scripts/release/central-bundle.ts
 * VERSION FOLDER BUNDLE.zip GNUPGHOME`. Merchants verify releases with the key in GNUPGHOME, so this runs only in the
 * release environment.
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
