import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageNames } from "../../clients/package-names.ts";
import type { Registry } from "./registries/registry.ts";

/**
 * The SBOM of a library in CycloneDX 1.6: the library, its archives, and its dependencies. The same archives give the
 * same text.
 */
export function librarySbom(
  registry: Registry,
  version: string,
  out: string,
  files: readonly string[],
): string {
  const purl = registry.purl(version);
  const archives = files.map((name) => ({
    type: "file",
    "bom-ref": `file:${name}`,
    name,
    hashes: [
      {
        alg: "SHA-256",
        content: createHash("sha256")
          .update(readFileSync(join(out, name)))
          .digest("hex"),
      },
    ],
  }));
  const needed = registry.needs.map((need) => ({
    type: "library",
    "bom-ref": need,
    name: need.split("/").at(-1),
    purl: need,
    scope: "required",
  }));
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(purl + JSON.stringify(archives))}`,
    version: 1,
    metadata: {
      component: {
        type: "library",
        "bom-ref": purl,
        name: purl.replace(/^pkg:\w+\//, "").replace(/@[^@]+$/, ""),
        version,
        purl,
        licenses: [{ license: { id: "Apache-2.0" } }],
        externalReferences: [{ type: "vcs", url: packageNames.repository }],
        components: archives,
      },
    },
    components: needed,
    dependencies: [
      { ref: purl, dependsOn: registry.needs },
      ...registry.needs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** `uuidOf` derives a UUID from the content, because a random one would make two builds differ. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
