import type { Given } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";

/** Minimum and maximum, both included. */
export type NumberRange = readonly [least: number, most: number];

/** Parses an option with a whole number; undefined if it is not given. */
export function wholeNumber(given: Given, option: string, [least, most]: NumberRange): number | undefined {
  const text = given.value(option);
  const value = Number(text);
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`--${option} must be a whole number from ${least} to ${most}.`);
}
