import { CommandFailed } from "../../core/command-errors.ts";
import { isRefusal } from "../../core/result.ts";
import type { JsonValue } from "../../core/strict-json.ts";
import { requestReader } from "../../contract/read-request.ts";
import { FactsSchema, type CheckedFacts } from "../../providers/provider-facts.schema.ts";
import { protocolVersion, type ProviderFacts } from "../../providers/provider-facts.ts";

const readObject = requestReader(FactsSchema);

/** `readFacts` validates the facts of a provider. The error names the first wrong field. */
export function readFacts(value: unknown, name: string): ProviderFacts {
  const stated = (Object(value) as { readonly protocolVersion?: unknown }).protocolVersion;
  if (typeof stated === "string" && stated !== protocolVersion)
    throw new CommandFailed(
      `${name} speaks version ${stated.slice(0, 16)} of the provider protocol, and this gateway only ${protocolVersion}. ` +
        `Install a version of the connector for ${protocolVersion}.`,
    );
  const read = readObject(value as JsonValue);
  if (isRefusal(read)) throw new CommandFailed(`The facts of ${name} are wrong: ${read.detail ?? ""}`);
  const facts = read.request as CheckedFacts;
  if (facts.quietSeconds === undefined && facts.enforcesNotAfter !== true)
    throw new CommandFailed(
      `The facts of ${name} are wrong: quietSeconds is missing, and enforcesNotAfter is not true.`,
    );
  return facts;
}
