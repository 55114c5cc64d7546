import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "./command-line.ts";
import { commands } from "./commands.ts";
import { helpOn, overview } from "./help.ts";
import { UsageError } from "./command.ts";

test("help and version are told wherever one looks for them", () => {
  for (const words of [[], ["--help"], ["-h"], ["help"]])
    assert.deepEqual(readCommandLine(words, commands), { wants: "help" });
  for (const words of [
    ["help", "dev"],
    ["dev", "--help"],
    ["dev", "--port", "1", "-h"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { wants: "help", name: "dev" });
  for (const words of [["--version"], ["-V"], ["version"]])
    assert.deepEqual(readCommandLine(words, commands), { wants: "version" });
});

test("options have the value that was written behind them", () => {
  const asked = readCommandLine(["dev", "--port=9000", "--json", "--folder", "here"], commands);
  assert.equal(asked.wants, "run");
  assert.ok("given" in asked);
  assert.equal(asked.given.value("port"), "9000");
  assert.equal(asked.given.value("folder"), "here");
  assert.ok(asked.given.has("json"));
  assert.ok(!asked.given.has("reset"));
});

/** Command line → the sentence that it is answered with. */
const mistakes: Readonly<Record<string, string>> = {
  dve: "There is no command dve. Did you mean tollgate dev? `tollgate --help` lists them all.",
  fly: "There is no command fly. `tollgate --help` lists them all.",
  "dev --epehmeral":
    "--epehmeral is no option of tollgate dev. Did you mean --ephemeral? `tollgate dev --help` lists them.",
  "dev --colour": "--colour is no option of tollgate dev. `tollgate dev --help` lists them.",
  "dev -x": "-x is no option of tollgate dev. `tollgate dev --help` lists them.",
  "dev --port": "--port needs a value: --port N.",
  "dev --port --json": "--port needs a value: --port N.",
  "dev --json=yes": "--json takes no value.",
  "dev now": "now is too much: tollgate dev.",
};

for (const [line, sentence] of Object.entries(mistakes))
  test(`a mistake is told in a sentence, with what was meant: ${line}`, () => {
    assert.throws(
      () => readCommandLine(line.split(" "), commands),
      (error) => error instanceof UsageError && error.message === sentence,
    );
  });

test("the help of every command has its options and an example", () => {
  for (const [name, command] of Object.entries(commands)) {
    const text = helpOn(name, command);
    for (const option of Object.keys(command.options))
      assert.match(text, new RegExp(`^  --${option}\\b`, "m"));
    assert.ok(command.examples.length > 0, name);
    for (const example of command.examples) {
      const [, ...words] = example.split(" ");
      assert.equal(readCommandLine(words, commands).wants, "run", example);
    }
    assert.match(overview(commands), new RegExp(`^  ${name}\\b`, "m"));
  }
});
