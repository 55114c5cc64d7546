import { UsageError, type Given } from "./command.ts";

/** From the least to the most, both included. */
export type NumberRange = readonly [least: number, most: number];

/** An option that is a whole number, if it was given. */
export function wholeNumber(given: Given, option: string, [least, most]: NumberRange): number | undefined {
  const text = given.value(option);
  const value = Number(text);
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`--${option} has to be a whole number from ${least} to ${most}.`);
}
