import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { commands as forMerchants } from "./commands.ts";
import { completion } from "./completion.ts";
import { commandsForOperators } from "./operators.ts";
import { UsageError } from "../../server/src/core/command-errors.ts";

const commands = { ...forMerchants, ...commandsForOperators };
const folder = mkdtempSync(join(tmpdir(), "tollgate-completion-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const shells = { bash: completeInBash, zsh: completeInZsh, fish: completeInFish } as const;

for (const [shell, complete] of Object.entries(shells)) {
  const isInstalled = spawnSync(shell, ["--version"]).status === 0;
  const skip = isInstalled ? false : `${shell} is not installed here`;
  test(
    `${shell} completes commands, the arguments that a command accepts, and its options`,
    { skip },
    async () => {
      const script = join(folder, shell);
      writeFileSync(script, await completion(shell, commands));
      const completionsOf = (line: string): readonly string[] => complete(script, line).toSorted();
      assert.deepEqual(completionsOf("trig"), ["trigger"]);
      assert.ok(completionsOf("").includes("listen"));
      assert.deepEqual(completionsOf("trigger refund-s"), ["refund-succeeded"]);
      assert.deepEqual(completionsOf("faults DUP"), ["DUPLICATE"]);
      assert.deepEqual(completionsOf("listen --for"), ["--forward-to"]);
      assert.deepEqual(completionsOf("universe l"), ["limits", "list"]);
      assert.deepEqual(completionsOf("merchant sus"), ["suspend"]);
      assert.ok(completionsOf("conform --").includes("--orders-url"));
      assert.deepEqual(completionsOf("explain INVALID_SIG"), ["INVALID_SIGNATURE"]);
    },
  );
}

test("bash completes file names where no other completion fits", async () => {
  const script = join(folder, "bash-files");
  writeFileSync(script, await completion("bash", commands));
  assert.deepEqual(completeInBash(script, "sign completion.t"), ["completion.test.ts", "completion.ts"]);
});

function completeInBash(script: string, line: string): readonly string[] {
  const words = line.split(" ");
  const variables = `COMP_WORDS=(tollgate ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}`;
  return runLines("bash", [
    "-c",
    `. '${script}'; ${variables}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ]);
}

function completeInZsh(script: string, line: string): readonly string[] {
  const typing = join(import.meta.dirname, "testing/zsh-completion.zsh");
  return runLines("zsh", ["-f", typing, `tollgate ${line}`, script]);
}

/** Returns the words that fish offers for the line. fish prints the meaning of each word after a tab. */
function completeInFish(script: string, line: string): readonly string[] {
  const lines = runLines("fish", [
    "--no-config",
    "-c",
    `source '${script}'; complete --do-complete='tollgate ${line}'`,
  ]);
  return lines.map((text) => text.split("\t")[0] ?? "");
}

function runLines(program: string, words: readonly string[]): readonly string[] {
  const env = { PATH: process.env["PATH"], HOME: folder, TERM: "dumb" };
  const options = { encoding: "utf8", cwd: import.meta.dirname, env } as const;
  return execFileSync(program, words, options).trim().split("\n");
}

test("the scripts of zsh and fish contain every command and every option", async () => {
  const [zsh, fish] = [await completion("zsh", commands), await completion("fish", commands)];
  for (const [name, { options }] of Object.entries(commands)) {
    const [first] = name.split(" ");
    assert.match(zsh, new RegExp(`^ +${first}\\) `, "m"));
    assert.match(fish, new RegExp(`-a ${first} -d `));
    for (const option of Object.keys(options)) {
      assert.ok(zsh.includes(`--${option}[`), option);
      assert.ok(fish.includes(`-l ${option} `), option);
    }
  }
});

test("an unknown shell is rejected with the list of known shells", async () => {
  await assert.rejects(
    completion("fihs", commands),
    (error) =>
      error instanceof UsageError &&
      error.message === "There is no completion for fihs. Did you mean fish? Known shells: bash, zsh, fish.",
  );
});
