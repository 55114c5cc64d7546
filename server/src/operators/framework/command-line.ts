import { parseArgs } from "node:util";
import type { Command, Commands, Given, Option, Options } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * The parsed command line: a command to run, or a request for help about one command, about commands with the same
 * first words, or about all.
 */
export type Asked =
  | { readonly wants: "version" }
  | { readonly wants: "help"; readonly name?: string; readonly isAll?: true }
  | { readonly wants: "run"; readonly name: string; readonly given: Given };

const everywhere: Options = { help: { does: "Show this help" } };
const shorts: Readonly<Record<string, string>> = { h: "help", V: "version" };
const helpWords = ["--help", "-h", "help"];

/** `readCommandLine` parses the command line. It throws a `UsageError` with the mistake and a suggestion. */
export function readCommandLine(words: readonly string[], commands: Commands): Asked {
  const [first = "help", ...rest] = words;
  if (["--version", "-V"].includes(first)) return { wants: "version" };
  if (helpWords.includes(first)) return helpAbout(rest, commands);
  if (first.startsWith("-")) throw new UsageError(`Put the command first, before ${first}. ${listed}`);
  const leading = leadingWords(words);
  const name = nameIn(leading, commands);
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || !command) {
    const isHelp = words.slice(leading.length).some((word) => helpWords.includes(word));
    if (isHelp) return helpAbout(leading, commands);
    throw new UsageError(unknownCommand(leading, commands));
  }
  const given = readOptions(words.slice(name.split(" ").length), name, command);
  if (given.has("help")) return { wants: "help", name };
  checkWords(given, name, command);
  checkOptions(given, name, command);
  return { wants: "run", name, given };
}

const listed = "List all commands with `tollgate --help --all`.";

function helpAbout(words: readonly string[], commands: Commands): Asked {
  const leading = leadingWords(words);
  const about = leading.join(" ");
  if (about === "") return words.includes("--all") ? { wants: "help", isAll: true } : { wants: "help" };
  const isStart = Object.keys(commands).some((name) => `${name} `.startsWith(`${about} `));
  const name = isStart ? about : nameIn(leading, commands);
  if (name === undefined) throw new UsageError(unknownCommand(leading, commands));
  return { wants: "help", name };
}

/** Returns the words before the first option. */
function leadingWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
}

/** Returns the longest command name that the words begin with. */
function nameIn(words: readonly string[], commands: Commands): string | undefined {
  const lengths = Array.from({ length: words.length }, (_, index) => words.length - index);
  return lengths
    .map((length) => words.slice(0, length).join(" "))
    .find((name) => Object.hasOwn(commands, name));
}

function unknownCommand(words: readonly string[], commands: Commands): string {
  const [first = "", ...rest] = words;
  const seconds = secondWords(first, commands);
  if (seconds.length === 0) return unknownFirst(first, rest, commands);
  const all = seconds.join(", ");
  if (rest.length === 0)
    return `\`tollgate ${first}\` needs another word: ${all}. See \`tollgate ${first} --help\`.`;
  // A command name has at most three words, and arguments may follow the name.
  for (const written of [rest.slice(0, 2).join(" "), rest[0] ?? ""]) {
    const meant = didYouMean(written, seconds, (each) => `tollgate ${first} ${each}`);
    if (meant) return `There is no command ${first} ${written}.${meant}`;
  }
  return `There is no command ${first} ${rest[0]}. Commands of ${first}: ${all}.`;
}

function unknownFirst(first: string, rest: readonly string[], commands: Commands): string {
  const firsts = [...new Set(Object.keys(commands).map((name) => name.split(" ")[0] ?? ""))];
  const whole = (meant: string): string => `tollgate ${nameIn([meant, ...rest], commands) ?? meant}`;
  return `There is no command ${first}.${didYouMean(first, firsts, whole)} ${listed}`;
}

/** Returns the second words of commands with this first word. */
function secondWords(first: string, commands: Commands): readonly string[] {
  const below = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  return below.map((name) => name.slice(first.length + 1));
}

function readOptions(words: readonly string[], name: string, command: Command): Given {
  const options: Options = { ...command.options, ...everywhere };
  const types = Object.entries(options).map(([option, { value }]) => [
    option,
    { type: value === undefined ? ("boolean" as const) : ("string" as const) },
  ]);
  // The parser of Node runs without its strict mode, because its messages do not suggest the option that was probably
  // meant.
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(types),
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string | undefined>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = shorts[token.name] ?? token.name;
    const known = Object.hasOwn(options, option) ? options[option] : undefined;
    if (!known) throw new UsageError(unknownOption(token.rawName, name, Object.keys(options)));
    if (known.value === undefined && token.value !== undefined)
      throw new UsageError(`--${option} does not accept a value.`);
    // A single dash means standard input.
    const isNextOption = /^-./.test(token.value ?? "") && !token.inlineValue;
    if (known.value !== undefined && ((!token.value && !known.mayBeEmpty) || isNextOption))
      throw new UsageError(`--${option} needs a value: --${option} ${known.value}.`);
    values.set(option, token.value);
  }
  return {
    words: positionals,
    has: (option) => values.has(option),
    value: (option) => values.get(option),
  };
}

function unknownOption(option: string, name: string, options: readonly string[]): string {
  const meant = didYouMean(option.replace(/^-+/, ""), options, (each) => `--${each}`);
  return `${option} is not an option of tollgate ${name}.${meant} List the options with \`tollgate ${name} --help\`.`;
}

function checkWords({ words, has }: Given, name: string, { takes = [], options }: Command): void {
  const needsNone = Object.keys(options).some((option) => options[option]?.replacesWords && has(option));
  const missing = needsNone ? undefined : takes.filter((word) => !word.startsWith("["))[words.length];
  const usage = ["tollgate", name, ...takes].join(" ");
  if (missing !== undefined) throw new UsageError(`${missing} is missing. Usage: ${usage}.`);
  if (words.length > takes.length)
    throw new UsageError(`Unexpected argument ${words[takes.length]}. Usage: ${usage}.`);
}

/** Reports all missing required options in one error, and values that are not in an option's list. */
function checkOptions(given: Given, name: string, { options }: Command): void {
  const written = (option: string, { value = "" }: Option): string => `--${option} ${value}`.trimEnd();
  const missing = Object.entries(options).filter(
    ([option, { isRequired }]) => isRequired && !given.value(option),
  );
  if (missing.length > 0) {
    const all = missing.map((each) => written(...each)).join(", ");
    throw new UsageError(`Missing option: ${all}. For an example, run \`tollgate ${name} --help\`.`);
  }
  for (const [option, { oneOf }] of Object.entries(options)) {
    const value = given.value(option);
    if (value === undefined || !oneOf || oneOf.includes(value)) continue;
    throw new UsageError(`--${option} must be one of ${oneOf.join(", ")}.${didYouMean(value, oneOf)}`);
  }
}
