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

const shells = { bash: offeredByBash, zsh: offeredByZsh, fish: offeredByFish } as const;

for (const [shell, offered] of Object.entries(shells)) {
  const isInstalled = spawnSync(shell, ["--version"]).status === 0;
  const skip = isInstalled ? false : `${shell} is not installed here`;
  test(
    `${shell} completes commands, the arguments that a command accepts, and its options`,
    { skip },
    async () => {
      const script = join(folder, shell);
      writeFileSync(script, await completion(shell, commands));
      const behind = (line: string): readonly string[] => offered(script, line).toSorted();
      assert.deepEqual(behind("trig"), ["trigger"]);
      assert.ok(behind("").includes("listen"));
      assert.deepEqual(behind("trigger refund-s"), ["refund-succeeded"]);
      assert.deepEqual(behind("faults DUP"), ["DUPLICATE"]);
      assert.deepEqual(behind("listen --for"), ["--forward-to"]);
      assert.deepEqual(behind("universe l"), ["limits", "list"]);
      assert.deepEqual(behind("merchant sus"), ["suspend"]);
      assert.ok(behind("conform --").includes("--orders-url"));
      assert.deepEqual(behind("explain INVALID_SIG"), ["INVALID_SIGNATURE"]);
    },
  );
}

test("bash completes file names where no other completion fits", async () => {
  const script = join(folder, "bash-files");
  writeFileSync(script, await completion("bash", commands));
  assert.deepEqual(offeredByBash(script, "sign completion.t"), ["completion.test.ts", "completion.ts"]);
});

function offeredByBash(script: string, line: string): readonly string[] {
  const words = line.split(" ");
  const asked = `COMP_WORDS=(tollgate ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}`;
  return linesOf("bash", ["-c", `. '${script}'; ${asked}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`]);
}

function offeredByZsh(script: string, line: string): readonly string[] {
  const typing = join(import.meta.dirname, "testing/zsh-completion.zsh");
  return linesOf("zsh", ["-f", typing, `tollgate ${line}`, script]);
}

/** Returns the words that fish offers for the line. fish prints the meaning of each word after a tab. */
function offeredByFish(script: string, line: string): readonly string[] {
  const lines = linesOf("fish", [
    "--no-config",
    "-c",
    `source '${script}'; complete --do-complete='tollgate ${line}'`,
  ]);
  return lines.map((text) => text.split("\t")[0] ?? "");
}

function linesOf(program: string, words: readonly string[]): readonly string[] {
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
