import type { ActsFor, Operator } from "./as-owner.ts";
import { UsageError, type Command, type Given, type Options } from "./command.ts";
import { wholeNumber, type NumberRange } from "./whole-number.ts";
import { checkSettings, readSettings, type Settings } from "./settings.ts";

/** What every command of an operator's takes. */
export const operatorOptions = {
  environment: {
    value: "WHICH",
    does: "sandbox or live; stands before TOLLGATE_ENVIRONMENT",
    oneOf: ["sandbox", "live"],
  },
} as const satisfies Options;

export const jsonOption = { json: { does: "the result as one line of JSON" } } as const satisfies Options;

/** What is said of every command that works with the owner's login. */
export const ownersSettings =
  "It works in the database that TOLLGATE_OWNER_DATABASE_URL names, with the owner's login or your own.";

/** The settings of a command. Those that are missing or wrong are told all at once, before it begins. */
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
  return { url, environment, by: byOf(given) };
}

/** What the audit says about who acts. */
export function byOf(given: Given): ActsFor {
  return { name: given.value("as"), reason: given.value("reason"), alone: given.has("alone") };
}

/** What every command takes that changes something. */
export const actOptions = {
  reason: { value: "TEXT", does: "why, for the audit; live demands it" },
  as: { value: "NAME", does: "who, for the audit; your login name on this machine, unless said otherwise" },
} as const satisfies Options;

const aloneOption = {
  alone: {
    does: "without the second person that live asks for; only with the owner's login, and the audit says so",
  },
} as const satisfies Options;

/** A command with all that follows from what its entry in the table says. */
export function asDeclared(command: Command): Command {
  return refusedInWords(audited(command));
}

/** PostgreSQL refuses what a login has no right to, and names a table. This says which role the command needs. */
function refusedInWords(command: Command): Command {
  const { needs } = command;
  if (!needs) return command;
  return {
    ...command,
    async run(given) {
      try {
        await command.run(given);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === notAllowed)) throw error;
        const role = needs === "owner" ? "the login of the owner" : `a login with the role tollgate_${needs}`;
        throw new Error(`This needs ${role}. PostgreSQL says:`, { cause: error });
      }
    },
  };
}

/** PostgreSQL's code for a right that is missing. */
const notAllowed = "42501";

/** A command that acts, with the options of all that do. In live it is refused without a reason, before it begins; a dry run needs none. */
function audited(command: Command): Command {
  if (!command.acts) return command;
  return {
    ...command,
    options: { ...command.options, ...actOptions, ...(command.takesTwo && aloneOption) },
    async run(given) {
      // Not by the settings: a command tells of all that are missing at once.
      const environment = given.value("environment") ?? process.env["TOLLGATE_ENVIRONMENT"];
      const isDryRun = command.options && "dry-run" in command.options && given.has("dry-run");
      if (environment === "live" && !given.has("reason") && !isDryRun)
        throw new UsageError("Say why, with --reason TEXT: live keeps the reason of every act in the audit.");
      refuseOddLength(given, "reason", 1_000);
      refuseOddLength(given, "as", 200);
      await command.run(given);
    },
  };
}

/** As the audit's constraints have it, in words. */
function refuseOddLength(given: Given, option: string, most: number): void {
  const text = given.value(option);
  if (text === undefined || (text.trim() !== "" && text.length <= most)) return;
  throw new UsageError(`--${option} has to be a text of 1 to ${most} characters.`);
}

/** The value of an option that is required; the command line was refused without it. */
export function required(given: Given, option: string): string {
  return given.value(option) ?? "";
}

/** What a command is about: its first word, or the same as an option. */
export function subjectOf(given: Given, option: string): string {
  const subject = given.words[0] ?? given.value(option);
  if (!subject) throw new UsageError(`Say which: as a word, or with --${option}.`);
  return subject;
}

/** A number that is required. */
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

/** Fields that are given: absent ones are left out, so that they stay as they are. */
export function onlyGiven<Fields extends object>(fields: Fields): OnlyGiven<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as OnlyGiven<Fields>;
}

type OnlyGiven<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
