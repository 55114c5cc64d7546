import { UsageError, type Given } from "../../../server/src/commands/command.ts";

/** An address of http or https. */
export function addressIn(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is no address: it begins with http:// or https://.`);
  return url;
}

export function wholeNumberIn(given: Given, option: string): number | undefined {
  const text = given.value(option);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} is a whole number, and not ${text}.`);
  return Number(text);
}
