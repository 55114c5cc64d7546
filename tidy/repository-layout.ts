import { matchesGlob } from "node:path";
import { domains, folders } from "../server/src/documents/layout.ts";
import { packageScripts, testTiers } from "../server/src/documents/repository.ts";
import { foldersOf, server, type Files } from "./tidy.ts";

const layout = `${server}documents/layout.ts`;

/** Top folders that the layout does not list, and listed folders that no longer exist. */
export function findUnlistedFolders(files: Files, parts: readonly string[]): string[] {
  const existing = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const unlisted = new Map(
    files
      .map(({ path }) => [path.split("/")[0] ?? "", path] as const)
      .filter(([top]) => !top.startsWith(".") && !parts.includes(top)),
  );
  const serverFolders = [...Object.keys(domains), ...Object.keys(folders)].map((name) => server + name);
  return [
    ...[...unlisted].map(([top, path]) => `${path}: ${top} is not in ${layout}`),
    ...[...parts, ...serverFolders]
      .filter((path) => !existing.has(path))
      .map((path) => `${layout}: no folder ${path}`),
  ];
}

/** Scripts that the layout does not list, and listed scripts that no longer exist. */
export function findUnlistedScripts(files: Files): string[] {
  return files.flatMap(({ path, text }) => {
    const { scripts: existing = {} }: { scripts?: Readonly<Record<string, string>> } = JSON.parse(text);
    const differing = [
      ...Object.keys(existing).filter((name) => !Object.hasOwn(packageScripts, name)),
      ...Object.keys(packageScripts).filter((name) => !Object.hasOwn(existing, name)),
    ];
    return differing.map((name) => `${path}: ${name} is only in one of this list and ${layout}`);
  });
}

/**
 * Tests that no tier runs, or that several tiers run. The ending before `.ts` selects the tier, so a test with an
 * unknown ending never runs.
 */
export function findTestsWithoutTier(files: Files, tree: Files): string[] {
  const text = tree.find(({ path }) => path === "package.json")?.text ?? "{}";
  const { scripts: existing = {} }: { scripts?: Readonly<Record<string, string>> } = JSON.parse(text);
  const globsOf = (tier: string): string[] =>
    [...(existing[tier] ?? "").matchAll(/'([^']+)'/g)].map(([, glob = ""]) => glob);
  const globs = Object.keys(testTiers).map((tier) => [tier, globsOf(tier)] as const);
  return files.flatMap(({ path }) => {
    const runBy = globs.filter(([, of]) => of.some((glob) => matchesGlob(path, glob))).map(([tier]) => tier);
    return runBy.length === 1 ? [] : [`${path}: is run by ${runBy.join(" and ") || "nobody"}`];
  });
}

/** Dead references: file paths or names in a document's code that do not exist. */
export function findDeadReferences(files: Files, tree: Files): string[] {
  const paths = tree.map(({ path }) => path);
  const exists = (name: string): boolean =>
    paths.some((path) => path === name || path === server + name) ||
    (!name.includes("/") && paths.some((path) => path.endsWith(`/${name}`)));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/`(\w[\w./-]*\.(?:ts|sql|json))`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !exists(name))
      .map((name) => `${path}: no file ${name}`),
  );
}

/** Domains and their tables that are missing in the first two columns of the glossary. */
export function findWordsMissingInGlossary(files: Files): string[] {
  const glossary = files.find(({ path }) => path.endsWith(".md"))?.text ?? "";
  const words = new Set(
    [...glossary.matchAll(/^\| ([^|]+) \| ([^|]*)\|/gm)].flatMap(([, word = "", name = ""]) =>
      `${word}, ${name}`.split(", ").map((cell) => cell.trim().replace(/^`(.*?)\/?`$/, "$1")),
    ),
  );
  return files
    .filter(({ path }) => Object.hasOwn(domains, path.slice(server.length).split("/")[0] ?? ""))
    .flatMap(({ path }) => {
      const [folder = "", name = ""] = path.slice(server.length).split("/");
      const tableName = /^[\w-]+\.sql\.ts$/.test(name) ? [name.replace(/\..*$/, "")] : [];
      return [folder.replace(/s$/, ""), ...tableName].map((noun) => ({
        path,
        word: noun.replaceAll("-", " "),
      }));
    })
    .filter(({ word }) => !words.has(word))
    .map(({ path, word }) => `${path}: the glossary does not have "${word}"`);
}

/** Patterns by which each linter's settings disable a rule. */
const disablingPatterns: Readonly<Record<string, RegExp>> = {
  ".oxlintrc.json": /^\s*"[\w/-]+": \[?"(?:off|allow)"/,
  ".squawk.toml": /^\s*"[\w-]+",?$/,
  "redocly.yaml": /^\s+[\w.-]+: off$/,
};

export function isLinterSetting(path: string): boolean {
  return Object.hasOwn(disablingPatterns, path);
}

/** Lint rules that are disabled without a reason, in a linter's settings or in the source. */
export function findDisabledRulesWithoutReason(files: Files): string[] {
  return files.flatMap(({ path, text }) => {
    const disabling = disablingPatterns[path] ?? /\b(?:ox|es)lint-disable\b(?!.* -- \w)/;
    const lines = text.split("\n");
    return lines
      .map((line, index) => ({ line, before: lines[index - 1] ?? "" }))
      .filter(
        ({ line, before }) =>
          disabling.test(line) && !(isLinterSetting(path) && /^\s*(?:\/\/|#) \S/.test(before)),
      )
      .map(({ line }) => `${path}: no reason next to ${line.trim()}`);
  });
}
