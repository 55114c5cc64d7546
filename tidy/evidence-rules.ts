import { posix } from "node:path";
import { printEvidenceIndex, readEvidence } from "../proof/reports/evidence-index.ts";
import type { Files } from "./tidy.ts";

const folder = "docs/evidence";
const indexPath = `${folder}/README.md`;

/** `incompleteEvidence` reports pages of evidence that are in a subfolder, or that lack a command, commit or date. */
export function incompleteEvidence(files: Files): string[] {
  return files
    .filter(({ path }) => path.endsWith(".md") && path !== indexPath)
    .flatMap(({ path, text }) => {
      const { command, commit, date } = readEvidence(path, text);
      const missing = Object.entries({ command, commit, date }).filter(([, value]) => value === undefined);
      return [
        ...(posix.dirname(path) === folder ? [] : [`${path}: is not directly in ${folder}`]),
        ...missing.map(([name]) => `${path}: names no ${name}`),
      ];
    });
}

/**
 * `outdatedEvidenceIndex` reports the index of the evidence if it differs from the pages, or does not state what a page
 * proves.
 */
export function outdatedEvidenceIndex(files: Files): string[] {
  const index = files.find(({ path }) => path === indexPath)?.text ?? "";
  const pages = files
    .filter(({ path }) => path.endsWith(".md") && path !== indexPath)
    .map(({ path, text }) => readEvidence(path, text));
  const isDifferent = index !== printEvidenceIndex(index, pages);
  return [
    ...(isDifferent
      ? [`${indexPath}: differs from the pages; run \`node proof/reports/evidence-index.ts\``]
      : []),
    ...[...index.matchAll(/^\| \[([\w-]+)\]\([^)]*\) \|\s*\|/gm)].map(
      ([, subject]) => `${indexPath}: does not state what ${subject} shows`,
    ),
  ];
}

/**
 * `findUnlinkedFiles` reports pictures and files of docs/evidence that no document links. Such files only make a clone
 * larger.
 */
export function findUnlinkedFiles(files: Files): string[] {
  const linkedPaths = new Set(
    files
      .filter(({ path }) => path.endsWith(".md"))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\]\(([^)\s#]+)/g)].map(([, link = ""]) => posix.join(posix.dirname(path), link)),
      ),
  );
  return files
    .filter(({ path }) => !path.endsWith(".md") && !linkedPaths.has(path))
    .map(({ path }) => `${path}: no document links it`);
}
