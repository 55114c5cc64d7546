import { domains, folders } from "./layout.ts";
import { foldersOf, server, type Files } from "./tidy.ts";

const layout = `${server}layout.ts`;

/** Folders at the top that no line of the layout tells of, and folders that it tells of and that are gone. */
export function foldersNotAsLaidOut(files: Files, parts: readonly string[]): string[] {
  const there = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const unlisted = new Map(
    files
      .map(({ path }) => [path.split("/")[0] ?? "", path] as const)
      .filter(([top]) => !top.startsWith(".") && !parts.includes(top)),
  );
  const rooms = [...Object.keys(domains), ...Object.keys(folders)].map((name) => server + name);
  return [
    ...[...unlisted].map(([top, path]) => `${path}: ${top} is not in ${layout}`),
    ...[...parts, ...rooms].filter((path) => !there.has(path)).map((path) => `${layout}: no folder ${path}`),
  ];
}

/** Files that a document names as code and that are nowhere: from the root, from server/src, or by their name alone. */
export function filesNamedInVain(files: Files, tree: Files): string[] {
  const paths = tree.map(({ path }) => path);
  const isThere = (name: string): boolean =>
    paths.some((path) => path === name || path === server + name) ||
    (!name.includes("/") && paths.some((path) => path.endsWith(`/${name}`)));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/`(\w[\w./-]*\.(?:ts|sql|json))`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !isThere(name))
      .map((name) => `${path}: no file ${name}`),
  );
}
