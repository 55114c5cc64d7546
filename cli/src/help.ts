import { exitCodes, type Command, type Commands, type Option } from "./command.ts";

/** The list of all commands. */
export function overview(commands: Commands): string {
  return text(
    "Tollgate, an open payment gateway, on the command line.",
    "",
    "  tollgate COMMAND [OPTIONS]",
    "",
    ...columns(Object.entries(commands).map(([name, each]) => [called(name, each), each.does])),
    "",
    "  tollgate COMMAND --help has the options of each, with examples; tollgate --version the version.",
    "",
    ...exitCodeLines(),
  );
}

/** All about one command. */
export function helpOn(name: string, command: Command): string {
  const options: Readonly<Record<string, Option>> = { ...command.options, help: { does: "this text" } };
  return text(
    `tollgate ${called(name, command)}: ${command.does}.`,
    ...(command.about === undefined ? [] : ["", command.about]),
    "",
    "Options",
    ...columns(
      Object.entries(options).map(([option, { value = "", does }]) => [
        `--${option} ${value}`.trimEnd(),
        does,
      ]),
    ),
    "",
    "Examples",
    ...command.examples.map((example) => `  ${example}`),
    "",
    ...exitCodeLines(),
  );
}

function called(name: string, { takes = [] }: Command): string {
  return [name, ...takes].join(" ");
}

function exitCodeLines(): string[] {
  return ["Exit codes", ...columns(Object.entries(exitCodes))];
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function text(...lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
