import { readCommandLine } from "./command-line.ts";
import { UsageError, type CommandGroup } from "./command.ts";
import { helpOn, overview } from "./help.ts";
import { print } from "./show.ts";

/** Runs a command line, and sets the exit code. Whatever goes wrong is a sentence, never a stack trace. */
export async function runCommandLine(
  words: readonly string[],
  groups: readonly CommandGroup[],
  version: string,
): Promise<void> {
  const commands = Object.assign({}, ...groups.map((group) => group.commands)) as CommandGroup["commands"];
  try {
    const asked = readCommandLine(words, commands);
    if (asked.wants === "version") return print(version);
    if (asked.wants === "run") return await commands[asked.name]?.run(asked.given);
    print(asked.about === undefined ? overview(groups) : helpOn(asked.about, commands));
  } catch (error) {
    process.stderr.write(`${inWords(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** What went wrong, for people. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return `The disk is full${path ? `: ${path}` : ""}. Make room, and start again.`;
  if (code === "EACCES" && path) return `${path} may not be read or written by you.`;
  if (code === "ENOENT" && path) return `There is no file ${path}.`;
  // When no address of a host answers, Node throws an AggregateError without a message of its own.
  if (error instanceof AggregateError && !error.message) return error.errors.map(inWords).join(" ");
  // PostgreSQL's own words, from its log or its answer.
  if (error.message.includes("No space left on device"))
    return `${error.message.trim()}\nThe disk is full. Make room, and start again.`;
  return error.cause === undefined ? error.message : `${error.message} ${inWords(error.cause)}`;
}
