import { version } from "../../clients/typescript/src/version.ts";
import { runCommandLine } from "../../server/src/operators/framework/run-command-line.ts";
import { commands } from "./commands.ts";
import { commandsForOperators } from "./operators.ts";

/** The commands of `tollgate`: those for merchants, and those of the server for operators. */
export const commandGroups = [
  { title: "For merchants", commands },
  { title: "For operators of a gateway", commands: commandsForOperators, isListedByAll: true },
] as const;

/** Runs a command line, and sets the exit code. */
export async function main(words: readonly string[]): Promise<void> {
  await runCommandLine(words, commandGroups, version);
}
