import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An exported name, and the comment above it in its file; in Python the docstring below it. */
interface Declared {
  readonly name: string;
  readonly said: string;
}

/**
 * The exported declarations of a library, each with the comment that editors show. Go is missing, because a
 * Go test (`documented_test.go`) checks it.
 */
export const declarations: Readonly<Record<string, (home: string) => readonly Declared[]>> = {
  typescript: (home) =>
    ["generated/package.ts", "testing.ts", "start-tollgate.ts"].flatMap((entry) =>
      exportsOf(join(home, "src", entry)),
    ),
  java: (home) =>
    filesIn(home, "src/main/java/io/tollgate/{,exception/,model/,testing/}*.java").flatMap((text) =>
      above(text, /^(?: {2})?public (?!static void main)[^=;(]*?\b(?:class|interface|record|enum) (\w+)/gm),
    ),
  php: (home) =>
    [
      ...filesIn(home, "src/**/*.php").flatMap((text) =>
        above(text, /^(?:(?:final|abstract) )?(?:class|interface|trait) (\w+)/gm),
      ),
      ...filesIn(home, "src/{Areas,Webhooks}/*.php").flatMap((text) =>
        above(text, /^ {4}public (?:static )?function (?!__)(\w+)/gm),
      ),
    ].filter(({ said }) => !said.includes("@internal")),
  python: (home) =>
    filesIn(home, "src/tollgate_client/**/[!_]*.py").flatMap((text) =>
      below(text, /^(?:class|def|async def) ([A-Za-z]\w*)/gm),
    ),
};

/** The declarations without a comment. */
export function withoutDocComment(declared: readonly Declared[]): string[] {
  return declared.filter(({ said }) => !/\w[^]*[.:]/.test(said)).map(({ name }) => name);
}

/** Returns all exports of a TypeScript file, including re-exports. */
function exportsOf(path: string): Declared[] {
  const text = readFileSync(path, "utf8");
  const own = above(text, /^export (?:abstract )?(?:async )?(?:class|interface|type|const|function) (\w+)/gm);
  const handed = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)].flatMap(
    ([, names = "", from = ""]) => {
      const wanted = new Set(names.split(",").map((name) => name.replace(/^\s*type /, "").trim()));
      return exportsOf(join(dirname(path), from)).filter(({ name }) => wanted.has(name));
    },
  );
  return [...own, ...handed];
}

function filesIn(home: string, pattern: string): string[] {
  return globSync(pattern, { cwd: home }).map((path) => readFileSync(join(home, path), "utf8"));
}

/** Finds declarations, each with the comment that ends directly above it or above its annotations. */
function above(text: string, pattern: RegExp): Declared[] {
  return [...text.matchAll(pattern)].map(({ 1: name = "", index }) => {
    const before = text.slice(0, index).replace(/(?:\s*(?:@\w+(?:\([^()]*\))?|#\[[^\]]*\]))*\s*$/, "");
    const said = before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : "";
    return { name, said };
  });
}

/** Finds Python declarations, each with the docstring at its start. */
function below(text: string, pattern: RegExp): Declared[] {
  return [...text.matchAll(pattern)].map(({ 1: name = "", index }) => {
    const head = /^[^]*?:\n(?=\s*\S)/.exec(text.slice(index))?.[0] ?? "";
    const said = /^\s*"""([^]*?)"""/.exec(text.slice(index + head.length))?.[1] ?? "";
    return { name, said };
  });
}
