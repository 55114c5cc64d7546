import { posix } from "node:path";
import { foldersOf, type Files, type SourceFile } from "./tidy.ts";

interface Part {
  readonly places: readonly string[];
  /** As stated on the page. */
  readonly lines: number;
}

/**
 * The rows of the table of `docs/internals/own-code.md`: the second cell has paths as code, the third has the number of
 * lines.
 */
function partsIn({ text }: SourceFile): Part[] {
  return [...text.matchAll(/^\| [^|]+ \| (`[^|]+`) \| ([\d,]+) \|/gm)].map(([, places = "", lines = ""]) => ({
    places: [...places.matchAll(/`([^`]+)`/g)].map(([, codePath = ""]) => codePath),
    lines: Number(lines.replaceAll(",", "")),
  }));
}

function isInside(path: string, codePath: string): boolean {
  return path === codePath || foldersOf(path).includes(codePath);
}

/**
 * `missingParts` reports files and folders that the page names and that do not exist, each with an existing path of the
 * same name.
 */
export function missingParts(files: Files, tree: Files): string[] {
  const existingPaths = new Set(tree.flatMap(({ path }) => [path, ...foldersOf(path)]));
  return files.flatMap((page) =>
    partsIn(page)
      .flatMap(({ places }) => places)
      .filter((codePath) => !existingPaths.has(codePath))
      .map((codePath) => {
        const sameName = [...existingPaths].filter(
          (path) => posix.basename(path) === posix.basename(codePath),
        );
        return `${page.path}: no ${codePath}; ${sameName.join(", ") || "nothing"} has this name`;
      }),
  );
}

/**
 * `wrongLineCounts` reports rows whose number of lines differs from the code by more than a fifth, and pages without
 * rows.
 */
export function wrongLineCounts(files: Files, tree: Files): string[] {
  return files.flatMap((page) => {
    const parts = partsIn(page);
    if (parts.length === 0) return [`${page.path}: no table row found`];
    return parts.flatMap(({ places, lines }) => {
      const counted = linesAt(places, tree);
      return Math.abs(lines - counted) > counted / 5
        ? [`${page.path}: ${places.join(", ")}: ${counted} lines, not ${lines}`]
        : [];
    });
  });
}

/** Lines of code, comments and blank lines included, without tests and generated files. */
function linesAt(places: readonly string[], tree: Files): number {
  return tree
    .filter(({ path }) => places.some((codePath) => isInside(path, codePath)))
    .filter(({ path }) => /\.(?:tsx?|js|css|c)$/.test(path))
    .filter(({ path }) => !/\.(?:test|slow|load)\.ts$|\/generated\//.test(path))
    .reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
}
