import { readFileSync, readdirSync } from "node:fs";
import { join, matchesGlob, posix } from "node:path";
import {
  domains,
  folders,
  fileKinds,
  verbLists,
  allowedImports,
  allowedOutsideImports,
} from "../server/src/documents/layout.ts";

/** A file of the repository: its path from the root, and its text, which is empty for binary files such as pictures. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export type Files = readonly SourceFile[];

/** Every file that git does not ignore. */
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

/** The forms of .gitignore that we use: a name matches anywhere, a path with a slash inside matches from the root. */
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
const serverTests = "server/test/";

export function findForbiddenImports(files: Files, tree: Files): string[] {
  const kindOf = kindsOf(tree);
  return files.flatMap((file) => {
    const kind = kindOf(file.path);
    if (!(kind in allowedImports)) return [`${file.path}: is ${kind}`];
    return importsOf(file)
      .filter((imported) => !isAllowed(kind, imported, kindOf(imported)))
      .map(
        (imported) => `${file.path}: ${kind} imports ${imported}, which is ${kindOf(imported)}${hint(kind)}`,
      );
  });
}

function hint(kind: string): string {
  return kind === "noun" ? `; a verb is listed in ${verbLists.join(" or ")}` : "";
}

function isAllowed(importer: string, imported: string, kind: string): boolean {
  if (/^node:assert(\/|$)/.test(imported)) return true;
  const entries = allowedImports[importer]?.split(" ") ?? [];
  return entries.some((entry) =>
    entry.endsWith("*") ? kind.startsWith(entry.slice(0, -1)) : entry === kind || server + entry === imported,
  );
}

/**
 * `kindsOf` returns a function that determines the kind of a file by its path. In a domain the ending of the name
 * decides, or whether a list of verbs imports the file.
 */
function kindsOf(tree: Files): (path: string) => string {
  const verbs = new Set(tree.filter(({ path }) => isListOfVerbs(path)).flatMap(verbsIn));
  return (path) => {
    if (/^(node|npm):/.test(path)) return path;
    if (path.startsWith(serverTests)) return "test";
    if (!path.startsWith(server)) return "outside";
    const name = path.slice(server.length);
    const folder = name.split("/")[0] ?? "";
    const kind = kindByEnding(name);
    // SQL files and tests are also allowed in the folders around the domains.
    if (kind === "test" || kind === "sql") return kind;
    if (name === "main.ts") return "main";
    if (Object.hasOwn(folders, folder)) return folder;
    if (!Object.hasOwn(domains, folder)) return "of no kind";
    if (kind !== undefined) return kind;
    if (verbs.has(path)) return "verb";
    return /^[\w-]+\.ts$/.test(posix.basename(name)) ? "noun" : "of no kind";
  };
}

export function kindByEnding(name: string): string | undefined {
  return Object.entries(fileKinds).find(
    ([, kind]) => "endings" in kind && kind.endings.some((ending) => name.endsWith(ending)),
  )?.[0];
}

function isListOfVerbs(path: string): boolean {
  return verbLists.some((name) => path === server + name);
}

/** The files that a list imports under their own name: `pay` from `pay.ts`. Other imports are not listed verbs. */
function verbsIn({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/^import \{([^}]*)\} from "([^"]+)";/gm)]
    .filter(([, names = "", from = ""]) => {
      const name = posix
        .basename(from, ".ts")
        .replaceAll(/-(\w)/g, (_, character: string) => character.toUpperCase());
      return names.split(",").some((each) => each.trim() === name);
    })
    .map(([, , from = ""]) => posix.join(posix.dirname(path), from));
}

/** Tests of any tier: fast tests, slow tests, and load tests. */
export function isTest(path: string): boolean {
  return kindByEnding(path) === "test";
}

export function findImpurities(files: Files, tree: Files): string[] {
  const kindOf = kindsOf(tree);
  const impure =
    /\b(?:Date\.now|Date\(\s*\)|new Date(?!\()|Math\.random|performance\.now\(|process\.env|getRandomValues|random(?:Bytes|Fill|FillSync|Int|UUID)\b)/g;
  return files
    .filter((file) => ["core", "formats", "telemetry", "resilience", "noun"].includes(kindOf(file.path)))
    .flatMap((file) => reportMatches(file, impure, withoutComments(file.text)));
}

/** SQL files without a statement, and statements in other files. */
export function findMisplacedStatements(files: Files): string[] {
  return files.flatMap((file) => {
    const statements = reportMatches(file, /(?<!`)\bsql`/g, withoutComments(file.text));
    if (!file.path.endsWith(".sql.ts")) return statements;
    return statements.length === 0 ? [`${file.path}: contains no statement, so it is not an SQL file`] : [];
  });
}

/**
 * `findProcessExits` reports code that could end a process at a crash point. Injected crash points do nothing, except those
 * of the crash tests' entry point.
 */
export function findProcessExits(files: Files): string[] {
  return files
    .filter(({ path }) => path !== `${serverTests}crash/crashing-main.ts`)
    .flatMap((file) =>
      reportMatches(
        file,
        /process\.(?:abort\(|reallyExit|kill\(process\.pid)|\bCRASH_AT\b(?!:)/g,
        withoutComments(file.text),
      ),
    );
}

/** Comments that begin with one of these words have no subject, and are hard to understand. */
export function findCommentsWithoutSubject(files: Files): string[] {
  return files.flatMap((file) =>
    reportMatches(file, /(?<=^\s*(?:\/\*\*|\*|\/\/) )(?:Who|Whoever|Whom|Of)\b.*/gm),
  );
}

export function findInternalImports(files: Files): string[] {
  return files.flatMap((file) => {
    const part = file.path.split("/")[0] ?? "";
    const allowed = Object.entries(allowedOutsideImports).flatMap(([folder, places]) =>
      file.path.startsWith(`${folder}/`) ? places : [],
    );
    return importsOf(file)
      .filter((imported) => !/^(?:node:|npm:(?!@tollgate\/server))/.test(imported))
      .filter((imported) => ![`${part}/`, ...allowed].some((start) => imported.startsWith(start)))
      .map((imported) => `${file.path}: ${part} imports ${imported}`);
  });
}

/** The imports of a file: a path from the root, `node:…` or `npm:…`. */
export function importsOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  const specifiers = [
    ...code.matchAll(/(?:^|;|\*\/)[ \t]*(?:import|export)\b[^"'`;()=]*?\bfrom\s*["']([^"']+)["']/gm),
    ...code.matchAll(/(?:^|;|\*\/)[ \t]*import\s*["']([^"']+)["']/gm),
    // A computed specifier cannot be checked, so it is not allowed.
    ...code.matchAll(/(?<![.\w])import\s*\(\s*(?:["'`]([^"'`]*)["'`]\s*[,)])?/g),
  ].map(([, specifier]) => specifier);
  return specifiers.map((specifier) => {
    if (specifier === undefined) return "(computed)";
    if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
    return specifier.startsWith("node:") ? specifier : `npm:${specifier}`;
  });
}

/** `withoutComments` removes comments and keeps line numbers. A comment after code on the same line stays. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*(?:\/\/|\*(?!\/[ \t]*\S)|\/\*(?!.*\*\/[ \t]*\S)).*$/gm, "");
}

/** `reportMatches` returns one line of report for each match in the file. */
export function reportMatches(file: SourceFile, pattern: RegExp, text = file.text): string[] {
  return [...text.matchAll(pattern)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    return `${file.path}: line ${line}: ${match[0].trim()}`;
  });
}

export function findLongFiles(lineCountMax: number, files: Files): string[] {
  return files.flatMap(({ path, text }) => {
    const lineCount = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    return lineCount > lineCountMax ? [`${path}: ${lineCount} lines, at most ${lineCountMax}`] : [];
  });
}

/** Line limit of documents that everyone reads, without generated tables; undefined for all others. */
export function documentLineCountMax(path: string): number | undefined {
  // The list of all decisions grows by one line with each decision.
  if (path === "docs/decisions/README.md") return undefined;
  if (posix.dirname(path) === "docs/decisions") return 80;
  return { "README.md": 100, "ARCHITECTURE.md": 180, "CONTRIBUTING.md": 90 }[path];
}

/** A document without its generated tables. */
export function withoutTables({ path, text }: SourceFile): SourceFile {
  const printed = /^<!-- (.+), printed by `npm run generate` -->\n[\s\S]*?^<!-- end of \1 -->\n/gm;
  return { path, text: text.replaceAll(printed, "") };
}

/** Helm requires this name for its chart. */
export function findNamesNotKebabCase(files: Files): string[] {
  const kebabCase = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+|[A-Z_]+\.md|Chart\.yaml)$/;
  return files
    .filter(({ path }) => !kebabCase.test(posix.basename(path)))
    .map(({ path }) => `${path}: not kebab-case`);
}

/**
 * `findConflictMarkers` reports lines of an unresolved merge. It does not check the middle marker `=======`, because
 * Markdown underlines headings with it.
 */
export function findConflictMarkers(files: Files): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:<{7}|>{7}) /gm)].map(({ index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${path}: line ${line} is of an unresolved merge conflict`;
    }),
  );
}

export function findVagueNames(files: Files): string[] {
  const vagueName = /^(?:(?:utils?|helpers?|common|shared|lib|misc|types)(?:\.|$)|index\.(?:ts|tsx|js|mjs)$)/;
  return files.flatMap(({ path }) =>
    path
      .split("/")
      .filter((name) => vagueName.test(name))
      .map((name) => `${path}: ${name} says nothing`),
  );
}

/** Name and ending of each domain are separate, so that the rule does not match this list. */
const registryHosts =
  "npmjs org,npmjs com,yarnpkg com,npmmirror com,pkg.github com,jsr io,pypi org,pythonhosted org,maven org," +
  "repo.maven.apache org,packagist org,crates io,rubygems org";
export const registryHost = new RegExp(
  `\\b(?:${registryHosts.replaceAll(" ", ".").replaceAll(".", "\\.").replaceAll(",", "|")})\\b`,
  "gi",
);

/** Barrels: files that only re-export. */
export function findBarrels(files: Files): string[] {
  const reExport = /^[ \t]*export\s(?:type\s*)?\{[^}]*\}\s*from\s*["'][^"']+["'];?/gm;
  const imported = /^[ \t]*import\b[^"']*["'][^"']+["'];?/gm;
  return files.flatMap((file) => {
    const code = withoutComments(file.text);
    const remainingCode = code.replaceAll(reExport, "").replaceAll(imported, "").trim();
    const isBarrel = code.search(reExport) >= 0 && remainingCode === "";
    return [
      ...reportMatches(file, /(?:^|;)[ \t]*export\s*(?:type\s*)?\*/gm, code),
      ...(isBarrel ? [`${file.path}: only re-exports`] : []),
    ];
  });
}

export function findMisnumberedMigrations(files: Files): string[] {
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

export function findBrokenLinks(files: Files, tree: Files): string[] {
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

/**
 * Sentences that tell a shop to deliver on the result `S`. The webhook of a pending payment has `S` as well, so a
 * sentence about delivering must name `isPaid`, or the `notifyType` that makes `S` mean paid.
 */
export function findDeliveryOnS(files: Files): string[] {
  return files.flatMap((file) =>
    sentencesOf(file)
      .filter((sentence) => /\b(?:deliver|hand(?:s|ed)? over|goods|shipped?)\b/i.test(sentence))
      .filter((sentence) => /[`"]S[`"]|<code>S<|\bon S\b/.test(sentence))
      .filter((sentence) => !/\bis_?paid\b|PAYMENT_(?:RESULT|PENDING)|never deliver/i.test(sentence))
      .map((sentence) => `${file.path}: ${sentence}`),
  );
}

/** A table row, a list item, a line of code, or a sentence. */
function sentencesOf({ path, text }: SourceFile): string[] {
  if (!path.endsWith(".md")) return text.split("\n");
  return text
    .replaceAll(/\n(?![\n|#>*-]| *\d+\.| *[-*] )/g, " ")
    .split("\n")
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?])\s+(?=[A-Z`*[])/));
}

export function foldersOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === "." ? ["."] : [parent, ...foldersOf(parent)];
}
