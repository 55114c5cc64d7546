import {
  domains,
  folders,
  kinds,
  listsOfVerbs,
  mayImport,
  mayReach,
  parts,
  scripts,
  tiers,
} from "../layout.ts";
import { slips } from "../signing/slips.ts";
import { exitCodes, type Command } from "./command.ts";
import { operatorCommands } from "./operator-commands.ts";
import { actOptions, operatorOptions, ownersSettings } from "./operator.ts";

/** The generated parts of documents: path → name of the markers → content. */
export const printed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": { parts: table(["folder", "what it is"], entriesOf(parts, linked)) },
  "CONTRIBUTING.md": { scripts: table(["`npm run`", "does"], entriesOf(scripts)) },
  "docs/concepts/signing.md": {
    slips: table(
      ["you signed", "change"],
      Object.values(slips).map(({ signed, change }) => [signed, change].map(inCell)),
    ),
  },
  "docs/operating/commands.md": {
    "exit codes": table(
      ["code", "means"],
      Object.entries(exitCodes).map(([number, means]) => [number, means]),
    ),
    commands: commandSections(),
  },
  "docs/internals/testing.md": {
    tiers: table(
      ["`npm run`", "runs", "finds", "takes"],
      Object.entries(tiers).map(([name, { runs, finds, takes }]) => [code(name), runs, finds, takes]),
    ),
  },
  "ARCHITECTURE.md": {
    commands: table(["command", "what it does"], commandRows()),
    domains: table(["domain", "what it is about"], entriesOf(domains)),
    kinds: table(
      ["kind", "what it is"],
      Object.entries(kinds).map(([kind, { example, is, ...named }]) => [
        `${kind}: ${nameOf(kind, named)}, such as ${code(example)}`,
        is,
      ]),
    ),
    folders: table(["folder", "what lives there"], entriesOf(folders)),
    imports: table(
      ["kind", "may import"],
      Object.entries(mayImport).map(([kind, allowed]) => [kind, importsText(allowed)]),
    ),
    reach: table(
      ["part", "may import from outside of its own folder"],
      Object.entries(mayReach).map(([part, places]) => [
        code(part),
        places.map(code).join(", ") || "nothing",
      ]),
    ),
  },
};

/** Replaces the text between the markers of this name. */
export function between(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}, printed by \`npm run generate\` -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`There is no place marked ${start} … ${end}.`);
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
}

type Row = readonly string[];

function table(heads: Row, rows: readonly Row[]): string {
  return [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function entriesOf(of: Readonly<Record<string, string>>, name = code): Row[] {
  return Object.entries(of).map(([key, says]) => [name(key), says]);
}

function commandRows(): Row[] {
  return Object.entries(operatorCommands).map(([name, { does }]) => [code(name), does]);
}

/** A table of its options for each command, with an example. */
function commandSections(): string {
  return Object.entries(operatorCommands).map(commandSection).join("\n\n");
}

/** What holds for all commands, or for all that act, stands once on the page, and not beside each. */
function commandSection([name, command]: readonly [string, Command]): string {
  const { takes = [], does, about = "", options, examples } = command;
  const common = { ...operatorOptions, ...actOptions };
  const own = Object.entries(options).filter(([option]) => !Object.hasOwn(common, option));
  const rows = own.map(([option, { value = "", does: says, isRequired }]) => [
    code(`--${option} ${value}`.trimEnd()),
    inCell(isRequired ? `${says} (required)` : says),
  ]);
  const more = about.replace(ownersSettings, "").replaceAll("\n", " ");
  return [
    `### ${[name, ...takes].join(" ")}`,
    `${does[0]?.toUpperCase()}${does.slice(1)}. ${more}`.trim(),
    ...rightsOf(command),
    ["```sh", ...examples, "```"].join("\n"),
    ...(rows.length > 0 ? [table(["option", "means"], rows)] : []),
  ].join("\n\n");
}

/** The role that a command is for, and whether it leaves a row in the audit. */
function rightsOf({ needs, acts }: Command): string[] {
  if (!needs) return [];
  const role = needs === "owner" ? "the owner" : code(`tollgate_${needs}`);
  return [`For ${role}${acts ? ", [audited](#the-audit)" : ""}.`];
}

/** As text: what Markdown would take for a mark is escaped. */
function inCell(text: string): string {
  return text.replaceAll(/[\\|<>[\]*_&]/g, "\\$&");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** How a file of this kind is told by its name. */
function nameOf(kind: string, { endings = [] }: { readonly endings?: readonly string[] }): string {
  if (kind === "verb") return `listed in ${listsOfVerbs.map(code).join(" or ")}`;
  return endings.map((ending) => code(`*${ending}`)).join(" or ") || "any other name";
}

function linked(path: string): string {
  return `[${path}](${path})`;
}

/** As the table has it, in words: `node:*` is all of Node, `npm:pg` the package `pg`, and a path one file. */
function importsText(allowed: string): string {
  return allowed
    .split(" ")
    .filter((entry) => !/^npm:.+\/\*$/.test(entry))
    .map((entry) => {
      if (entry === "node:*") return "Node";
      if (entry === "npm:*") return "any package";
      const name = entry.replace(/^npm:/, "");
      return /[./:]/.test(name) ? code(name) : name;
    })
    .join(", ");
}
