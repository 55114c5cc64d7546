import type { ActsFor, Operator } from "../../operator-session/as-owner.ts";
import type { Command, Given, Options } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { wholeNumber, type NumberRange } from "./whole-number.ts";
import { checkSettings, readSettings, type Settings } from "../../settings/settings.ts";

/** Options of all operator commands. */
export const operatorOptions = {
  environment: {
    value: "WHICH",
    does: "sandbox or live; overrides TOLLGATE_ENVIRONMENT",
    oneOf: ["sandbox", "live"],
  },
} as const satisfies Options;

export const jsonOption = {
  json: { does: "Print the result as one line of JSON" },
} as const satisfies Options;

/** Sentence in the help of all commands that use the owner's database setting. */
export const ownersSettings =
  "Connects to the database in TOLLGATE_OWNER_DATABASE_URL, as the owner or with your own login.";

/** Reads the settings of a command. One error lists all missing and invalid settings, before the command starts. */
export function settingsOf(given: Given, names: readonly (keyof Settings)[]): Settings {
  const environment = given.value("environment");
  const settings = readSettings({
    ...process.env,
    ...(environment !== undefined && { TOLLGATE_ENVIRONMENT: environment }),
  });
  checkSettings(settings, names);
  return settings;
}

export function operatorOf(given: Given): Operator {
  const { ownerDatabaseUrl: url, environment } = settingsOf(given, ["environment", "ownerDatabaseUrl"]);
  return { url, environment, by: readActor(given) };
}

/** Returns the actor and the reason for the audit log. */
export function readActor(given: Given): ActsFor {
  return { name: given.value("as"), reason: given.value("reason"), alone: given.has("alone") };
}

/** Options of all commands that change something. */
export const auditOptions = {
  reason: { value: "TEXT", does: "Reason for the audit log (required in live)" },
  as: { value: "NAME", does: "Your name for the audit log (default: login name on this machine)" },
} as const satisfies Options;

const aloneOption = {
  alone: {
    does: "Skip the approval that live requires; owner's login only, audited",
  },
} as const satisfies Options;

/** Adds the options and checks that the fields of a command declare. */
export function applyDeclaration(command: Command): Command {
  return explainPermissionError(audited(command));
}

/** PostgreSQL's permission error names only a table. This wrapper reports the role that the command needs. */
function explainPermissionError(command: Command): Command {
  const { needs } = command;
  if (!needs) return command;
  return {
    ...command,
    async run(given) {
      try {
        await command.run(given);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === notAllowed)) throw error;
        const role = needs === "owner" ? "the owner's login" : `a login with the role tollgate_${needs}`;
        throw new Error(`This needs ${role}. PostgreSQL's error:`, { cause: error });
      }
    },
  };
}

/** PostgreSQL's error code `insufficient_privilege`. */
const notAllowed = "42501";

/**
 * Adds the options of commands that change data. In live such a command is rejected before it starts if the reason is
 * missing; a dry run needs no reason.
 */
function audited(command: Command): Command {
  if (!command.acts) return command;
  return {
    ...command,
    options: { ...command.options, ...auditOptions, ...(command.requiresApproval && aloneOption) },
    async run(given) {
      // The environment is not read with `settingsOf`, because the command itself reports all missing settings at once.
      const environment = given.value("environment") ?? process.env["TOLLGATE_ENVIRONMENT"];
      const isDryRun = command.options && "dry-run" in command.options && given.has("dry-run");
      if (environment === "live" && !given.has("reason") && !isDryRun)
        throw new UsageError(
          "Give the reason with --reason TEXT. In live the audit log stores a reason for each change.",
        );
      checkTextLength(given, "reason", 1_000);
      checkTextLength(given, "as", 200);
      await command.run(given);
    },
  };
}

/** Checks the length of an option's text. The limits are those of the audit table's constraints. */
function checkTextLength(given: Given, option: string, most: number): void {
  const text = given.value(option);
  if (text === undefined || (text.trim() !== "" && text.length <= most)) return;
  throw new UsageError(`--${option} must have 1 to ${most} characters.`);
}

/** Returns the value of a required option. The parser has already rejected a command line without it. */
export function required(given: Given, option: string): string {
  return given.value(option) ?? "";
}

/** Returns the subject of a command: its first argument, or the option with the same meaning. */
export function subjectOf(given: Given, option: string): string {
  const subject = given.words[0] ?? given.value(option);
  if (!subject) throw new UsageError(`Give it as an argument, or with --${option}.`);
  return subject;
}

/** Returns the value of a required number. */
export function requiredNumber(given: Given, option: string, range: NumberRange): number {
  return wholeNumber(given, option, range) ?? range[0];
}

export function listOf(given: Given, option: string): readonly string[] | undefined {
  return given.value(option)?.split(",").filter(Boolean);
}

export function yesOrNo(given: Given, option: string): boolean | undefined {
  const value = given.value(option);
  return value === undefined ? undefined : value === "yes";
}

/** Removes undefined fields from new settings, so that these settings stay unchanged. */
export function onlyGiven<Fields extends object>(fields: Fields): OnlyGiven<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as OnlyGiven<Fields>;
}

type OnlyGiven<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
