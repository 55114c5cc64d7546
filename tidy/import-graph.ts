import { importsOf, isTest, type Files } from "./tidy.ts";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The import graph without tests. `nodeOf` maps a file to its node, such as its folder. */
export function importGraph(files: Files, nodeOf: (path: string) => string): Graph {
  const sources = files.filter(({ path }) => /\.(?:tsx?|js)$/.test(path) && !isTest(path));
  const knownPaths = new Set(sources.map(({ path }) => path));
  const graph = new Map<string, Set<string>>();
  for (const file of sources) {
    const from = nodeOf(file.path);
    const to = graph.get(from) ?? new Set();
    graph.set(from, to);
    for (const imported of importsOf(file)) if (knownPaths.has(imported)) to.add(nodeOf(imported));
    to.delete(from);
  }
  return graph;
}

/** Strongly connected components of more than one node, by Tarjan's algorithm: within one, every node reaches every other. */
export function circlesIn(graph: Graph): string[][] {
  const circles: string[][] = [];
  const indices = new Map<string, number>();
  const stack: string[] = [];

  /** `visit` returns the smallest index among the stack's nodes that this node reaches. */
  function visit(node: string): number {
    const index = indices.size;
    let lowest = index;
    indices.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const knownIndex = indices.get(next);
      if (knownIndex === undefined) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, knownIndex);
    }
    if (lowest === index) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest;
  }

  for (const node of graph.keys()) if (!indices.has(node)) visit(node);
  return circles.sort((one, other) => other.length - one.length);
}

/**
 * The folder node of a file: the first folder below `src`, or below the top folder if there is no `src`. A file
 * directly there is a node by itself: an entry imports all folders, and all folders import a list such as `layout.ts`.
 */
export function folderNode(path: string): string {
  return /^[^/]+\/(?:src\/[^/]+|(?!src\/)[^/]+)(?=\/)/.exec(path)?.[0] ?? path;
}
