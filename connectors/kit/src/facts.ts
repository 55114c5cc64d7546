import type { Connector } from "./connector.ts";

/**
 * The response to `facts`: the author's facts sheet and what the kit adds. The kit recognises each repeat permanently,
 * and answers inquiries from its tables, whatever the provider itself can do.
 */
export function toWireFacts({ name, softwareVersion, facts, disputes }: Connector): object {
  const { idempotencyWindowSeconds: _, lookupDelaySeconds: __, ...stated } = facts;
  return {
    protocolVersion: "1.1",
    name,
    softwareVersion,
    ...stated,
    queries: ["order", "capture", "refund", ...(disputes ? ["dispute"] : [])],
    evidenceTypes: disputes?.evidenceTypes ?? [],
    callbacks: ["order", "capture", "refund", ...(disputes ? ["dispute"] : [])],
  };
}
