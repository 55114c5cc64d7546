import { readdir, readFile } from "node:fs/promises";

export interface Packaged {
  /** Absent when it runs from its sources, which change without a commit. */
  readonly commit?: string;
  readonly migration: string;
}

/** What the package says about itself; its manifest has the commit under npm's name for it. */
export async function readPackage(): Promise<Packaged> {
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
