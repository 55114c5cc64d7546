import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ApiLine } from "./report.ts";

/** The entry points of the package, and their names in the report. */
const entries: Readonly<Record<string, string>> = {
  "generated/package.d.ts": "",
  "testing.d.ts": "testing/",
  "start-tollgate.d.ts": "start-tollgate/",
};

/** Interfaces whose objects only the library creates: a new member in them is a compatible change. */
const createdByLibrary = new RegExp(
  "(?:Area|Areas|Answer|Notification|Response|LogEntry|TransportRequest|Webhooks|FakeGateway|" +
    "ByCode|OpenCode|OpenedEntryCode|ShownOrderCode|RunningTollgate|StartedTollgate)$",
);

/**
 * Parses the declaration files of the compiler by their layout: a declaration begins at the start of a line,
 * and a member with four spaces. (The compiler has no API for this.)
 */
export function typescriptApi(declarations: string, readOnly: ReadonlySet<string>): ApiLine[] {
  return Object.entries(entries).flatMap(([entry, prefix]) =>
    exportsOf(join(declarations, entry)).flatMap(({ name, text }) => linesOf(name, text, prefix, readOnly)),
  );
}

interface ExportedDeclaration {
  readonly name: string;
  readonly text: string;
}

/** Returns all exports of a file, including re-exports. */
function exportsOf(path: string): ExportedDeclaration[] {
  const text = withoutComments(readFileSync(path, "utf8"));
  const declared = [
    ...text.matchAll(/^export (?:declare )?(?:abstract )?(class|interface|type|const|function) (\w+)/gm),
  ].map(({ 2: name = "", index }) => ({ name, text: declarationAt(text, index) }));
  const reexported = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)].flatMap(
    ([, names = "", from = ""]) => {
      const exportedNames = new Set(names.split(",").map((name) => name.replace(/^\s*type /, "").trim()));
      const file = join(dirname(path), from.replace(/\.[jt]s$/, ".d.ts"));
      return exportsOf(file).filter(({ name }) => exportedNames.has(name));
    },
  );
  return [...declared, ...reexported];
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\n/gm, "");
}

/** Returns a declaration: the text up to the next line that begins another declaration. */
function declarationAt(text: string, index: number): string {
  const rest = text.slice(index);
  const end = /\n(?=[^\s}|])/.exec(rest)?.index ?? rest.length;
  return rest.slice(0, end).trim();
}

function linesOf(name: string, text: string, prefix: string, readOnly: ReadonlySet<string>): ApiLine[] {
  const owner = prefix + name;
  const body = /^export (?:declare )?(?:abstract )?(class|interface) [^{]*\{\n([\s\S]*)\n\}$/.exec(text);
  if (!body) return [{ owner, signature: collapseWhitespace(text) }];
  const [, kind = "", members = ""] = body;
  const isCallerProvided = kind === "interface" && !readOnly.has(name) && !createdByLibrary.test(name);
  return [
    { owner, signature: collapseWhitespace(text.slice(0, text.indexOf("{"))) },
    ...membersOf(members).map((signature) => ({
      owner,
      signature,
      isRequired: isCallerProvided && /^(?:readonly )?\w+[:(<]/.test(signature),
    })),
  ];
}

function membersOf(body: string): string[] {
  return body
    .split(/\n(?= {4}[^\s}])/)
    .map(collapseWhitespace)
    .filter((member) => member !== "" && !/^(?:private|#)/.test(member));
}

function collapseWhitespace(text: string): string {
  return text.replaceAll(/\s+/g, " ").replace(/;$/, "").trim();
}
