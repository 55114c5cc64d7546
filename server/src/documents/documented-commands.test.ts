import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { operatorCommands } from "../processes/operator-commands.ts";
import { readCommandLine } from "../operators/framework/command-line.ts";
import { splitCommandLine } from "../../test/examples/example-arguments.ts";

const pages = new URL("../../../docs/operating/", import.meta.url);

/** The command lines in the shell blocks of a document, without line breaks and comments. */
function readLines(page: string): readonly string[] {
  const text = readFileSync(new URL(page, pages), "utf8").replaceAll(/^ {2,3}/gm, "");
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"));
}

const program = /^(?:sudo -u \S+ )?(?:tollgate|node (?:--\S+ )*server\/src\/main\.ts) /;
const commandWords = new Set(Object.keys(operatorCommands).map((name) => name.split(" ")[0] ?? ""));

/**
 * Whether a document is written by hand. commands.md is not: it is printed from the table of commands, and also has
 * examples for the sandbox.
 */
const isHandWritten = (name: string): boolean => name.endsWith(".md") && name !== "commands.md";

for (const page of readdirSync(pages).filter(isHandWritten)) {
  test(`commands of docs/operating/${page} can be pasted in live`, () => {
    for (const line of readLines(page)) {
      const isBare = commandWords.has(line.split(" ")[0] ?? "") && /^[a-z-]+ .*--/.test(line);
      assert(!isBare, `The program's name is missing: ${line}`);
      if (!program.test(line)) continue;
      const words = splitCommandLine(line.replace(program, ""));
      // Other commands of `tollgate`, such as `tollgate conform`, are for developers, and this test skips them.
      if (!commandWords.has(words[0] ?? "")) continue;
      const parsed = readCommandLine([...words], operatorCommands);
      if (parsed.action !== "run") continue;
      const { auditLabel, options } = operatorCommands[parsed.name] ?? {};
      const isDryRun = options && "dry-run" in options && parsed.args.has("dry-run");
      assert(!auditLabel || isDryRun || parsed.args.has("reason"), `--reason is missing: ${line}`);
    }
  });
}
