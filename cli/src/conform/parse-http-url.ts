import { UsageError } from "../../../server/src/core/command-errors.ts";

/** Parses an http or https address, and rejects all others. */
export function parseHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is not an address: it must begin with http:// or https://.`);
  return url;
}
