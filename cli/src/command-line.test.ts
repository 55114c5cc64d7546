import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "../../server/src/operators/framework/command-line.ts";
import type { Commands } from "../../server/src/operators/framework/command.ts";
import { UsageError } from "../../server/src/core/command-errors.ts";
import { formatCommandHelp, formatOverview } from "../../server/src/operators/framework/help.ts";
import { commandGroups } from "./main.ts";

const commands: Commands = Object.assign({}, ...commandGroups.map((group) => group.commands));

test("help and version are printed for each usual spelling of the option", () => {
  for (const words of [[], ["--help"], ["-h"], ["help"]])
    assert.deepEqual(readCommandLine(words, commands), { action: "help" });
  for (const words of [
    ["--help", "--all"],
    ["help", "--all"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { action: "help", isAll: true });
  for (const words of [
    ["help", "dev"],
    ["dev", "--help"],
    ["dev", "--port", "1", "-h"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { action: "help", name: "dev" });
  for (const words of [
    ["help", "merchant", "key"],
    ["merchant", "key", "--help"],
  ])
    assert.deepEqual(readCommandLine(words, commands), { action: "help", name: "merchant key" });
  assert.deepEqual(readCommandLine(["merchant", "key", "add", "-h"], commands), {
    action: "help",
    name: "merchant key add",
  });
  for (const words of [["--version"], ["-V"]])
    assert.deepEqual(readCommandLine(words, commands), { action: "version" });
});

test("no two commands have the same name, because the later one would hide the earlier one", () => {
  const names = commandGroups.flatMap((group) => Object.keys(group.commands));
  const duplicates = names.filter((name, at) => names.indexOf(name) !== at);
  assert.deepEqual(duplicates, []);
});

test("options have the value that follows them", () => {
  const parsed = readCommandLine(["dev", "--port=9000", "--json", "--folder", "here"], commands);
  assert.equal(parsed.action, "run");
  assert.ok("args" in parsed);
  assert.equal(parsed.args.value("port"), "9000");
  assert.equal(parsed.args.value("folder"), "here");
  assert.ok(parsed.args.has("json"));
  assert.ok(!parsed.args.has("reset"));
});

/** Command line → its error message. */
const wrongCommandLines: Readonly<Record<string, string>> = {
  dve: "There is no command dve. Did you mean tollgate dev? List all commands with `tollgate --help --all`.",
  fly: "There is no command fly. List all commands with `tollgate --help --all`.",
  "dev --epehmeral":
    "--epehmeral is not an option of tollgate dev. Did you mean --ephemeral? List the options with `tollgate dev --help`.",
  "dev --colour": "--colour is not an option of tollgate dev. List the options with `tollgate dev --help`.",
  "dev -x": "-x is not an option of tollgate dev. List the options with `tollgate dev --help`.",
  "dev --port": "--port needs a value: --port N.",
  "dev --port --json": "--port needs a value: --port N.",
  "dev --json=yes": "--json does not accept a value.",
  "dev now": "Unexpected argument now. Usage: tollgate dev.",
  "help dve":
    "There is no command dve. Did you mean tollgate dev? List all commands with `tollgate --help --all`.",
  "--json dev": "Put the command first, before --json. List all commands with `tollgate --help --all`.",
  "merchnat add --name A":
    "There is no command merchnat. Did you mean tollgate merchant add? List all commands with `tollgate --help --all`.",
  "merchant ad --name A": "There is no command merchant ad. Did you mean tollgate merchant add?",
  "merchant key revok --version 1":
    "There is no command merchant key revok. Did you mean tollgate merchant key revoke?",
  "connector fly":
    "There is no command connector fly. Commands of connector: add, list, show, set, test, refresh, disable, enable, gateway-key, account set, account list, account remove.",
  connector:
    "`tollgate connector` needs another word: add, list, show, set, test, refresh, disable, enable, gateway-key, account set, account list, account remove. See `tollgate connector --help`.",
  "work --only provders": "--only must be one of providers, notifications. Did you mean providers?",
  "connector add --url http://a":
    "Missing option: --name NAME, --partner-id ID, --public-key FILE. For an example, run `tollgate connector add --help`.",
  "payment shwo 1": "There is no command payment shwo. Did you mean tollgate payment show?",
  "payment show": "ID is missing. Usage: tollgate payment show ID.",
};

for (const [line, sentence] of Object.entries(wrongCommandLines))
  test(`a mistake gets an error message with a suggestion: ${line}`, () => {
    assert.throws(
      () => readCommandLine(line.split(" "), commands),
      (error) => error instanceof UsageError && error.message === sentence,
    );
  });

test("the help of every command has its options and an example", () => {
  for (const [name, command] of Object.entries(commands)) {
    const text = formatCommandHelp(name, command);
    for (const option of Object.keys(command.options))
      assert.match(text, new RegExp(`^  --${option}\\b`, "m"));
    assert.ok(command.examples.length > 0, name);
    for (const example of command.examples) {
      const [, ...words] = splitShellWords(example.replace(/ > .*/, ""));
      assert.equal(readCommandLine(words, commands).action, "run", example);
    }
    for (const line of text.split("\n")) assert.ok(line.length <= 130, line);
    assert.match(formatOverview(commandGroups, true), new RegExp(`^  ${name}\\b`, "m"));
  }
});

/** Splits like a shell, without escapes. */
function splitShellWords(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
}
