import { changedFields } from "../../audit/audit.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { deleteClosedUniverses, updateLimits } from "../../universes/universe.sql.ts";
import type { UniverseLimits } from "../../universes/universe.ts";
import { actAsOwner, type ActResult, type Operator } from "../../operator-session/owner-session.ts";

/**
 * Minimum time since a test merchant was closed. It is longer than any request, job or batched write that was in
 * progress at that time.
 */
const closedForSeconds = 60;
/** Timeout for a batch of test merchants with many payments. */
const statementTimeoutMs = 10 * 60 * 1000;

/** `sweepUniverses` deletes all rows of closed test merchants in batches. Returns the number of test merchants. */
export async function sweepUniverses(operator: Operator): Promise<number> {
  let sweptCount = 0;
  for (;;) {
    const count = await actAsOwner(operator, systemScope, sweepBatch, { statementTimeoutMs });
    if (count === 0) return sweptCount;
    sweptCount += count;
  }
}

async function sweepBatch(tx: Tx): Promise<ActResult<number>> {
  const value = await deleteClosedUniverses(tx, closedForSeconds);
  const audit = { act: "universe sweep", subject: "closed universes", after: { sweptCount: value } };
  return { value, audit: value > 0 ? audit : undefined };
}

/** Sets the given limits of isolated test merchants, and returns all limits. */
export async function setUniverseLimits(
  operator: Operator,
  limits: Partial<UniverseLimits>,
): Promise<UniverseLimits> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = await updateLimits(tx, {});
    const value = await updateLimits(tx, limits);
    const audit = { act: "universe limits", subject: "universes", ...changedFields(before, value) };
    return { value, audit: Object.keys(limits).length > 0 ? audit : undefined };
  });
}

export function universeLimitsText({ openMax, keptMax, lifetimeSeconds }: UniverseLimits): string {
  return `At most ${openMax} open, ${keptMax} including closed ones, ${lifetimeSeconds / 60} minutes each.`;
}
