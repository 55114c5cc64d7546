import { circlesIn, folderNode, importGraph } from "./import-graph.ts";
import { importsOf, isTest, server, type Files } from "./tidy.ts";

/** Imports between folders that are part of a circle, without those of tests. */
export function circlesOfFolders(files: Files): string[] {
  return circlesOf(files, folderNode);
}

/** Imports between files that are part of a circle. */
export function circlesOfFiles(files: Files): string[] {
  return circlesOf(files, (path) => path);
}

/** One line for each import that is part of a circle of nodes. `nodeOf` maps a file to its node. */
function circlesOf(files: Files, nodeOf: (path: string) => string): string[] {
  const circles = circlesIn(importGraph(files, nodeOf)).map((circle) => new Set(circle));
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap((file) => {
      const from = nodeOf(file.path);
      const circle = circles.find((each) => each.has(from));
      const inside = importsOf(file)
        .map(nodeOf)
        .filter((to) => to !== from && circle?.has(to));
      return inside.map((to) => `${file.path}: imports ${to}, which imports back to ${from}`);
    });
}

/** Folders of server/src with too many source files directly in them for a reader, one line for each folder. */
export function findCrowdedFolders(fileCountMax: number, files: Files): string[] {
  const sources = files.filter(
    ({ path }) => path.startsWith(server) && path.endsWith(".ts") && !isTest(path),
  );
  const byFolder = Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf("/")));
  return [...byFolder]
    .filter(([, inside]) => inside.length > fileCountMax)
    .map(([folder, inside]) => `${folder}: ${inside.length} source files, at most ${fileCountMax}`);
}
