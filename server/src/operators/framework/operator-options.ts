import type { ActAttribution, Operator } from "../../operator-session/owner-session.ts";
import type { Command, CommandArguments, Options } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { parseWholeNumber, type NumberRange } from "./parse-whole-number.ts";
import { checkSettings, readSettings, type Settings } from "../../settings/settings.ts";

/** Options of all operator commands. */
export const operatorOptions = {
  environment: {
    value: "WHICH",
    summary: "sandbox or live; overrides TOLLGATE_ENVIRONMENT",
    oneOf: ["sandbox", "live"],
  },
} as const satisfies Options;

export const jsonOption = {
  json: { summary: "Print the result as one line of JSON" },
} as const satisfies Options;

/** Sentence in the help of all commands that use the owner's database setting. */
export const ownerSettingsHelp =
  "Connects to the database in TOLLGATE_OWNER_DATABASE_URL, as the owner or with your own login.";

/** Reads the settings of a command. One error lists all missing and invalid settings, before the command starts. */
export function settingsOf(args: CommandArguments, names: readonly (keyof Settings)[]): Settings {
  const environment = args.value("environment");
  const settings = readSettings({
    ...process.env,
    ...(environment !== undefined && { TOLLGATE_ENVIRONMENT: environment }),
  });
  checkSettings(settings, names);
  return settings;
}

export function operatorOf(args: CommandArguments): Operator {
  const { ownerDatabaseUrl: url, environment } = settingsOf(args, ["environment", "ownerDatabaseUrl"]);
  return { url, environment, by: readActor(args) };
}

/** Returns the actor and the reason for the audit log. */
export function readActor(args: CommandArguments): ActAttribution {
  return { name: args.value("as"), reason: args.value("reason"), alone: args.has("alone") };
}

/** Options of all commands that change something. */
export const auditOptions = {
  reason: { value: "TEXT", summary: "Reason for the audit log (required in live)" },
  as: { value: "NAME", summary: "Your name for the audit log (default: login name on this machine)" },
} as const satisfies Options;

const aloneOptions = {
  alone: {
    summary: "Skip the approval that live requires; owner's login only, audited",
  },
} as const satisfies Options;

/** Adds the options and checks that the fields of a command declare. */
export function applyDeclaration(command: Command): Command {
  return explainPermissionError(addAuditOptions(command));
}

/** PostgreSQL's permission error names only a table. This wrapper reports the role that the command needs. */
function explainPermissionError(command: Command): Command {
  const { requiredRole } = command;
  if (!requiredRole) return command;
  return {
    ...command,
    async run(args) {
      try {
        await command.run(args);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === insufficientPrivilege)) throw error;
        const role =
          requiredRole === "owner" ? "the owner's login" : `a login with the role tollgate_${requiredRole}`;
        throw new Error(`This needs ${role}. PostgreSQL's error:`, { cause: error });
      }
    },
  };
}

/** PostgreSQL's error code `insufficient_privilege`. */
const insufficientPrivilege = "42501";

/**
 * Adds the options of commands that change data. In live such a command is rejected before it starts if the reason is
 * missing; a dry run needs no reason.
 */
function addAuditOptions(command: Command): Command {
  if (!command.auditLabel) return command;
  return {
    ...command,
    options: { ...command.options, ...auditOptions, ...(command.requiresApproval && aloneOptions) },
    async run(args) {
      // The environment is not read with `settingsOf`, because the command itself reports all missing settings at once.
      const environment = args.value("environment") ?? process.env["TOLLGATE_ENVIRONMENT"];
      const isDryRun = command.options && "dry-run" in command.options && args.has("dry-run");
      if (environment === "live" && !args.has("reason") && !isDryRun)
        throw new UsageError(
          "Give the reason with --reason TEXT. In live the audit log stores a reason for each change.",
        );
      checkTextLength(args, "reason", 1_000);
      checkTextLength(args, "as", 200);
      await command.run(args);
    },
  };
}

/** Checks the length of an option's text. The limits are those of the audit table's constraints. */
function checkTextLength(args: CommandArguments, option: string, max: number): void {
  const text = args.value(option);
  if (text === undefined || (text.trim() !== "" && text.length <= max)) return;
  throw new UsageError(`--${option} must have 1 to ${max} characters.`);
}

/** Returns the value of a required option. The parser has already rejected a command line without it. */
export function requiredOption(args: CommandArguments, option: string): string {
  return args.value(option) ?? "";
}

/** Returns the subject of a command: its first argument, or the option with the same meaning. */
export function subjectOf(args: CommandArguments, option: string): string {
  const subject = args.positionals[0] ?? args.value(option);
  if (!subject) throw new UsageError(`Give it as an argument, or with --${option}.`);
  return subject;
}

/** Returns the value of a required number. */
export function requiredNumber(args: CommandArguments, option: string, range: NumberRange): number {
  return parseWholeNumber(args, option, range) ?? range[0];
}

export function parseList(args: CommandArguments, option: string): readonly string[] | undefined {
  return args.value(option)?.split(",").filter(Boolean);
}

export function parseYesNo(args: CommandArguments, option: string): boolean | undefined {
  const value = args.value(option);
  return value === undefined ? undefined : value === "yes";
}

/** Removes undefined fields from new settings, so that these settings stay unchanged. */
export function omitUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as WithoutUndefined<Fields>;
}

type WithoutUndefined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
