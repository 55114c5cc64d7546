import { posix } from "node:path";
import { importsOf, isTest, withoutComments, type Files, type SourceFile } from "./tidy.ts";

const ownersPath = ".github/CODEOWNERS";
export const templatePath = ".github/ISSUE_TEMPLATE/bug.yml";
const moneyTeam = "@tollgate/money";

/** Product code: code that runs in an installation. */
const product = ["server/src/", "server/migrations/", "accounts/src/"];

const writeVerb = "(?:insert\\s+into|update|delete\\s+from|truncate|merge\\s+into|copy)\\s+(?:only\\s+)?";
/**
 * Matches a statement that writes `ledger_transfers`, or a table with a computed name, as in the move of a merchant's
 * rows.
 */
const writesLedger = new RegExp(`\\b${writeVerb}(?:(?:public\\.)?ledger_transfers\\b|\\$\\{)`, "i");

/** Files that write `ledger_transfers`: with a statement, or with a writing function of such a file. */
function ledgerWriters(files: Files): string[] {
  const productFiles = files.filter(
    ({ path }) =>
      product.some((start) => path.startsWith(start)) && /\.(?:ts|sql)$/.test(path) && !isTest(path),
  );
  const withStatement = productFiles.filter(({ text }) => writesLedger.test(withoutComments(text)));
  const paths = new Set(withStatement.map(({ path }) => path));
  const callers = productFiles.filter(
    ({ path, text }) => path.endsWith(".ts") && callsWriter({ path, text }, paths),
  );
  return [...new Set([...withStatement, ...callers].map(({ path }) => path))].sort();
}

function callsWriter(file: SourceFile, writers: ReadonlySet<string>): boolean {
  return [...file.text.matchAll(/^import \{([^}]*)\} from "[^"]+";/gm)].some(
    ([statement, names = ""]) =>
      /\b(?:insert|update|delete)[A-Z]/.test(names) &&
      importsOf({ path: file.path, text: statement }).some((imported) => writers.has(imported)),
  );
}

/** The folder for owners and reporters: for a file in `server/src`, the folder below it. */
function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return /^(?:server|accounts)\/src\/[^/]+/.exec(folder)?.[0] ?? folder;
}

function topFolders(tree: Files): string[] {
  return [
    ...new Set(tree.filter(({ path }) => path.includes("/")).map(({ path }) => path.split("/")[0] ?? "")),
  ];
}

interface OwnerLine {
  readonly pattern: string;
  readonly owners: readonly string[];
}

function ownerLines(text: string): OwnerLine[] {
  return text
    .split("\n")
    .filter((line) => /^[^#\s]/.test(line))
    .map((line) => {
      const [pattern = "", ...owners] = line.split(/\s+/);
      return { pattern, owners };
    });
}

/** The forms of CODEOWNERS that we use: everything, a folder from the root, and a file from the root. */
function isOwned(pattern: string, path: string): boolean {
  const from = pattern.slice(1);
  return pattern === "*" || path === from || (from.endsWith("/") && path.startsWith(from));
}

/** Top folders without a line, lines without a file, and ledger writers whose last line lacks the money team. */
export function foldersWithoutOwner(files: Files, tree: Files): string[] {
  const text = files.find(({ path }) => path === ownersPath)?.text ?? "";
  const lines = ownerLines(text);
  const patterns = new Set(lines.map(({ pattern }) => pattern));
  const writers = ledgerWriters(tree).filter(
    (path) => !lines.findLast(({ pattern }) => isOwned(pattern, path))?.owners.includes(moneyTeam),
  );
  return [
    ...topFolders(tree)
      .filter((folder) => !patterns.has(`/${folder}/`))
      .map((folder) => `no line /${folder}/`),
    ...[...patterns]
      .filter((pattern) => !tree.some(({ path }) => isOwned(pattern, path)))
      .map((pattern) => `no file ${pattern}`),
    ...[...new Set(writers.map(folderOf))].map(
      (folder) => `${folder} writes the ledger without ${moneyTeam}`,
    ),
  ].map((violation) => `${ownersPath}: ${violation}`);
}

/** Top folders, and folders that write the ledger, that a reporter cannot select. */
export function foldersNotInTemplate(files: Files, tree: Files): string[] {
  const text = files.find(({ path }) => path === templatePath)?.text ?? "";
  const named = new Set(text.match(/[\w.-]+(?:\/[\w.-]+)*/g));
  const requiredFolders = new Set([
    ...topFolders(tree).filter((folder) => !folder.startsWith(".")),
    ...ledgerWriters(tree).map(folderOf),
  ]);
  return [...requiredFolders]
    .filter((folder) => !named.has(folder))
    .map((folder) => `${templatePath}: no ${folder}`);
}
