import { domains, folders, kinds, listsOfVerbs, mayImport, mayReach, pure } from "./layout.ts";
import { parts, scripts, tiers } from "./repository.ts";
import { notifications } from "../catalog/notifications.ts";
import { factsOfKinds, type NotificationKind } from "../notifications/notification-kinds.ts";
import { slips } from "../signing/mistakes.ts";
import { exitCodes, type Command } from "../operators/framework/command.ts";
import { operatorCommands } from "../processes/operator-commands.ts";
import { auditOptions, operatorOptions, ownersSettings } from "../operators/framework/operator.ts";

/** The generated parts of documents: document path → marker name → content. */
export const printed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": { parts: table(["folder", "what it is"], entriesOf(parts, linked)) },
  "CONTRIBUTING.md": { scripts: table(["`npm run`", "does"], entriesOf(scripts)) },
  "docs/concepts/signing.md": {
    slips: table(
      ["you signed", "change"],
      Object.values(slips).map(({ signed, change }) => [signed, change].map(inCell)),
    ),
  },
  "docs/reference/notifications.md": {
    kinds: table(
      ["kind", "reports", "URL"],
      notifications.map(({ kind, summary }) => [code(kind), summary, urlOf(kind)]),
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
  "docs/internals/layout.md": {
    domains: table(["domain", "subject"], entriesOf(domains)),
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

/** The URL to which a kind of webhook is sent. */
function urlOf(kind: NotificationKind): string {
  const urlField = new Map(factsOfKinds).get(kind)?.urlField;
  return urlField ? `${code(urlField)}, else the default address` : "the default address";
}

/** Replaces the text of a document between the markers with this name. */
export function between(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}, printed by \`npm run generate\` -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`There is no marker ${start} … ${end}.`);
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
}

type Row = readonly string[];

function table(heads: Row, rows: readonly Row[]): string {
  return [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function entriesOf(of: Readonly<Record<string, string>>, name = code): Row[] {
  return Object.entries(of).map(([key, says]) => [name(key), says]);
}

/** A section for each command, with a table of its options and an example. */
function commandSections(): string {
  return Object.entries(operatorCommands).map(commandSection).join("\n\n");
}

/**
 * The section of a command. The page has facts about all commands, and about all commands that change something, once
 * and not in each section.
 */
function commandSection([name, command]: readonly [string, Command]): string {
  const { takes = [], does, about = "", options, examples } = command;
  const common = { ...operatorOptions, ...auditOptions };
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

/** The database role that a command needs, and whether it writes a row to the audit log. */
function rightsOf({ needs, acts }: Command): string[] {
  if (!needs) return [];
  const role = needs === "owner" ? "the owner" : code(`tollgate_${needs}`);
  return [`For ${role}${acts ? ", [audited](#the-audit)" : ""}.`];
}

/** Escapes the characters that Markdown would interpret. */
function inCell(text: string): string {
  return text.replaceAll(/[\\|<>[\]*_&]/g, "\\$&");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** How the name of a file shows that it is of this kind. */
function nameOf(kind: string, { endings = [] }: { readonly endings?: readonly string[] }): string {
  if (kind === "verb") return `listed in ${listsOfVerbs.map(code).join(" or ")}`;
  return endings.map((ending) => code(`*${ending}`)).join(" or ") || "any other name";
}

function linked(path: string): string {
  return `[${path}](${path})`;
}

/** The import rule in words: `node:*` is all of Node, `npm:pg` the package `pg`, and a path is one file. */
function importsText(allowed: string): string {
  return allowed
    .replace(pure, "pure")
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
