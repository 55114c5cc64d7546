import { readFileSync, readdirSync } from "node:fs";
import { join, matchesGlob, posix } from "node:path";
import { domains, folders, mayImport, mayReach } from "./layout.ts";

/** A file of the repository: its path from the root, and its text, which is empty for pictures and the like. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export type Files = readonly SourceFile[];

/** Every file that is not ignored by git. */
export function readTree(root: string): SourceFile[] {
  const isIgnored = ignoredBy(readFileSync(join(root, ".gitignore"), "utf8"));
  const read = (folder: string): SourceFile[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.name === ".git" || isIgnored(path)) return [];
      if (entry.isDirectory()) return read(path);
      if (!entry.isFile()) return [];
      const text = readFileSync(join(root, path), "utf8");
      return [{ path, text: text.includes("\0") ? "" : text }];
    });
  return read("");
}

/** The forms of .gitignore that we use: a name matches anywhere, a path with a slash inside from the root. */
function ignoredBy(gitignore: string): (path: string) => boolean {
  const patterns = gitignore
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replace(/^\//, "./").replace(/\/$/, ""));
  return (path) =>
    patterns.some((pattern) =>
      pattern.includes("/")
        ? matchesGlob(path, pattern.replace(/^\.\//, ""))
        : matchesGlob(posix.basename(path), pattern),
    );
}

export const server = "server/src/";

export function importsOutOfOrder(files: Files, tree: Files): string[] {
  const kindOf = kindsOf(tree);
  return files.flatMap((file) => {
    const kind = kindOf(file.path);
    if (!(kind in mayImport)) return [`${file.path}: is ${kind}`];
    return importsOf(file)
      .filter((imported) => !isAllowed(kind, imported, kindOf(imported)))
      .map((imported) => `${file.path}: ${kind} imports ${imported}, which is ${kindOf(imported)}`);
  });
}

function isAllowed(importer: string, imported: string, kind: string): boolean {
  if (/^node:assert(\/|$)/.test(imported)) return true;
  const entries = mayImport[importer]?.split(" ") ?? [];
  return entries.some((entry) =>
    entry.endsWith("*") ? kind.startsWith(entry.slice(0, -1)) : entry === kind || server + entry === imported,
  );
}

/**
 * The kind of each file in a domain's folder: SQL by its suffix, a verb or a schema by its imports; the rest
 * are nouns. In `wallets` and `notifications`, a file that imports more than a noun may is outbound: part of
 * the HTTP client there.
 */
function kindsOf(tree: Files): (path: string) => string {
  const byPath = new Map(tree.map((file) => [file.path, file]));
  const known = new Map<string, string>();

  function kindOf(path: string): string {
    const kind = known.get(path) ?? kindByName(path);
    if (kind !== "noun" || known.has(path)) return kind;

    // A noun for now: two files that import each other must not cause an endless recursion.
    known.set(path, "noun");
    known.set(path, kindByImports(path, importsOf(byPath.get(path) ?? { path, text: "" })));
    return known.get(path) ?? kind;
  }

  function kindByImports(path: string, imports: readonly string[]): string {
    const buildsOn = (name: string): boolean => imports.includes(server + name);
    if (buildsOn("api/operation.ts") || buildsOn("jobs/job.ts")) return "verb";
    if (imports.includes("npm:typebox")) return "schema";
    const isNoun = imports.every((imported) => isAllowed("noun", imported, kindOf(imported)));
    const looksOut = ["wallets/", "notifications/"].some((folder) => path.startsWith(server + folder));
    return looksOut && !isNoun ? "outbound" : "noun";
  }
  return kindOf;
}

function kindByName(path: string): string {
  if (/^(node|npm):/.test(path)) return path;
  if (!path.startsWith(server)) return "outside";
  const name = path.slice(server.length);
  const folder = name.split("/")[0] ?? "";
  if (/\.(?:test|proof)\.ts$/.test(name) || name.split("/").includes("testing") || /^tidy\b/.test(name))
    return "test";
  if (["main.ts", "layout.ts"].includes(name) || folder === "commands") return "main";
  if (name.endsWith(".sql.ts")) return "sql";
  if (Object.hasOwn(domains, folder)) return "noun";
  return Object.hasOwn(folders, folder) ? folder : "of no kind";
}

export function impurities(files: Files, tree: Files): string[] {
  const kindOf = kindsOf(tree);
  const impure =
    /\b(?:Date\.now|Date\(\s*\)|new Date(?!\()|Math\.random|performance\.now\(|process\.env|getRandomValues|random(?:Bytes|Fill|FillSync|Int|UUID)\b)/g;
  return files
    .filter((file) => ["core", "noun"].includes(kindOf(file.path)))
    .flatMap((file) => found(file, impure, withoutComments(file.text)));
}

/** Crash points are injected and do nothing. Only the proof's own entry injects one that ends the process. */
export function killsItself(files: Files): string[] {
  return files
    .filter(({ path }) => path !== `${server}testing/crashing-main.ts`)
    .flatMap((file) =>
      found(
        file,
        /process\.(?:abort\(|reallyExit|kill\(process\.pid)|\bCRASH_AT\b(?!:)/g,
        withoutComments(file.text),
      ),
    );
}

/** A comment with a subject is understood at first reading; these words begin those that have none. */
export function commentsWithoutSubject(files: Files): string[] {
  return files.flatMap((file) => found(file, /(?<=^\s*(?:\/\*\*|\*|\/\/) )(?:Who|Whoever|Whom|Of)\b.*/gm));
}

export function backDoors(files: Files): string[] {
  return files.flatMap((file) => {
    const part = file.path.split("/")[0] ?? "";
    const allowed = Object.entries(mayReach).flatMap(([folder, places]) =>
      file.path.startsWith(`${folder}/`) ? places : [],
    );
    return importsOf(file)
      .filter((imported) => !/^(?:node:|npm:(?!@tollgate\/server))/.test(imported))
      .filter((imported) => ![`${part}/`, ...allowed].some((start) => imported.startsWith(start)))
      .map((imported) => `${file.path}: ${part} imports ${imported}`);
  });
}

/** What a file imports: a path from the root, `node:…` or `npm:…`. */
function importsOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  const specifiers = [
    ...code.matchAll(/(?:^|;|\*\/)[ \t]*(?:import|export)\b[^"'`;()=]*?\bfrom\s*["']([^"']+)["']/gm),
    ...code.matchAll(/(?:^|;|\*\/)[ \t]*import\s*["']([^"']+)["']/gm),
    // A computed specifier cannot be checked, so no file may import one.
    ...code.matchAll(/(?<![.\w])import\s*\(\s*(?:["'`]([^"'`]*)["'`]\s*[,)])?/g),
  ].map(([, specifier]) => specifier);
  return specifiers.map((specifier) => {
    if (specifier === undefined) return "(computed)";
    if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
    return specifier.startsWith("node:") ? specifier : `npm:${specifier}`;
  });
}

/** Keeps line numbers as they are. A comment behind code on the same line stays. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*(?:\/\/|\*(?!\/[ \t]*\S)|\/\*(?!.*\*\/[ \t]*\S)).*$/gm, "");
}

/** One line for each place in the file that matches. */
export function found(file: SourceFile, pattern: RegExp, text = file.text): string[] {
  return [...text.matchAll(pattern)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    return `${file.path}: line ${line}: ${match[0].trim()}`;
  });
}

export function longerThan(lineCountMax: number, files: Files): string[] {
  return files.flatMap(({ path, text }) => {
    const lineCount = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    return lineCount > lineCountMax ? [`${path}: ${lineCount} lines, of at most ${lineCountMax}`] : [];
  });
}

/** Line limit of documents that everyone reads, without the tables printed into them; undefined for all others. */
export function documentLineCountMax(path: string): number | undefined {
  if (posix.dirname(path) === "docs/decisions") return 80;
  return { "README.md": 100, "ARCHITECTURE.md": 150, "CONTRIBUTING.md": 80 }[path];
}

/** A document without its generated tables. */
export function withoutPrinted({ path, text }: SourceFile): SourceFile {
  const printed = /^<!-- (.+), printed by `npm run generate` -->\n[\s\S]*?^<!-- end of \1 -->\n/gm;
  return { path, text: text.replaceAll(printed, "") };
}

export function namesNotKebabCase(files: Files): string[] {
  const isRight = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+|[A-Z_]+\.md)$/;
  return files
    .filter(({ path }) => !isRight.test(posix.basename(path)))
    .map(({ path }) => `${path}: not kebab-case`);
}

export function namesThatSayNothing(files: Files): string[] {
  const saysNothing =
    /^(?:(?:utils?|helpers?|common|shared|lib|misc|types)(?:\.|$)|index\.(?:ts|tsx|js|mjs)$)/;
  return files.flatMap(({ path }) =>
    path
      .split("/")
      .filter((name) => saysNothing.test(name))
      .map((name) => `${path}: ${name} says nothing`),
  );
}

/** Name and ending of each domain stand apart, so that the rule does not match this list. */
const registryHosts =
  "npmjs org,npmjs com,yarnpkg com,npmmirror com,pkg.github com,jsr io,pypi org,pythonhosted org,maven org," +
  "repo.maven.apache org,packagist org,crates io,rubygems org";
export const registryHost = new RegExp(
  `\\b(?:${registryHosts.replaceAll(" ", ".").replaceAll(".", "\\.").replaceAll(",", "|")})\\b`,
  "gi",
);

/** Barrels: files that only re-export. */
export function barrels(files: Files): string[] {
  const passedOn = /^[ \t]*export\s(?:type\s*)?\{[^}]*\}\s*from\s*["'][^"']+["'];?/gm;
  const imported = /^[ \t]*import\b[^"']*["'][^"']+["'];?/gm;
  return files.flatMap((file) => {
    const code = withoutComments(file.text);
    const own = code.replaceAll(passedOn, "").replaceAll(imported, "").trim();
    const isBarrel = code.search(passedOn) >= 0 && own === "";
    return [
      ...found(file, /(?:^|;)[ \t]*export\s*(?:type\s*)?\*/gm, code),
      ...(isBarrel ? [`${file.path}: only passes on what others export`] : []),
    ];
  });
}

export function migrationsOutOfOrder(files: Files): string[] {
  const paths = files
    .map((file) => file.path)
    .filter((path) => !path.includes("/generated/"))
    .sort();
  return paths.flatMap((path, index) => {
    const number = /^(\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/.exec(posix.basename(path))?.[1];
    if (number === undefined) return [`${path}: not NNNN_snake_case.sql`];
    return Number(number) === index + 1 ? [] : [`${path}: number ${index + 1} in order`];
  });
}

/** Operations that are missing in the API's list, and jobs that are missing in the jobs' list. */
export function operationsUnlisted(files: Files, tree: Files): string[] {
  const listedIn = (path: string): string[] | undefined =>
    tree.filter((file) => file.path === server + path).map(importsOf)[0];
  const operations = listedIn("api/operations.ts");
  if (!operations) return [];

  const kindOf = kindsOf(tree);
  const operationsAndJobs = [...operations, ...(listedIn("jobs/jobs.ts") ?? [])];
  return files
    .filter(
      ({ path, text }) =>
        kindOf(path) === "verb" && /^export (?:const|async function|function)\b/m.test(text),
    )
    .filter(({ path, text }) => !(/\bpath:/.test(text) ? operations : operationsAndJobs).includes(path))
    .map(({ path }) => `${path}: not listed in ${server}api/operations.ts`);
}

export function brokenLinks(files: Files, tree: Files): string[] {
  const places = new Set(tree.flatMap(({ path }) => [path, ...foldersOf(path)]));
  return files.flatMap(({ path, text }) => {
    const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
    const links = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g), ...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
    return links
      .map(([, link]) => (link ?? "").replace(/[?#].*$/, ""))
      .filter((link) => link !== "" && !/^[a-z][a-z+.-]*:/i.test(link))
      .filter((link) => !places.has(posix.join(posix.dirname(path), decodeURI(link)).replace(/\/$/, "")))
      .map((link) => `${path}: no file ${link}`);
  });
}

export function foldersOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === "." ? ["."] : [parent, ...foldersOf(parent)];
}
