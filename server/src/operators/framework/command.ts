import type { TranslatedName } from "../../core/translated-name.ts";

/** An option of a command. An option with `value` takes an argument; `value` is its placeholder in the help. */
export interface Option {
  readonly value?: string;
  readonly summary: string;
  /** Allowed values; absent if any value is allowed. */
  readonly oneOf?: readonly string[];
  readonly isRequired?: boolean;
  /** Whether the value may be empty, to clear the setting. */
  readonly mayBeEmpty?: boolean;
  /** Whether this option replaces the arguments, such as `--list`. */
  readonly replacesPositionals?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** The parsed arguments and options of a command. */
export interface CommandArguments {
  readonly positionals: readonly string[];
  /** Whether an option was given. */
  has(option: string): boolean;
  /** Returns the value of an option. */
  value(option: string): string | undefined;
}

/** Database roles of operators, see migrations/0018_staff.sql. The owner may do everything. */
export type StaffRole = "support" | "operator" | "finance" | "admin" | "owner";

/** A command with its arguments, options and help text. */
export interface Command {
  /** Arguments in order; one in brackets is optional. */
  readonly positionals?: readonly string[];
  readonly summary: string;
  /** More text for the help of this command. */
  readonly description?: string;
  readonly options: Options;
  readonly examples: readonly string[];
  /** The database role that a login needs; absent for commands that are not for staff. */
  readonly requiredRole?: StaffRole;
  /** Another role that may run the command, too. */
  readonly alternativeRole?: StaffRole;
  /**
   * The label of the command's audit row in the portal and the console. It is present if the command changes data,
   * which then accepts `--reason` and `--as`. With `in steps` the command writes one audit row for each step, with the
   * step's name.
   */
  readonly auditLabel?: TranslatedName | "in steps";
  /** Whether the command, or one of its options, needs an approval in live, see audit/dual-approval.ts. */
  readonly requiresApproval?: true;
  /** Values of the first argument, for shell completion. */
  readonly completionValues?: () => Promise<readonly string[]>;
  run(args: CommandArguments): Promise<void>;
}

/** Commands by name. A name can have several words: `merchant key add`. */
export type Commands = Readonly<Record<string, Command>>;

/** Commands for the same kind of user, under one title in the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: Commands;
  /** Listed only by `--help --all`. */
  readonly isListedByAll?: true;
}

/** Exit codes, as listed in the help. */
export const exitCodes = {
  0: "done",
  1: "failed; the last line on standard error has the reason and the next step",
  2: "invalid command line or setting; nothing was changed",
} as const;
