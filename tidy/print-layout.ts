import { execFileSync } from "node:child_process";
import { join, posix } from "node:path";
import { circlesIn, folderNode, importGraph } from "./import-graph.ts";
import { foldersOf, isTest, readTree, type SourceFile } from "./tidy.ts";

/** `npm run layout`: folders, files, lines and import circles of the repository. */
const root = join(import.meta.dirname, "..");
const tracked = new Set(git("ls-files", "-z").split("\0"));
const tree = readTree(root).filter(({ path }) => tracked.has(path));

const isSource = ({ path }: SourceFile): boolean => /\.(?:ts|tsx|js|sql|py|go|java|php)$/.test(path);
const filesBelow = (folder: string): SourceFile[] => tree.filter(({ path }) => path.startsWith(`${folder}/`));
const lines = (files: readonly SourceFile[]): number =>
  files.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);

function row(name: string, files: readonly SourceFile[], start = `${name}/`): (string | number)[] {
  const sources = files.filter((file) => isSource(file) && !isTest(file.path));
  const counts = [...Map.groupBy(sources, ({ path }) => posix.dirname(path)).values()].map(
    (each) => each.length,
  );
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return [
    name,
    [...folders].filter((folder) => `${folder}/`.startsWith(start)).length,
    files.length,
    sources.length,
    Math.max(0, ...counts),
    lines(sources),
    lines(files.filter(({ path }) => isTest(path))),
  ];
}

const columnTitles = [
  "",
  "folders",
  "files",
  "source files",
  "most in one folder",
  "lines of source",
  "lines of tests",
];
const topFolders = [...new Set(tree.map(({ path }) => path.split("/")[0] ?? ""))].filter(
  (top) => filesBelow(top).length > 0,
);
const serverFolders = [...new Set(filesBelow("server/src").map(({ path }) => folderNode(path)))].filter(
  (room) => filesBelow(room).length > 0,
);
printTable(columnTitles, [
  ...topFolders.sort().map((top) => row(top, filesBelow(top))),
  row("all", tree, ""),
]);
printTable(
  columnTitles,
  serverFolders.sort().map((room) => row(room, filesBelow(room))),
);

const folderCircles = circlesIn(importGraph(tree, folderNode));
const fileCircles = circlesIn(importGraph(tree, (path) => path));
writeLine(`${folderCircles.length} import circles of folders`);
for (const circle of folderCircles) writeLine(`  ${circle.length}: ${circle.join(" ")}`);
writeLine(`${fileCircles.length} import circles of files`);
for (const circle of fileCircles) writeLine(`  ${circle.length}: ${circle.join(" ")}`);

const blobs = git("ls-tree", "-r", "-l", "HEAD").matchAll(/^\d+ blob \w+ +(\d+)\t/gm);
const bytes = [...blobs].reduce((sum, [, size]) => sum + Number(size), 0);
writeLine(`${tracked.size - 1} tracked files; ${(bytes / 1e6).toFixed(1)} MB in the last commit`);

function printTable(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [columns, ...rows].map((each) =>
    each.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)),
  );
  const widths = columns.map((_, at) => Math.max(...cells.map((each) => each[at]?.length ?? 0)));
  for (const each of cells)
    writeLine(
      each
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join("  "),
    );
  writeLine("");
}

function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
}
