import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An exported name, and the comment above it in its file; in Python the docstring below it. */
interface DocumentedDeclaration {
  readonly name: string;
  readonly docComment: string;
}

/**
 * The exported declarations of a library, each with the comment that editors show. Go is missing, because a
 * Go test (`documented_test.go`) checks it.
 */
export const declarations: Readonly<Record<string, (home: string) => readonly DocumentedDeclaration[]>> = {
  typescript: (home) =>
    ["generated/package.ts", "testing.ts", "start-tollgate.ts"].flatMap((entry) =>
      exportsOf(join(home, "src", entry)),
    ),
  java: (home) =>
    filesIn(home, "src/main/java/io/tollgate/{,exception/,model/,testing/}*.java").flatMap((text) =>
      findWithCommentAbove(
        text,
        /^(?: {2})?public (?!static void main)[^=;(]*?\b(?:class|interface|record|enum) (\w+)/gm,
      ),
    ),
  php: (home) =>
    [
      ...filesIn(home, "src/**/*.php").flatMap((text) =>
        findWithCommentAbove(text, /^(?:(?:final|abstract) )?(?:class|interface|trait) (\w+)/gm),
      ),
      ...filesIn(home, "src/{Areas,Webhooks}/*.php").flatMap((text) =>
        findWithCommentAbove(text, /^ {4}public (?:static )?function (?!__)(\w+)/gm),
      ),
    ].filter(({ docComment }) => !docComment.includes("@internal")),
  python: (home) =>
    filesIn(home, "src/tollgate_client/**/[!_]*.py").flatMap((text) =>
      findWithDocstringBelow(text, /^(?:class|def|async def) ([A-Za-z]\w*)/gm),
    ),
};

/** The declarations without a comment. */
export function withoutDocComment(declared: readonly DocumentedDeclaration[]): string[] {
  return declared.filter(({ docComment }) => !/\w[^]*[.:]/.test(docComment)).map(({ name }) => name);
}

/** Returns all exports of a TypeScript file, including re-exports. */
function exportsOf(path: string): DocumentedDeclaration[] {
  const text = readFileSync(path, "utf8");
  const declared = findWithCommentAbove(
    text,
    /^export (?:abstract )?(?:async )?(?:class|interface|type|const|function) (\w+)/gm,
  );
  const reexported = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)].flatMap(
    ([, names = "", from = ""]) => {
      const exportedNames = new Set(names.split(",").map((name) => name.replace(/^\s*type /, "").trim()));
      return exportsOf(join(dirname(path), from)).filter(({ name }) => exportedNames.has(name));
    },
  );
  return [...declared, ...reexported];
}

function filesIn(home: string, pattern: string): string[] {
  return globSync(pattern, { cwd: home }).map((path) => readFileSync(join(home, path), "utf8"));
}

/** Finds declarations, each with the comment that ends directly above it or above its annotations. */
function findWithCommentAbove(text: string, pattern: RegExp): DocumentedDeclaration[] {
  return [...text.matchAll(pattern)].map(({ 1: name = "", index }) => {
    const before = text.slice(0, index).replace(/(?:\s*(?:@\w+(?:\([^()]*\))?|#\[[^\]]*\]))*\s*$/, "");
    const docComment = before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : "";
    return { name, docComment };
  });
}

/** Finds Python declarations, each with the docstring at its start. */
function findWithDocstringBelow(text: string, pattern: RegExp): DocumentedDeclaration[] {
  return [...text.matchAll(pattern)].map(({ 1: name = "", index }) => {
    const head = /^[^]*?:\n(?=\s*\S)/.exec(text.slice(index))?.[0] ?? "";
    const docComment = /^\s*"""([^]*?)"""/.exec(text.slice(index + head.length))?.[1] ?? "";
    return { name, docComment };
  });
}
