import { readCommandLine } from "./command-line.ts";
import type { CommandGroup, Commands } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { helpOn, helpOnStart, overview } from "./help.ts";
import { inWords } from "./format-error.ts";
import { print } from "./show.ts";

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
    const asked = readCommandLine(words, commands);
    if (asked.wants === "version") return print(version);
    if (asked.wants === "run") return await commands[asked.name]?.run(asked.given);
    print(helpAbout(asked, groups, commands));
  } catch (error) {
    process.stderr.write(`${inWords(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

function helpAbout(
  { name, isAll = false }: { readonly name?: string; readonly isAll?: boolean },
  groups: readonly CommandGroup[],
  commands: Commands,
): string {
  if (name === undefined) return overview(groups, isAll);
  const command = commands[name];
  return command ? helpOn(name, command) : helpOnStart(name, commands);
}
