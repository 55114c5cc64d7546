/** The use of a fenced block: run, or checked in another way. */
export type Use = "run" | "output" | "picture" | "quote" | "receiver" | "not run";

/** A fenced block of a guide. Lines are counted from 1, and are those of the fences. */
export interface Block {
  readonly language: string;
  readonly use: Use;
  /** The file of a quote, or the reason for not running it. */
  readonly about: string;
  readonly line: number;
  readonly endLine: number;
  readonly lines: readonly string[];
}

/** A page of docs/guides. */
export interface Guide {
  /** The path of the guide from the root of the repository. */
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Problems that are found without running the guide, each with its line. */
  readonly problems: readonly string[];
}

/** Words after three backticks → their meaning. */
const blockUses: readonly (readonly [words: RegExp, use: Use])[] = [
  [/^(ts|sh)$/, "run"],
  [/^(text)$/, "output"],
  [/^(text) picture$/, "picture"],
  [/^(\w+) quoted from (\S+)$/, "quote"],
  [/^(ts|python|php|go|java) receiver$/, "receiver"],
  [/^(\w+) not run: (\S.*)$/, "not run"],
];
const blockUsesHelp =
  "```ts and ```sh are run, ```text is the output of the block before it, ```text picture is a drawing; ```LANGUAGE receiver is a complete" +
  "webhook receiver, which receivers.slow.ts starts; otherwise write" +
  "```LANGUAGE quoted from FILE, or ```LANGUAGE not run: REASON";

/**
 * The first code must begin before this line, which is about one screen, so that a reader sees code without scrolling.
 */
const lastLineOfFirstCode = 40;

/** Reads a guide. `readFile` returns a file of the repository, or undefined if there is none. */
export function readGuide(path: string, text: string, readFile: (path: string) => string | undefined): Guide {
  const problems: string[] = [];
  const report = (line: number, problem: string): void => void problems.push(`${path}:${line}: ${problem}`);
  const blocks = readBlocks(text, report);
  checkBeginning(text, blocks, report);
  checkOutputs(blocks, report);
  for (const block of blocks.filter(({ use }) => use === "quote")) {
    const source = readFile(block.about);
    if (source === undefined) report(block.line, `there is no file ${block.about}`);
    else if (!containsLines(source, block.lines)) report(block.line, `these lines are not in ${block.about}`);
  }
  return { path, name: path.replace(/^.*\/|\.md$/g, ""), text, blocks, problems };
}

type Report = (line: number, problem: string) => void;

function readBlocks(text: string, report: Report): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const infoString = /^```(.*)$/.exec(lines[index] ?? "")?.[1];
    if (infoString === undefined) continue;
    const length = lines.slice(index + 1).findIndex((line) => line === "```");
    const line = index + 1;
    if (length < 0) {
      report(line, "this block has no end");
      break;
    }
    const [pattern, use] = blockUses.find(([each]) => each.test(infoString)) ?? [];
    if (!pattern || !use) report(line, `unknown use of this block: ${blockUsesHelp}`);
    else {
      const [, language = "", about = ""] = pattern.exec(infoString) ?? [];
      const contentLines = lines.slice(index + 1, index + 1 + length);
      blocks.push({ language, use, about, line, endLine: line + length + 1, lines: contentLines });
    }
    index += length + 1;
  }
  return blocks;
}

/**
 * `checkBeginning` checks that a guide has a title, one sentence with its purpose, and working code on the first
 * screen.
 */
function checkBeginning(text: string, blocks: readonly Block[], report: Report): void {
  const [title = "", purpose = ""] = text.split(/\n\n+/);
  if (!/^# \S.*$/.test(title)) report(1, "the first line is `# Title`");
  if (!/^[A-Z](?:[^.!?]|[.!?](?=\S))*\.$/.test(purpose.replaceAll("\n", " ")))
    report(3, "the second paragraph must be one sentence with the purpose of the page");
  const first = blocks.find(({ use }) => use === "run" || use === "quote");
  if (first && first.line > lastLineOfFirstCode)
    report(first.line, `the first code comes after line ${lastLineOfFirstCode}`);
}

function checkOutputs(blocks: readonly Block[], report: Report): void {
  const outputs = blocks.filter(({ use }) => use === "output");
  for (const output of outputs)
    if (!blockBefore(blocks, output))
      report(output.line, "no block before this one is run, so it cannot have output");
  const ran = blocks.find(({ use }) => use === "run");
  if (ran && outputs.length === 0) report(ran.line, "nothing is checked: show the output as ```text");
}

/** `blockBefore` returns the last block that runs before an output block, and whose output that block shows. */
export function blockBefore(blocks: readonly Block[], { line }: Block): Block | undefined {
  return blocks.findLast((block) => block.use === "run" && block.line < line);
}

/** Whether a file contains these consecutive lines, with any indentation. */
function containsLines(source: string, lines: readonly string[]): boolean {
  const removeIndent = (text: string): string => {
    const all = text.split("\n").map((line) => line.trimEnd());
    const indent = Math.min(...all.filter(Boolean).map((line) => line.search(/\S/)));
    return all.map((line) => line.slice(indent)).join("\n");
  };
  const expectedLines = removeIndent(lines.join("\n"));
  const sourceLines = source.split("\n");
  return sourceLines.some(
    (_, start) => removeIndent(sourceLines.slice(start, start + lines.length).join("\n")) === expectedLines,
  );
}
