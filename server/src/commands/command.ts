/** An option of a command. One with a `value` takes an argument, and the value is its name in the help. */
export interface Option {
  readonly value?: string;
  readonly does: string;
  /** The values that it may have; any, when it is absent. */
  readonly oneOf?: readonly string[];
  readonly isRequired?: boolean;
  /** Whether an empty value means something: nothing of it. */
  readonly mayBeEmpty?: boolean;
  /** Whether the command needs no words behind its name when this is given, such as `--list`. */
  readonly replacesWords?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** What a command was given: its words, and its options by name. */
export interface Given {
  readonly words: readonly string[];
  /** Whether an option was given. */
  has(option: string): boolean;
  /** The value of an option. */
  value(option: string): string | undefined;
}

/** Roles of those who run a gateway, see migrations/0018_staff.sql. The owner may do everything. */
export type StaffRole = "support" | "operator" | "finance" | "admin" | "owner";

/** A command: what it is called with, and what it does. Help is printed from this value. */
export interface Command {
  /** The words behind its name, in the order of the command line; one in brackets may be left out. */
  readonly takes?: readonly string[];
  readonly does: string;
  /** What a user has to know beyond one line. */
  readonly about?: string;
  readonly options: Options;
  readonly examples: readonly string[];
  /** The role of the database that a login needs for it; absent when it is no command of staff. */
  readonly needs?: StaffRole;
  /** Another role that may do it as well. */
  readonly alsoFor?: StaffRole;
  /** Whether it changes something: it then says who did it and why, and leaves a row in the audit. */
  readonly acts?: true;
  /** Whether it takes two people in live, or with some of its options: audit/act-of-two.ts. */
  readonly takesTwo?: true;
  /** What its first word can be, for the shell's completion. */
  readonly words?: () => Promise<readonly string[]>;
  run(given: Given): Promise<void>;
}

/** Commands by name. A name may have several words: `merchant key add`. */
export type Commands = Readonly<Record<string, Command>>;

/** Commands for the same kind of user, under a title of their own in the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: Commands;
  /** Listed by `--help --all` only. */
  readonly isListedByAll?: true;
}

/** The exit codes, as the help lists them. */
export const exitCodes = {
  0: "done",
  1: "it did not work; the last line on standard error says why, and what to do",
  2: "the command line or a setting was not understood; nothing was done",
} as const;

/** What was asked cannot be done, and nothing was: the message says why, to a person at a terminal or in the console. */
export class Impossible extends Error {}

/** The command line, or a setting, was wrong: exit code 2. */
export class UsageError extends Error {}
