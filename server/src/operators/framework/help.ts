import { exitCodes, type Command, type CommandGroup, type Commands, type Options } from "./command.ts";

/** Formats the list of commands; with `isAll`, groups that are not listed by default are included. */
export function formatOverview(groups: readonly CommandGroup[], isAll: boolean): string {
  const listedGroups = groups.filter(({ isListedByAll }) => isAll || !isListedByAll);
  const unlistedGroups = groups.filter((group) => !listedGroups.includes(group));
  const width = labelWidth(listedGroups.flatMap(({ commands }) => rowsOf(commands)));
  return joinLines(
    "Tollgate is an open payment gateway.",
    "",
    "  tollgate COMMAND [OPTIONS]",
    ...listedGroups.flatMap(({ title, commands }) => ["", title, ...alignColumns(rowsOf(commands), width)]),
    "",
    ...unlistedGroups.map(
      ({ title }) => `  List the commands ${title.toLowerCase()} with \`tollgate --help --all\`.`,
    ),
    "  Print the options and examples of a command with `tollgate COMMAND --help`, and the version with `tollgate --version`.",
    "",
    ...exitCodeLines(),
  );
}

/** Formats the help of one command. */
export function formatCommandHelp(name: string, command: Command): string {
  const options: Options = { ...command.options, help: { summary: "Show this help" } };
  return joinLines(
    `tollgate ${formatUsage(name, command)}: ${command.summary}.`,
    ...(command.description === undefined ? [] : ["", ...command.description.split("\n").flatMap(wrapLine)]),
    ...roleLines(command),
    "",
    "Options",
    ...alignColumns(
      Object.entries(options).map(([option, { value = "", summary, isRequired }]) => [
        `--${option} ${value}`.trimEnd(),
        isRequired ? `${summary} (required)` : summary,
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
function roleLines({ requiredRole, alternativeRole }: Command): string[] {
  if (!requiredRole) return [];
  const alternative = alternativeRole ? ` or tollgate_${alternativeRole}` : "";
  return [
    requiredRole === "owner"
      ? "It needs the owner's login."
      : `The login needs the role tollgate_${requiredRole}${alternative}.`,
  ];
}

/** Formats the list of commands that begin with these words. */
export function formatGroupHelp(start: string, commands: Commands): string {
  const matching = Object.entries(commands).filter(([name]) => name.startsWith(`${start} `));
  return joinLines(
    `tollgate ${start} …`,
    "",
    ...alignColumns(rowsOf(Object.fromEntries(matching))),
    "",
    "  Add --help to a command to see its options and examples.",
  );
}

type Rows = readonly (readonly [string, string])[];

function rowsOf(commands: Commands): Rows {
  return Object.entries(commands).map(([name, command]) => [formatUsage(name, command), command.summary]);
}

/** Returns a command with its arguments. */
export function formatUsage(name: string, { positionals = [] }: Command): string {
  return [name, ...positionals].join(" ");
}

function exitCodeLines(): string[] {
  return ["Exit codes", ...alignColumns(Object.entries(exitCodes))];
}

function labelWidth(rows: Rows): number {
  return Math.max(...rows.map(([left]) => left.length));
}

/** Aligns rows of two columns. */
export function alignColumns(rows: Rows, width = labelWidth(rows)): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

const widthMax = 120;

/** Wraps a line at `widthMax` characters. */
function wrapLine(line: string): string[] {
  if (line.length <= widthMax) return [line];
  const end = line.lastIndexOf(" ", widthMax);
  return [line.slice(0, end), ...wrapLine(line.slice(end + 1))];
}

function joinLines(...lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
