import { exitCodes, type Command, type CommandGroup, type Commands, type Options } from "./command.ts";

/** Formats the list of commands; with `isAll`, groups that are not listed by default are included. */
export function overview(groups: readonly CommandGroup[], isAll: boolean): string {
  const listed = groups.filter(({ isListedByAll }) => isAll || !isListedByAll);
  const others = groups.filter((group) => !listed.includes(group));
  const width = widest(listed.flatMap(({ commands }) => rowsOf(commands)));
  return text(
    "Tollgate is an open payment gateway.",
    "",
    "  tollgate COMMAND [OPTIONS]",
    ...listed.flatMap(({ title, commands }) => ["", title, ...columns(rowsOf(commands), width)]),
    "",
    ...others.map(
      ({ title }) => `  List the commands ${title.toLowerCase()} with \`tollgate --help --all\`.`,
    ),
    "  Print the options and examples of a command with `tollgate COMMAND --help`, and the version with `tollgate --version`.",
    "",
    ...exitCodeLines(),
  );
}

/** Formats the help of one command. */
export function helpOn(name: string, command: Command): string {
  const options: Options = { ...command.options, help: { does: "Show this help" } };
  return text(
    `tollgate ${called(name, command)}: ${command.does}.`,
    ...(command.about === undefined ? [] : ["", ...command.about.split("\n").flatMap(wrapped)]),
    ...roleLines(command),
    "",
    "Options",
    ...columns(
      Object.entries(options).map(([option, { value = "", does, isRequired }]) => [
        `--${option} ${value}`.trimEnd(),
        isRequired ? `${does} (required)` : does,
      ]),
    ),
    "",
    "Examples",
    ...command.examples.map((example) => `  ${example}`),
    "",
    ...exitCodeLines(),
  );
}

/** The line about the database role that a login needs. */
function roleLines({ needs, alsoFor }: Command): string[] {
  if (!needs) return [];
  const other = alsoFor ? ` or tollgate_${alsoFor}` : "";
  return [
    needs === "owner" ? "It needs the owner's login." : `The login needs the role tollgate_${needs}${other}.`,
  ];
}

/** Formats the list of commands that begin with these words. */
export function helpOnStart(start: string, commands: Commands): string {
  const below = Object.entries(commands).filter(([name]) => name.startsWith(`${start} `));
  return text(
    `tollgate ${start} …`,
    "",
    ...columns(rowsOf(Object.fromEntries(below))),
    "",
    "  Add --help to a command to see its options and examples.",
  );
}

type Rows = readonly (readonly [string, string])[];

function rowsOf(commands: Commands): Rows {
  return Object.entries(commands).map(([name, command]) => [called(name, command), command.does]);
}

/** Returns a command with its arguments. */
export function called(name: string, { takes = [] }: Command): string {
  return [name, ...takes].join(" ");
}

function exitCodeLines(): string[] {
  return ["Exit codes", ...columns(Object.entries(exitCodes))];
}

function widest(rows: Rows): number {
  return Math.max(...rows.map(([left]) => left.length));
}

/** Aligns rows of two columns. */
export function columns(rows: Rows, width = widest(rows)): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

const widthMax = 120;

/** Wraps a line at `widthMax` characters. */
function wrapped(line: string): string[] {
  if (line.length <= widthMax) return [line];
  const end = line.lastIndexOf(" ", widthMax);
  return [line.slice(0, end), ...wrapped(line.slice(end + 1))];
}

function text(...lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
