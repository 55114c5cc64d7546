import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { commands as forMerchants } from "./commands.ts";
import { completion } from "./completion.ts";
import { commandsForOperators } from "./operators.ts";
import { UsageError } from "../../server/src/commands/command.ts";

const commands = { ...forMerchants, ...commandsForOperators };
const bash = await completion("bash", commands);

/** What bash offers behind these words, with the script that it was given. */
function offered(...words: readonly string[]): readonly string[] {
  const asked = `COMP_WORDS=(tollgate ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}`;
  const script = `${bash}\n${asked}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8", cwd: import.meta.dirname })
    .trim()
    .split("\n");
}

test("bash completes commands, the words that a command knows, and its options", () => {
  assert.deepEqual(offered("trig"), ["trigger"]);
  assert.ok(offered("").includes("listen"));
  assert.deepEqual(offered("trigger", "refund-s"), ["refund-succeeded"]);
  assert.deepEqual(offered("faults", "DUP"), ["DUPLICATE"]);
  assert.deepEqual(offered("listen", "--for"), ["--forward-to"]);
  assert.deepEqual(offered("universe", "l"), ["list", "limits"]);
  assert.deepEqual(offered("merchant", "sus"), ["suspend"]);
  assert.ok(offered("conform", "--")?.includes("--orders-url"));
  assert.deepEqual(offered("explain", "INVALID_SIG"), ["INVALID_SIGNATURE"]);
  assert.deepEqual(
    offered("sign", "completion.t"),
    ["completion.test.ts", "completion.ts"].slice(0, 2).toSorted(),
  );
});

test("the scripts of zsh and fish have every command and every option", async () => {
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

test("another shell is refused with those that there are", async () => {
  await assert.rejects(
    completion("fihs", commands),
    (error) =>
      error instanceof UsageError &&
      error.message === "There is no completion for fihs. Did you mean fish? There is: bash, zsh, fish.",
  );
});
