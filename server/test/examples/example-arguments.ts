import { operatorCommands } from "../../src/processes/operator-commands.ts";

/** Splits a shell command into words; a quoted text is one word. */
export function splitCommandLine(line: string): readonly string[] {
  const command = line.replace(/\s#.*$|[|>;&].*$/, "");
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
}

interface ExampleIds {
  readonly clientId: string;
  readonly paymentId: string;
}

/**
 * The arguments in a command's first help example, with a test's own ids. So tests of all commands include new
 * commands. A command whose example needs a file or other data has its own arguments in the test.
 */
export function exampleArguments(name: string, { clientId, paymentId }: ExampleIds): readonly string[] {
  const words = splitCommandLine(operatorCommands[name]?.examples[0] ?? "").slice(1 + name.split(" ").length);
  return words.map((word) =>
    word.replace(/^(?:SANDBOX_[0-9A-Z]+|[0-9A-Z]{16})$/, clientId).replace(/^\d{35}$/, paymentId),
  );
}

export function withoutReason(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => word !== "--reason" && words[index - 1] !== "--reason");
}
