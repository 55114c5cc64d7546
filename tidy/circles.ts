import { domains } from "../server/src/layout.ts";
import { importsOf, isTest, server, type Files } from "./tidy.ts";

interface Edge {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** Imports from domain to domain that are part of a circle. Tests stand outside: they import whatever they need. */
export function circlesOfDomains(files: Files): string[] {
  const edges = files.flatMap(edgesOf);
  const next = Map.groupBy(edges, ({ from }) => from);

  function reaches(from: string, wanted: string, seen = new Set<string>()): boolean {
    if (from === wanted) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (next.get(from) ?? []).some(({ to }) => reaches(to, wanted, seen));
  }

  return edges
    .filter(({ from, to }) => reaches(to, from))
    .map(({ path, from, to }) => `${path}: imports ${to}, which leads back to ${from}`);
}

function edgesOf(file: Files[number]): Edge[] {
  const from = domainOf(file.path);
  if (from === undefined) return [];
  return importsOf(file).flatMap((imported) => {
    const to = domainOf(imported);
    return to === undefined || to === from ? [] : [{ path: file.path, from, to }];
  });
}

function domainOf(path: string): string | undefined {
  if (!path.startsWith(server) || isTest(path)) return undefined;
  const folder = path.slice(server.length).split("/")[0] ?? "";
  return Object.hasOwn(domains, folder) ? folder : undefined;
}
