import type { Command, Commands, Options } from "../../server/src/operators/framework/command.ts";
import { UsageError } from "../../server/src/core/command-errors.ts";
import { didYouMean } from "../../server/src/operators/framework/did-you-mean.ts";

/**
 * A completed first word: one command, or a group of commands that begin with the same word, such as `merchant add`.
 */
interface Completed {
  readonly name: string;
  readonly does: string;
  readonly words: readonly string[];
  readonly options: readonly (readonly [name: string, does: string, takesValue: boolean])[];
}

/** Returns the script with which a shell completes commands, options and the arguments that a command accepts. */
export async function completion(shell: string, commands: Commands): Promise<string> {
  const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!write) {
    const known = Object.keys(scripts);
    throw new UsageError(
      `There is no completion for ${shell}.${didYouMean(shell, known)} Known shells: ${known.join(", ")}.`,
    );
  }
  const byFirstWord = Map.groupBy(Object.entries(commands), ([name]) => name.split(" ")[0] ?? "");
  return write(await Promise.all([...byFirstWord].map(completed)));
}

async function completed([name, all]: [string, readonly (readonly [string, Command])[]]): Promise<Completed> {
  const nextWords = all.flatMap(([whole]) => whole.split(" ")[1] ?? []);
  const known = await Promise.all(all.map(async ([, { words }]) => await words?.()));
  const options: Options = Object.assign({}, ...all.map(([, command]) => command.options), {
    help: { does: "this text" },
  });
  return {
    name,
    does: nextWords.length > 0 ? [...new Set(nextWords)].join(", ") : (all[0]?.[1].does ?? ""),
    words: [...new Set([...nextWords, ...known.flatMap((words) => words ?? [])])],
    options: Object.entries(options).map(([option, { does, value }]) => [
      `--${option}`,
      does,
      value !== undefined,
    ]),
  };
}

const scripts: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: (commands) => `# Completion of tollgate in bash: source <(tollgate completion bash)
_tollgate() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(" ")} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, words, options }) => `      ${name}) words="${[...words, ...options.map(([option]) => option)].join(" ")}" ;;`).join("\n")}
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
${commands.map(({ name, does }) => `    ${quoted(`${name}:${does}`)}`).join("\n")}
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

function zshArguments({ name, words, options }: Completed): string {
  const specs = options.map(([option, does, takesValue]) =>
    quoted(`${option}[${bare(does)}]${takesValue ? ":value:_files" : ""}`),
  );
  const first = words.length > 0 ? [quoted(`1: :(${words.join(" ")})`)] : [];
  return `    ${name}) shift words; (( CURRENT-- )); _arguments ${[...specs, ...first].join(" ")} ;;`;
}

function fishLines({ name, does, words, options }: Completed): readonly string[] {
  const inside = `-n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c tollgate -n __fish_use_subcommand -a ${name} -d ${quoted(does)}`,
    ...(words.length > 0 ? [`complete -c tollgate ${inside} -a ${quoted(words.join(" "))}`] : []),
    ...options.map(
      ([option, what, takesValue]) =>
        `complete -c tollgate ${inside} -l ${option.slice(2)} -d ${quoted(what)}${takesValue ? " -r -F" : ""}`,
    ),
  ];
}

/** Removes brackets and colons, because a zsh completion specification gives them a meaning. */
function bare(text: string): string {
  return text.replaceAll(/[[\]:]/g, " ");
}

/** Puts the text in single quotes of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
