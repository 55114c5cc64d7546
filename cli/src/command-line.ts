import { parseArgs } from "node:util";
import { UsageError, type Command, type Commands, type Given, type Option } from "./command.ts";
import { didYouMean } from "./nearest.ts";

/** What a command line asks for. */
export type Asked =
  | { readonly wants: "version" }
  | { readonly wants: "help"; readonly name?: string }
  | { readonly wants: "run"; readonly name: string; readonly given: Given };

const everywhere: Readonly<Record<string, Option>> = { help: { does: "this text" } };
const shorts: Readonly<Record<string, string>> = { h: "help", V: "version" };

/** Reads the command line, or throws a `UsageError` that says what is wrong, and what was probably meant. */
export function readCommandLine(words: readonly string[], commands: Commands): Asked {
  const [name = "help", ...rest] = words;
  if (["--version", "-V", "version"].includes(name)) return { wants: "version" };
  if (["--help", "-h", "help"].includes(name)) {
    const [about] = rest;
    return about !== undefined && Object.hasOwn(commands, about)
      ? { wants: "help", name: about }
      : { wants: "help" };
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    throw new UsageError(
      `There is no command ${name}.${didYouMean(name, Object.keys(commands), (meant) => `tollgate ${meant}`)} ` +
        "`tollgate --help` lists them all.",
    );
  }
  const given = readOptions(rest, name, command);
  if (given.has("help")) return { wants: "help", name };
  checkWords(given.words, name, command);
  return { wants: "run", name, given };
}

function readOptions(words: readonly string[], name: string, command: Command): Given {
  const options: Readonly<Record<string, Option>> = { ...command.options, ...everywhere };
  const types = Object.entries(options).map(([option, { value }]) => [
    option,
    { type: value === undefined ? ("boolean" as const) : ("string" as const) },
  ]);
  // Not strict: Node's own sentences about a wrong option do not say which one was meant.
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
      throw new UsageError(`--${option} takes no value.`);
    const isNextOption = token.value?.startsWith("-") && !token.inlineValue;
    if (known.value !== undefined && (!token.value || isNextOption))
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
  return `${option} is no option of tollgate ${name}.${meant} \`tollgate ${name} --help\` lists them.`;
}

function checkWords(words: readonly string[], name: string, { takes = [] }: Command): void {
  const missing = takes.filter((word) => !word.startsWith("["))[words.length];
  const usage = ["tollgate", name, ...takes].join(" ");
  if (missing !== undefined) throw new UsageError(`${missing} is missing: ${usage}.`);
  if (words.length > takes.length) throw new UsageError(`${words[takes.length]} is too much: ${usage}.`);
}
