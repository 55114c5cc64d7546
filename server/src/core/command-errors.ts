/**
 * `CommandFailed`: a command or workflow cannot do what was requested, and changed nothing. The message is for the
 * terminal or the console.
 */
export class CommandFailed extends Error {}

/** `UsageError`: a command line or a setting is invalid (exit code 2). */
export class UsageError extends Error {}
