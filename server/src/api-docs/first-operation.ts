import type { Operation } from "../api/operation.ts";
import type { Facts } from "./facts.ts";

/** The first call of a developer: one that asks, does no harm, and succeeds for everybody who signs it well. */
export function firstOperation({ operations }: Facts): Operation | undefined {
  return operations.find(({ path }) => path === "tollgate/inquiryOpenRecords");
}
