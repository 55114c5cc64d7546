import { readdir, readFile } from "node:fs/promises";

export interface PackageInfo {
  /** The commit of the release; absent if the process runs from sources, which may contain uncommitted changes. */
  readonly commit?: string;
  readonly migration: string;
}

/** Reads the package's manifest, which has the commit in npm's field for it. */
export async function readPackageInfo(): Promise<PackageInfo> {
  const manifest = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  const { gitHead } = JSON.parse(manifest) as { readonly gitHead?: string };
  const files = await readdir(new URL("../../migrations/", import.meta.url));
  const migration =
    files
      .filter((name) => /^\d{4}_.*\.sql$/.test(name))
      .sort()
      .at(-1) ?? "none";
  return { ...(gitHead !== undefined && { commit: gitHead }), migration };
}
