import { domains, folders, scripts } from "./layout.ts";
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

/** Scripts of which the layout says nothing, and those that it tells of and that are gone. */
export function scriptsNotAsLaidOut(files: Files): string[] {
  return files.flatMap(({ path, text }) => {
    const { scripts: there = {} }: { scripts?: Readonly<Record<string, string>> } = JSON.parse(text);
    const differing = [
      ...Object.keys(there).filter((name) => !Object.hasOwn(scripts, name)),
      ...Object.keys(scripts).filter((name) => !Object.hasOwn(there, name)),
    ];
    return differing.map((name) => `${path}: ${name} is not in both, here and in ${layout}`);
  });
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

/** A domain's own noun, and whatever else it keeps in a table, without a word in the glossary. */
export function wordsNotInGlossary(files: Files): string[] {
  const glossary = files.find(({ path }) => path.endsWith(".md"))?.text ?? "";
  const words = new Set(
    [...glossary.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      cell.split(", ").map((word) => word.replace(/^to /, "")),
    ),
  );
  return files
    .filter(({ path }) => Object.hasOwn(domains, path.slice(server.length).split("/")[0] ?? ""))
    .flatMap(({ path, text }) => {
      const [folder = "", name = ""] = path.slice(server.length).split("/");
      // Without a statement it is no record of its own.
      const kept = /^[\w-]+\.sql\.ts$/.test(name) && /\bsql`/.test(text) ? [name.replace(/\..*$/, "")] : [];
      return [folder.replace(/s$/, ""), ...kept].map((noun) => ({ path, word: noun.replaceAll("-", " ") }));
    })
    .filter(({ word }) => !words.has(word))
    .map(({ path, word }) => `${path}: the glossary has no "${word}"`);
}

/** How each linter is told that a rule is off, a line a rule. */
const turnsOff: Readonly<Record<string, RegExp>> = {
  ".oxlintrc.json": /^\s*"[\w/-]+": \[?"(?:off|allow)"/,
  ".squawk.toml": /^\s*"[\w-]+",?$/,
  "redocly.yaml": /^\s+[\w.-]+: off$/,
};

export function isLinterSetting(path: string): boolean {
  return Object.hasOwn(turnsOff, path);
}

/** Rules that are off, in a linter's settings or in the source, and nobody says why. */
export function rulesOffWithoutReason(files: Files): string[] {
  return files.flatMap(({ path, text }) => {
    const off = turnsOff[path] ?? /\b(?:ox|es)lint-disable\b(?!.* -- \w)/;
    const lines = text.split("\n");
    return lines
      .map((line, index) => ({ line, before: lines[index - 1] ?? "" }))
      .filter(
        ({ line, before }) => off.test(line) && !(isLinterSetting(path) && /^\s*(?:\/\/|#) \S/.test(before)),
      )
      .map(({ line }) => `${path}: no reason beside ${line.trim()}`);
  });
}
