import { matchesGlob } from "node:path";
import { domains, folders, scripts, tiers } from "../server/src/layout.ts";
import { foldersOf, server, type Files } from "./tidy.ts";

const layout = `${server}layout.ts`;

/** Folders at the top that the layout does not list, and listed folders that are gone. */
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

/** Scripts that the layout does not list, and listed scripts that are gone. */
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

/**
 * Tests that no tier runs, or that several do. The ending before `.ts` names a file's tier, so a file with an ending that
 * no script looks for is a test that never fails.
 */
export function testsInNoTier(files: Files, tree: Files): string[] {
  const text = tree.find(({ path }) => path === "package.json")?.text ?? "{}";
  const { scripts: there = {} }: { scripts?: Readonly<Record<string, string>> } = JSON.parse(text);
  const globsOf = (tier: string): string[] =>
    [...(there[tier] ?? "").matchAll(/'([^']+)'/g)].map(([, glob = ""]) => glob);
  const globs = Object.keys(tiers).map((tier) => [tier, globsOf(tier)] as const);
  return files.flatMap(({ path }) => {
    const runBy = globs.filter(([, of]) => of.some((glob) => matchesGlob(path, glob))).map(([tier]) => tier);
    return runBy.length === 1 ? [] : [`${path}: is run by ${runBy.join(" and ") || "nobody"}`];
  });
}

/** Dead references: files that a document names as code and that do not exist, by path or by name. */
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

/** Nouns of domains, and of their tables, that have no entry in the glossary. */
export function wordsNotInGlossary(files: Files): string[] {
  const glossary = files.find(({ path }) => path.endsWith(".md"))?.text ?? "";
  const words = new Set(
    [...glossary.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      cell.split(", ").map((word) => word.replace(/^to /, "")),
    ),
  );
  return files
    .filter(({ path }) => Object.hasOwn(domains, path.slice(server.length).split("/")[0] ?? ""))
    .flatMap(({ path }) => {
      const [folder = "", name = ""] = path.slice(server.length).split("/");
      const kept = /^[\w-]+\.sql\.ts$/.test(name) ? [name.replace(/\..*$/, "")] : [];
      return [folder.replace(/s$/, ""), ...kept].map((noun) => ({ path, word: noun.replaceAll("-", " ") }));
    })
    .filter(({ word }) => !words.has(word))
    .map(({ path, word }) => `${path}: the glossary has no "${word}"`);
}

/** How each linter's settings turn a rule off, one line for each rule. */
const turnsOff: Readonly<Record<string, RegExp>> = {
  ".oxlintrc.json": /^\s*"[\w/-]+": \[?"(?:off|allow)"/,
  ".squawk.toml": /^\s*"[\w-]+",?$/,
  "redocly.yaml": /^\s+[\w.-]+: off$/,
};

export function isLinterSetting(path: string): boolean {
  return Object.hasOwn(turnsOff, path);
}

/** Lint rules that are off without a reason, in a linter's settings or in the source. */
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
