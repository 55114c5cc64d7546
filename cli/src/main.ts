import { version } from "../../clients/typescript/src/version.ts";
import { runCommandLine } from "../../server/src/commands/run-command-line.ts";
import { commands } from "./commands.ts";
import { commandsForOperators } from "./operators.ts";

/** The commands of `tollgate`: for merchants, and those that the server has for operators. */
export const groups = [
  { title: "For merchants", commands },
  { title: "For operators of a gateway", commands: commandsForOperators, isListedByAll: true },
] as const;

/** Runs a command line, and sets the exit code. */
export async function main(words: readonly string[]): Promise<void> {
  await runCommandLine(words, groups, version);
}
