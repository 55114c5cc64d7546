import { operations } from "../api/operations.ts";
import { nearestTo } from "../core/nearest.ts";

const sandboxRoot = "/ams/sandbox/api/v1/";
const paths: readonly string[] = operations.map(({ path }) => path);
/** By the last part, in lower case; where two areas have a name in common, the first in the table of contents. */
const byName: ReadonlyMap<string, string> = new Map(
  paths.toReversed().map((path) => [path.slice(path.indexOf("/") + 1).toLowerCase(), path]),
);

/** Longer paths are no slip. Whoever comes here is a stranger, so what it may cost is bounded. */
const pathLengthMax = 100;
const editsMax = 3;

/** Where an operation of the sandbox is. */
export function sandboxPathOf(operationPath: string): string {
  return sandboxRoot + operationPath;
}

/**
 * What was probably meant by a path that is nobody's: a version too high, a slash too much, a part left out or a name
 * misspelt are all mended by the whole path. The path that was asked for is not repeated.
 */
export function pathHint(path: string): string {
  const meant = path.length > pathLengthMax ? undefined : nearestOperation(path);
  if (meant !== undefined) return `Did you mean POST ${sandboxPathOf(meant)}?`;
  return `Operations of the sandbox are called with POST ${sandboxPathOf("<area>/<operation>")}, such as ${sandboxPathOf("payments/pay")}.`;
}

function nearestOperation(path: string): string | undefined {
  const parts = path.split("/").filter(Boolean);
  const asked = parts.slice(-2).join("/");
  const name = parts.at(-1)?.toLowerCase() ?? "";
  return (paths.includes(asked) ? asked : byName.get(name)) ?? nearestTo(asked, paths, editsMax);
}
