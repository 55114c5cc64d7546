import { readCommandLine } from "./command-line.ts";
import type { CommandGroup, Commands } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { formatCommandHelp, formatGroupHelp, formatOverview } from "./help.ts";
import { formatError } from "./format-error.ts";
import { print } from "./print-result.ts";

/**
 * `runCommandLine` runs a command line and sets the exit code. It prints each error as one message without a stack
 * trace.
 */
export async function runCommandLine(
  words: readonly string[],
  groups: readonly CommandGroup[],
  version: string,
): Promise<void> {
  const commands = Object.assign({}, ...groups.map((group) => group.commands)) as Commands;
  try {
    const parsed = readCommandLine(words, commands);
    if (parsed.action === "version") return print(version);
    if (parsed.action === "run") return await commands[parsed.name]?.run(parsed.args);
    print(formatHelp(parsed, groups, commands));
  } catch (error) {
    process.stderr.write(`${formatError(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

function formatHelp(
  { name, isAll = false }: { readonly name?: string; readonly isAll?: boolean },
  groups: readonly CommandGroup[],
  commands: Commands,
): string {
  if (name === undefined) return formatOverview(groups, isAll);
  const command = commands[name];
  return command ? formatCommandHelp(name, command) : formatGroupHelp(name, commands);
}
