import {
  domains,
  folders,
  fileKinds,
  verbLists,
  allowedImports,
  allowedOutsideImports,
  pureFolders,
} from "./layout.ts";
import { repositoryParts, packageScripts, testTiers } from "./repository.ts";
import { notifications } from "../catalog/notifications.ts";
import { kindFacts, type NotificationKind } from "../notifications/notification-kinds.ts";
import { signatureMistakes } from "../signing/signature-candidates.ts";
import { exitCodes, type Command } from "../operators/framework/command.ts";
import { operatorCommands } from "../processes/operator-commands.ts";
import { auditOptions, operatorOptions, ownerSettingsHelp } from "../operators/framework/operator-options.ts";

/** The generated parts of documents: document path → marker name → content. */
export const generatedParts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": { parts: formatTable(["folder", "what it is"], toRows(repositoryParts, linkTo)) },
  "CONTRIBUTING.md": { scripts: formatTable(["`npm run`", "does"], toRows(packageScripts)) },
  "docs/concepts/signing.md": {
    slips: formatTable(
      ["you signed", "change"],
      Object.values(signatureMistakes).map(({ description: signed, advice: change }) =>
        [signed, change].map(escapeCell),
      ),
    ),
  },
  "docs/reference/notifications.md": {
    kinds: formatTable(
      ["kind", "reports", "URL"],
      notifications.map(({ kind, summary }) => [formatCode(kind), summary, describeUrl(kind)]),
    ),
  },
  "docs/operating/commands.md": {
    "exit codes": formatTable(
      ["code", "means"],
      Object.entries(exitCodes).map(([number, means]) => [number, means]),
    ),
    commands: commandSections(),
  },
  "docs/internals/testing.md": {
    tiers: formatTable(
      ["`npm run`", "runs", "finds", "takes"],
      Object.entries(testTiers).map(([name, { runs, finds, takes }]) => [
        formatCode(name),
        runs,
        finds,
        takes,
      ]),
    ),
  },
  "docs/internals/layout.md": {
    domains: formatTable(["domain", "subject"], toRows(domains)),
    kinds: formatTable(
      ["kind", "what it is"],
      Object.entries(fileKinds).map(([kind, { example, description, ...named }]) => [
        `${kind}: ${describeFileName(kind, named)}, such as ${formatCode(example)}`,
        description,
      ]),
    ),
    folders: formatTable(["folder", "what lives there"], toRows(folders)),
    imports: formatTable(
      ["kind", "may import"],
      Object.entries(allowedImports).map(([kind, allowed]) => [kind, describeImports(allowed)]),
    ),
    reach: formatTable(
      ["part", "may import from outside of its own folder"],
      Object.entries(allowedOutsideImports).map(([part, places]) => [
        formatCode(part),
        places.map(formatCode).join(", ") || "nothing",
      ]),
    ),
  },
};

/** The URL to which a kind of webhook is sent. */
function describeUrl(kind: NotificationKind): string {
  const urlField = new Map(kindFacts).get(kind)?.urlField;
  return urlField ? `${formatCode(urlField)}, else the default address` : "the default address";
}

/** Replaces the text of a document between the markers with this name. */
export function replaceBetweenMarkers(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}, printed by \`npm run generate\` -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`There is no marker ${start} … ${end}.`);
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
}

type Row = readonly string[];

function formatTable(heads: Row, rows: readonly Row[]): string {
  return [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function toRows(entries: Readonly<Record<string, string>>, formatName = formatCode): Row[] {
  return Object.entries(entries).map(([key, description]) => [formatName(key), description]);
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
  const { positionals = [], summary, description: about = "", options, examples } = command;
  const common = { ...operatorOptions, ...auditOptions };
  const ownOptions = Object.entries(options).filter(([option]) => !Object.hasOwn(common, option));
  const rows = ownOptions.map(([option, { value = "", summary: description, isRequired }]) => [
    formatCode(`--${option} ${value}`.trimEnd()),
    escapeCell(isRequired ? `${description} (required)` : description),
  ]);
  const explanation = about.replace(ownerSettingsHelp, "").replaceAll("\n", " ");
  return [
    `### ${[name, ...positionals].join(" ")}`,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${explanation}`.trim(),
    ...describePrivileges(command),
    ["```sh", ...examples, "```"].join("\n"),
    ...(rows.length > 0 ? [formatTable(["option", "means"], rows)] : []),
  ].join("\n\n");
}

/** The database role that a command needs, and whether it writes a row to the audit log. */
function describePrivileges({ requiredRole, auditLabel }: Command): string[] {
  if (!requiredRole) return [];
  const role = requiredRole === "owner" ? "the owner" : formatCode(`tollgate_${requiredRole}`);
  return [`For ${role}${auditLabel ? ", [audited](#the-audit)" : ""}.`];
}

/** Escapes the characters that Markdown would interpret. */
function escapeCell(text: string): string {
  return text.replaceAll(/[\\|<>[\]*_&]/g, "\\$&");
}

function formatCode(text: string): string {
  return `\`${text}\``;
}

/** How the name of a file shows that it is of this kind. */
function describeFileName(kind: string, { endings = [] }: { readonly endings?: readonly string[] }): string {
  if (kind === "verb") return `listed in ${verbLists.map(formatCode).join(" or ")}`;
  return endings.map((ending) => formatCode(`*${ending}`)).join(" or ") || "any other name";
}

function linkTo(path: string): string {
  return `[${path}](${path})`;
}

/** The import rule in words: `node:*` is all of Node, `npm:pg` the package `pg`, and a path is one file. */
function describeImports(allowed: string): string {
  return allowed
    .replace(pureFolders, "pure")
    .split(" ")
    .filter((entry) => !/^npm:.+\/\*$/.test(entry))
    .map((entry) => {
      if (entry === "node:*") return "Node";
      if (entry === "npm:*") return "any package";
      const name = entry.replace(/^npm:/, "");
      return /[./:]/.test(name) ? formatCode(name) : name;
    })
    .join(", ");
}
