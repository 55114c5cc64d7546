import { parseArgs } from "node:util";
import type { Command, Commands, CommandArguments, Option, Options } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * The parsed command line: a command to run, or a request for help about one command, about commands with the same
 * first words, or about all.
 */
export type ParsedCommandLine =
  | { readonly action: "version" }
  | { readonly action: "help"; readonly name?: string; readonly isAll?: true }
  | { readonly action: "run"; readonly name: string; readonly args: CommandArguments };

const globalOptions: Options = { help: { summary: "Show this help" } };
const shortOptions: Readonly<Record<string, string>> = { h: "help", V: "version" };
const helpWords = ["--help", "-h", "help"];

/** `readCommandLine` parses the command line. It throws a `UsageError` with the mistake and a suggestion. */
export function readCommandLine(words: readonly string[], commands: Commands): ParsedCommandLine {
  const [first = "help", ...rest] = words;
  if (["--version", "-V"].includes(first)) return { action: "version" };
  if (helpWords.includes(first)) return requestHelp(rest, commands);
  if (first.startsWith("-")) throw new UsageError(`Put the command first, before ${first}. ${listHint}`);
  const leading = leadingWords(words);
  const name = findCommandName(leading, commands);
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || !command) {
    const isHelp = words.slice(leading.length).some((word) => helpWords.includes(word));
    if (isHelp) return requestHelp(leading, commands);
    throw new UsageError(unknownCommandMessage(leading, commands));
  }
  const args = readOptions(words.slice(name.split(" ").length), name, command);
  if (args.has("help")) return { action: "help", name };
  checkWords(args, name, command);
  checkOptions(args, name, command);
  return { action: "run", name, args };
}

const listHint = "List all commands with `tollgate --help --all`.";

function requestHelp(words: readonly string[], commands: Commands): ParsedCommandLine {
  const leading = leadingWords(words);
  const about = leading.join(" ");
  if (about === "") return words.includes("--all") ? { action: "help", isAll: true } : { action: "help" };
  const isStart = Object.keys(commands).some((name) => `${name} `.startsWith(`${about} `));
  const name = isStart ? about : findCommandName(leading, commands);
  if (name === undefined) throw new UsageError(unknownCommandMessage(leading, commands));
  return { action: "help", name };
}

/** Returns the words before the first option. */
function leadingWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
}

/** Returns the longest command name that the words begin with. */
function findCommandName(words: readonly string[], commands: Commands): string | undefined {
  const lengths = Array.from({ length: words.length }, (_, index) => words.length - index);
  return lengths
    .map((length) => words.slice(0, length).join(" "))
    .find((name) => Object.hasOwn(commands, name));
}

function unknownCommandMessage(words: readonly string[], commands: Commands): string {
  const [first = "", ...rest] = words;
  const seconds = secondWords(first, commands);
  if (seconds.length === 0) return unknownFirstWordMessage(first, rest, commands);
  const secondWordList = seconds.join(", ");
  if (rest.length === 0)
    return `\`tollgate ${first}\` needs another word: ${secondWordList}. See \`tollgate ${first} --help\`.`;
  // A command name has at most three words, and arguments may follow the name.
  for (const candidate of [rest.slice(0, 2).join(" "), rest[0] ?? ""]) {
    const suggestion = didYouMean(candidate, seconds, (each) => `tollgate ${first} ${each}`);
    if (suggestion) return `There is no command ${first} ${candidate}.${suggestion}`;
  }
  return `There is no command ${first} ${rest[0]}. Commands of ${first}: ${secondWordList}.`;
}

function unknownFirstWordMessage(first: string, rest: readonly string[], commands: Commands): string {
  const firsts = [...new Set(Object.keys(commands).map((name) => name.split(" ")[0] ?? ""))];
  const fullCommand = (suggestedWord: string): string =>
    `tollgate ${findCommandName([suggestedWord, ...rest], commands) ?? suggestedWord}`;
  return `There is no command ${first}.${didYouMean(first, firsts, fullCommand)} ${listHint}`;
}

/** Returns the second words of commands with this first word. */
function secondWords(first: string, commands: Commands): readonly string[] {
  const matchingNames = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  return matchingNames.map((name) => name.slice(first.length + 1));
}

function readOptions(words: readonly string[], name: string, command: Command): CommandArguments {
  const options: Options = { ...command.options, ...globalOptions };
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
    const option = shortOptions[token.name] ?? token.name;
    const optionDeclaration = Object.hasOwn(options, option) ? options[option] : undefined;
    if (!optionDeclaration)
      throw new UsageError(unknownOptionMessage(token.rawName, name, Object.keys(options)));
    if (optionDeclaration.value === undefined && token.value !== undefined)
      throw new UsageError(`--${option} does not accept a value.`);
    // A single dash means standard input.
    const isNextOption = /^-./.test(token.value ?? "") && !token.inlineValue;
    if (
      optionDeclaration.value !== undefined &&
      ((!token.value && !optionDeclaration.mayBeEmpty) || isNextOption)
    )
      throw new UsageError(`--${option} needs a value: --${option} ${optionDeclaration.value}.`);
    values.set(option, token.value);
  }
  return {
    positionals,
    has: (option) => values.has(option),
    value: (option) => values.get(option),
  };
}

function unknownOptionMessage(option: string, name: string, options: readonly string[]): string {
  const suggestion = didYouMean(option.replace(/^-+/, ""), options, (each) => `--${each}`);
  return `${option} is not an option of tollgate ${name}.${suggestion} List the options with \`tollgate ${name} --help\`.`;
}

function checkWords(
  { positionals, has }: CommandArguments,
  name: string,
  { positionals: declared = [], options }: Command,
): void {
  const needsNone = Object.keys(options).some(
    (option) => options[option]?.replacesPositionals && has(option),
  );
  const missing = needsNone
    ? undefined
    : declared.filter((word) => !word.startsWith("["))[positionals.length];
  const usage = ["tollgate", name, ...declared].join(" ");
  if (missing !== undefined) throw new UsageError(`${missing} is missing. Usage: ${usage}.`);
  if (positionals.length > declared.length)
    throw new UsageError(`Unexpected argument ${positionals[declared.length]}. Usage: ${usage}.`);
}

/** Reports all missing required options in one error, and values that are not in an option's list. */
function checkOptions(args: CommandArguments, name: string, { options }: Command): void {
  const formatOption = (option: string, { value = "" }: Option): string => `--${option} ${value}`.trimEnd();
  const missing = Object.entries(options).filter(
    ([option, { isRequired }]) => isRequired && !args.value(option),
  );
  if (missing.length > 0) {
    const missingList = missing.map((each) => formatOption(...each)).join(", ");
    throw new UsageError(`Missing option: ${missingList}. For an example, run \`tollgate ${name} --help\`.`);
  }
  for (const [option, { oneOf }] of Object.entries(options)) {
    const value = args.value(option);
    if (value === undefined || !oneOf || oneOf.includes(value)) continue;
    throw new UsageError(`--${option} must be one of ${oneOf.join(", ")}.${didYouMean(value, oneOf)}`);
  }
}
