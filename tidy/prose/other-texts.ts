import { isSentence, joinLineComments, type Text } from "./text.ts";

const block = /\/\*[^]*?\*\//;
const line = /\/\/.*/;
const quoted = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/;
const triple = /"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''/;
const hashOnItsLine = /(?<=^[ \t]*)#(?!!).*/;

/** Comments, and strings that may contain the beginning of a comment. Alternatives are tried from left to right. */
const tokens: Readonly<Record<string, readonly RegExp[]>> = {
  ".java": [triple, quoted, block, line],
  ".go": [/`[^`]*`/, quoted, block, line],
  ".c": [quoted, block, line],
  ".h": [quoted, block, line],
  ".php": [quoted, block, line, /#(?!\[).*/],
  ".py": [triple, quoted, /#(?!!).*/],
  ".css": [quoted, block],
  // A string in a function body, between $$ and $$, is also a string.
  ".sql": [/'(?:''|[^'])*'/, /"[^"]*"/, block, /--.*/],
  ".sh": [hashOnItsLine],
  ".yml": [hashOnItsLine],
  ".yaml": [hashOnItsLine],
  ".toml": [hashOnItsLine],
};

const scanners = new Map(
  Object.entries(tokens).map(([ending, of]) => [
    ending,
    new RegExp(of.map(({ source }) => source).join("|"), "gm"),
  ]),
);

export const otherEndings = Object.keys(tokens);

/** Comments, documentation strings, and sentences in string literals, for every language except TypeScript. */
export function otherTexts(path: string, source: string): Text[] {
  const ending = otherEndings.find((each) => path.endsWith(each)) ?? "";
  const isTest = /(?:^|\/)tests?\/|_test\.go$|(?:^|\/)test_[^/]*\.py$/.test(path);
  const comments: Text[] = [];
  const strings: Text[] = [];
  for (const { 0: found, index } of source.matchAll(scanners.get(ending) ?? /(?!)/g)) {
    const range = { start: index, end: index + found.length };
    const isDocstring =
      ending === ".py" && /^(?:"""|''')/.test(found) && /(?:^|\n)[ \t]*$/.test(source.slice(0, index));
    if (/^(?:\/[/*]|--|#)/.test(found) || isDocstring) comments.push({ kind: "comment", ...range });
    else if (!isTest && isSentence(found)) strings.push({ kind: "message", ...range });
  }
  return [...joinLineComments(source, comments), ...strings].toSorted(
    (one, other) => one.start - other.start,
  );
}
