import { posix } from "node:path";
import { withoutComments, type Files, type SourceFile } from "./tidy.ts";

/** Path prefixes of files whose exports are for users outside this repository, with the reason. */
const publicApiPrefixes: Readonly<Record<string, string>> = {
  "clients/typescript/src/": "a published library, imported by its users",
};

/** Dead exports: imported by no other file. A type may also be exported for a signature in its own file. */
export function findUnusedExports(files: Files, tree: Files): string[] {
  const imported = importedNames(tree);
  return files
    .filter(({ path }) => !Object.keys(publicApiPrefixes).some((start) => path.startsWith(start)))
    .flatMap((file) =>
      exportsOf(file)
        .filter(({ name }) => !imported.get(file.path)?.has(name) && !imported.get(file.path)?.has("*"))
        .filter(({ name, isType }) => !isType || countMentions(file, name) < 2)
        .map(({ name }) => `${file.path}: nobody imports ${name}`),
    );
}

interface ExportedName {
  readonly name: string;
  readonly isType: boolean;
}

function exportsOf({ text }: SourceFile): ExportedName[] {
  const code = withoutComments(text);
  const declared = code.matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(function\*?|const|let|class|enum|type|interface) ([\w$]+)/gm,
  );
  return [...declared].map(([, kind = "", name = ""]) => ({
    name,
    isType: kind === "type" || kind === "interface",
  }));
}

/** The names that other files import from a file, by path; `*` for all of them. */
function importedNames(tree: Files): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>();
  for (const { path, text } of tree) {
    if (!/\.(?:ts|tsx|js|mjs)$/.test(path)) continue;
    for (const { specifier, names } of importsIn(withoutComments(text))) {
      const from = posix.join(posix.dirname(path), specifier);
      imported.set(from, new Set([...(imported.get(from) ?? []), ...names]));
    }
  }
  return imported;
}

function importsIn(code: string): { readonly specifier: string; readonly names: readonly string[] }[] {
  const namedImports = code.matchAll(
    /\b(?:import|export)\s[^"'`;]*?\{([^}]*)\}\s*from\s*["'](\.[^"']+)["']/g,
  );
  const namespaceImports = code.matchAll(
    /\b(?:import|export)\s[^"'`;{]*\*[^"'`;{]*from\s*["'](\.[^"']+)["']|\bimport\(\s*["'](\.[^"']+)["']/g,
  );
  return [
    ...[...namedImports].map(([, list = "", specifier = ""]) => ({
      specifier,
      names: list.split(",").map(nameIn),
    })),
    ...[...namespaceImports].map(([, first, second]) => ({ specifier: first ?? second ?? "", names: ["*"] })),
  ];
}

/** `nameIn` returns the original name of an import: `type Payment as Paid` imports `Payment`. */
function nameIn(importSpecifier: string): string {
  return importSpecifier
    .trim()
    .replace(/^type\s+/, "")
    .replace(/\s+as\s.*$/, "");
}

function countMentions({ text }: SourceFile, name: string): number {
  return withoutComments(text).split(new RegExp(`\\b${name}\\b`)).length - 1;
}
