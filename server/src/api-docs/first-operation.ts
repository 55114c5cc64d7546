import type { Operation } from "../contract/operation.ts";
import type { SiteFacts } from "./site-facts.ts";

/** The operation for a developer's first request: it only reads, and succeeds for every valid signature. */
export function firstOperation({ operations }: SiteFacts): Operation | undefined {
  return operations.find(({ path }) => path === "tollgate/inquiryOpenRecords");
}
