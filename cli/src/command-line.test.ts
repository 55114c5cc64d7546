import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "../../server/src/commands/command-line.ts";
import { UsageError, type Commands } from "../../server/src/commands/command.ts";
import { helpOn, overview } from "../../server/src/commands/help.ts";
import { groups } from "./main.ts";

const commands: Commands = Object.assign({}, ...groups.map((group) => group.commands));

test("help and version are told wherever one looks for them", () => {
  for (const words of [[], ["--help"], ["-h"], ["help"]])
    assert.deepEqual(readCommandLine(words, commands), { wants: "help" });
  for (const words of [
    ["--help", "--all"],
    ["help", "--all"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { wants: "help", isAll: true });
  for (const words of [
    ["help", "dev"],
    ["dev", "--help"],
    ["dev", "--port", "1", "-h"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { wants: "help", name: "dev" });
  for (const words of [
    ["help", "merchant", "key"],
    ["merchant", "key", "--help"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { wants: "help", name: "merchant key" });
  assert.deepEqual(readCommandLine(["merchant", "key", "add", "-h"], commands), {
    wants: "help",
    name: "merchant key add",
  });
  for (const words of [["--version"], ["-V"]])
    assert.deepEqual(readCommandLine(words, commands), { wants: "version" });
});

test("no two commands have one name: the later one would hide the other", () => {
  const names = groups.flatMap((group) => Object.keys(group.commands));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  assert.deepEqual(twice, []);
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
  dve: "There is no command dve. Did you mean tollgate dev? `tollgate --help --all` lists them all.",
  fly: "There is no command fly. `tollgate --help --all` lists them all.",
  "dev --epehmeral":
    "--epehmeral is no option of tollgate dev. Did you mean --ephemeral? `tollgate dev --help` lists them.",
  "dev --colour": "--colour is no option of tollgate dev. `tollgate dev --help` lists them.",
  "dev -x": "-x is no option of tollgate dev. `tollgate dev --help` lists them.",
  "dev --port": "--port needs a value: --port N.",
  "dev --port --json": "--port needs a value: --port N.",
  "dev --json=yes": "--json takes no value.",
  "dev now": "now is too much: tollgate dev.",
  "help dve": "There is no command dve. Did you mean tollgate dev? `tollgate --help --all` lists them all.",
  "--json dev": "The command comes first, before --json. `tollgate --help --all` lists them all.",
  "merchnat add --name A":
    "There is no command merchnat. Did you mean tollgate merchant add? `tollgate --help --all` lists them all.",
  "merchant ad --name A": "There is no command merchant ad. Did you mean tollgate merchant add?",
  "merchant key revok --version 1":
    "There is no command merchant key revok. Did you mean tollgate merchant key revoke?",
  "connector fly":
    "There is no command connector fly. connector has: add, list, show, set, test, disable, enable, gateway-key.",
  connector:
    "tollgate connector needs another word: add, list, show, set, test, disable, enable, gateway-key. `tollgate connector --help` says what each does.",
  "work --only walets": "--only is one of wallets, notifications. Did you mean wallets?",
  "connector add --url http://a":
    "Give --name NAME, --partner-id ID, --public-key FILE. `tollgate connector add --help` has an example.",
  "payment shwo 1": "There is no command payment shwo. Did you mean tollgate payment show?",
  "payment show": "ID is missing: tollgate payment show ID.",
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
      const [, ...words] = shellWords(example.replace(/ > .*/, ""));
      assert.equal(readCommandLine(words, commands).wants, "run", example);
    }
    for (const line of text.split("\n")) assert.ok(line.length <= 130, line);
    assert.match(overview(groups, true), new RegExp(`^  ${name}\\b`, "m"));
  }
});

/** As a shell splits them, without escapes. */
function shellWords(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
}
