import { UsageError } from "../../../server/src/commands/command.ts";

/** An address of http or https. */
export function addressIn(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is no address: it begins with http:// or https://.`);
  return url;
}
