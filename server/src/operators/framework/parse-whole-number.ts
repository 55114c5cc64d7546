import type { CommandArguments } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";

/** Minimum and maximum, both included. */
export type NumberRange = readonly [least: number, most: number];

/** Parses an option with a whole number; undefined if it is not given. */
export function parseWholeNumber(
  args: CommandArguments,
  option: string,
  [min, max]: NumberRange,
): number | undefined {
  const text = args.value(option);
  const value = Number(text);
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${option} must be a whole number from ${min} to ${max}.`);
}
