import { posix } from "node:path";

/** The number of remaining findings in each folder: `server/src/payments: 41`. A folder that is not listed has none. */
export type Baseline = ReadonlyMap<string, number>;

/** The folder under which a file is counted: at most three deep; `.` for files at the top. */
export function folderOf(path: string): string {
  return posix.dirname(path).split("/").slice(0, 3).join("/");
}

export function countByFolder(findings: readonly { readonly path: string }[]): Baseline {
  const counts = new Map<string, number>();
  for (const { path } of findings) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  return new Map([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function readBaseline(text: string): Baseline {
  return new Map(
    [...text.matchAll(/^(.+): (\d+)$/gm)].map(([, folder = "", count]) => [folder, Number(count)]),
  );
}

export function writeBaseline(counts: Baseline): string {
  return [...counts].map(([folder, count]) => `${folder}: ${count}\n`).join("");
}

export function total(counts: Baseline): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

/** Folders with more findings than the baseline, and folders with fewer: both fail, so that the baseline only shrinks. */
export function compare(
  now: Baseline,
  baseline: Baseline,
): { readonly more: string[]; readonly fewer: string[] } {
  const folders = [...new Set([...now.keys(), ...baseline.keys()])].toSorted();
  const more = folders.filter((folder) => (now.get(folder) ?? 0) > (baseline.get(folder) ?? 0));
  const fewer = folders.filter((folder) => (now.get(folder) ?? 0) < (baseline.get(folder) ?? 0));
  return { more, fewer };
}
