import type { Command, Commands, Options } from "../../server/src/operators/framework/command.ts";
import { UsageError } from "../../server/src/core/command-errors.ts";
import { didYouMean } from "../../server/src/operators/framework/did-you-mean.ts";

/**
 * A completed first word: one command, or a group of commands that begin with the same word, such as `merchant add`.
 */
interface CompletedCommand {
  readonly name: string;
  readonly does: string;
  readonly values: readonly string[];
  readonly options: readonly (readonly [name: string, does: string, takesValue: boolean])[];
}

/** Returns the script with which a shell completes commands, options and the arguments that a command accepts. */
export async function completion(shell: string, commands: Commands): Promise<string> {
  const writeScript = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!writeScript) {
    const knownShells = Object.keys(scripts);
    throw new UsageError(
      `There is no completion for ${shell}.${didYouMean(shell, knownShells)} Known shells: ${knownShells.join(", ")}.`,
    );
  }
  const byFirstWord = Map.groupBy(Object.entries(commands), ([name]) => name.split(" ")[0] ?? "");
  return writeScript(await Promise.all([...byFirstWord].map(describeCommand)));
}

async function describeCommand([name, variants]: [
  string,
  readonly (readonly [string, Command])[],
]): Promise<CompletedCommand> {
  const nextWords = variants.flatMap(([fullName]) => fullName.split(" ")[1] ?? []);
  const knownWords = await Promise.all(
    variants.map(async ([, { completionValues }]) => await completionValues?.()),
  );
  const options: Options = Object.assign({}, ...variants.map(([, command]) => command.options), {
    help: { summary: "this text" },
  });
  return {
    name,
    does: nextWords.length > 0 ? [...new Set(nextWords)].join(", ") : (variants[0]?.[1].summary ?? ""),
    values: [...new Set([...nextWords, ...knownWords.flatMap((words) => words ?? [])])],
    options: Object.entries(options).map(([option, { summary, value }]) => [
      `--${option}`,
      summary,
      value !== undefined,
    ]),
  };
}

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: (commands) => `# Completion of tollgate in bash: source <(tollgate completion bash)
_tollgate() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(" ")} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, values, options }) => `      ${name}) words="${[...values, ...options.map(([option]) => option)].join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # File names, where no other completion fits.
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _tollgate tollgate
`,
  zsh: (commands) => `#compdef tollgate
# Completion of tollgate in zsh: source <(tollgate completion zsh), after compinit
_tollgate() {
  local -a commands
  commands=(
${commands.map(({ name, does }) => `    ${quote(`${name}:${does}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map(zshArguments).join("\n")}
  esac
}
compdef _tollgate tollgate
`,
  fish: (
    commands,
  ) => `# Completion of tollgate in fish: tollgate completion fish > ~/.config/fish/completions/tollgate.fish
complete -c tollgate -f
${commands.flatMap(fishLines).join("\n")}
`,
};

function zshArguments({ name, values, options }: CompletedCommand): string {
  const specs = options.map(([option, does, takesValue]) =>
    quote(`${option}[${removeBrackets(does)}]${takesValue ? ":value:_files" : ""}`),
  );
  const wordSpecs = values.length > 0 ? [quote(`1: :(${values.join(" ")})`)] : [];
  return `    ${name}) shift words; (( CURRENT-- )); _arguments ${[...specs, ...wordSpecs].join(" ")} ;;`;
}

function fishLines({ name, does, values, options }: CompletedCommand): readonly string[] {
  const condition = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c tollgate -n __fish_use_subcommand -a ${name} -d ${quote(does)}`,
    ...(values.length > 0 ? [`complete -c tollgate ${condition} -a ${quote(values.join(" "))}`] : []),
    ...options.map(
      ([option, description, takesValue]) =>
        `complete -c tollgate ${condition} -l ${option.slice(2)} -d ${quote(description)}${takesValue ? " -r -F" : ""}`,
    ),
  ];
}

/** Removes brackets and colons, because a zsh completion specification gives them a meaning. */
function removeBrackets(text: string): string {
  return text.replaceAll(/[[\]:]/g, " ");
}

/** Puts the text in single quotes of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
