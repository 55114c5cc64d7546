import { operations } from "../../catalog/operations.ts";
import { findNearest } from "../../core/find-nearest.ts";

const sandboxRoot = "/ams/sandbox/api/v1/";
const paths: readonly string[] = operations.map(({ path }) => path);
/**
 * Operation path by its last part in lower case. If two areas have the same name, the first in the order of the
 * documentation wins.
 */
const byName: ReadonlyMap<string, string> = new Map(
  paths.toReversed().map((path) => [path.slice(path.indexOf("/") + 1).toLowerCase(), path]),
);

/**
 * Maximum length of a path for which a hint is searched. Longer paths are no typing mistake. The caller is
 * unauthenticated, so the cost must be bounded.
 */
const pathLengthMax = 100;
const editsMax = 3;

/** The full path of an operation in the sandbox. */
export function sandboxPathOf(operationPath: string): string {
  return sandboxRoot + operationPath;
}

/**
 * The operation that was probably meant by an unknown path, for example with a wrong version, a doubled slash, a
 * missing part or a misspelt name. The hint gives the full path and does not repeat the requested one.
 */
export function pathHint(path: string): string {
  const nearest = path.length > pathLengthMax ? undefined : nearestOperation(path);
  if (nearest !== undefined) return `Did you mean POST ${sandboxPathOf(nearest)}?`;
  return `Call operations of the sandbox with POST ${sandboxPathOf("<area>/<operation>")}, such as ${sandboxPathOf("payments/pay")}.`;
}

function nearestOperation(path: string): string | undefined {
  const parts = path.split("/").filter(Boolean);
  const lastParts = parts.slice(-2).join("/");
  const name = parts.at(-1)?.toLowerCase() ?? "";
  return (
    (paths.includes(lastParts) ? lastParts : byName.get(name)) ?? findNearest(lastParts, paths, editsMax)
  );
}
