import { createHash } from "node:crypto";
import { posix } from "node:path";

/**
 * Each commit runs one slow test file out of this number, drawn by the commit's hash: a file runs in every fourth
 * commit on average.
 */
export const sampleOneIn = 4;
/** Maximum number of slow tests next to a changed source file that run in addition to the draw. */
const neighbourCountMax = 12;

/**
 * Slow tests that run in every commit: processes killed at every crash point, random sequences compared with a model,
 * every result code, payments sent at most once, and payouts killed while they write their file. They detect bugs that
 * lose or duplicate money.
 */
export const alwaysRun = [
  "server/src/bank/import-crash.slow.ts",
  "server/src/payments/pay-once.slow.ts",
  "server/src/providers/non-idempotent-provider.slow.ts",
  "server/test/crash/crash-points.slow.ts",
  "server/test/crash/payout-crash.slow.ts",
  "server/test/model/model.slow.ts",
  "server/test/model/payout-lifecycle.slow.ts",
  "server/test/results/every-result.slow.ts",
] as const;

export interface SlowTest {
  readonly path: string;
  /** Files that the test imports by a relative path. */
  readonly imports: readonly string[];
}

export interface Draw {
  readonly tests: readonly SlowTest[];
  /** The hash of the commit. */
  readonly seed: string;
  /** Changed paths of the commit. */
  readonly changed: readonly string[];
}

export type Reason = "always" | "changed" | "drawn" | "near a change";

/** The slow test files of a commit, each with its reason, sorted by path. The same commit draws the same files. */
export function sampleSlowTests({ tests, seed, changed }: Draw): ReadonlyMap<string, Reason> {
  const rank = (path: string): string => createHash("sha256").update(`${seed} ${path}`).digest("hex");
  const paths = tests
    .map(({ path }) => ({ path, rank: rank(path) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ path }) => path);
  const isChanged = new Set(changed);
  const changedFolders = new Set(changed.filter(isSource).map((path) => posix.dirname(path)));
  const reasons = new Map<string, Reason>();
  const add = (reason: Reason, chosen: readonly string[]): void => {
    for (const path of chosen) if (!reasons.has(path)) reasons.set(path, reason);
  };
  add(
    "always",
    paths.filter((path) => (alwaysRun as readonly string[]).includes(path)),
  );
  add(
    "changed",
    tests.filter(({ path, imports }) => [path, ...imports].some((file) => isChanged.has(file))).map(pathOf),
  );
  add("drawn", paths.slice(0, Math.ceil(paths.length / sampleOneIn)));
  const neighbours = paths.filter((path) => !reasons.has(path) && changedFolders.has(posix.dirname(path)));
  add("near a change", neighbours.slice(0, neighbourCountMax));
  return new Map([...reasons].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const pathOf = ({ path }: SlowTest): string => path;

function isSource(path: string): boolean {
  return path.endsWith(".ts") && !/\.(?:test|slow|load)\.ts$/.test(path);
}

/** `importsOf` returns the relative imports of a source text, as paths from the root of the repository. */
export function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/\bfrom "(\.[^"]+)"/g)].map(([, specifier = ""]) =>
    posix.join(posix.dirname(path), specifier),
  );
}
