import { html, type Html } from "../formats/html.ts";

/** A language of the samples, or JSON. */
export type CodeLanguage = keyof typeof grammars;

export function isCodeLanguage(name: string): name is CodeLanguage {
  return Object.hasOwn(grammars, name);
}

/** Syntax highlighting: comments, strings and keywords. It does not change any character. */
export function highlight(code: string, language: CodeLanguage): Html {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const match of code.matchAll(grammars[language])) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    parts.push(code.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return html`${[...parts, code.slice(end)]}`;
}

const doubleQuoted = String.raw`"(?:\\.|[^"\\])*"`;

const grammars = {
  json: tokenPattern({
    key: String.raw`${doubleQuoted}(?=\s*:)`,
    text: doubleQuoted,
    word: "true|false|null",
  }),
  curl: tokenPattern({
    note: "# .*",
    text: String.raw`'[^']*'|"[^"]*"`,
    word: String.raw`\b(?:curl|openssl|printf|sed|date|cat|tr|node)\b`,
  }),
  typescript: tokenPattern({
    note: "// .*",
    text: `${doubleQuoted}|\`[^\`]*\``,
    word: String.raw`\b(?:import|from|const|await|new|if|throw)\b`,
  }),
  python: tokenPattern({
    note: "# .*",
    text: `f?${doubleQuoted}`,
    word: String.raw`\b(?:import|from|True|False|None)\b`,
  }),
  java: tokenPattern({
    note: "// .*",
    text: String.raw`"""[^]*?"""|${doubleQuoted}`,
    word: String.raw`\b(?:import|static|class|public|void|throws|throw|new|var|if)\b`,
  }),
  go: tokenPattern({
    note: "// .*",
    text: `${doubleQuoted}|\`[^\`]*\``,
    word: String.raw`\b(?:package|import|func|if|nil|return|range|for|defer|var|true|false)\b`,
  }),
  php: tokenPattern({
    note: "// .*",
    text: `${doubleQuoted}|'[^']*'`,
    word: String.raw`<\?php|\b(?:foreach|as|if|throw|new|echo|false|true|null)\b`,
  }),
};

/** One regular expression with all kinds of tokens as alternatives: the first kind that matches at a position wins. */
function tokenPattern(kinds: Readonly<Record<string, string>>): RegExp {
  const groups = Object.entries(kinds).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
  return new RegExp(groups.join("|"), "g");
}
