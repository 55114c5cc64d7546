import { systemScope } from "../postgres/database.ts";
import { deleteClosedUniverses, updateLimits } from "../universes/universe.sql.ts";
import type { UniverseLimits } from "../universes/universe.ts";
import { asOwner, type Operator } from "./as-owner.ts";

/** Longer than anything that was under way when a universe was closed: calls, jobs, batches that wait to be written. */
const closedForSeconds = 60;
/** Timeout for a batch of universes that have paid a lot. */
const statementTimeoutMs = 10 * 60 * 1000;

/** Deletes all rows of closed universes, batch by batch, and gives how many universes they were. */
export async function sweepUniverses({ url, environment }: Operator): Promise<number> {
  let sweptCount = 0;
  for (;;) {
    const count = await asOwner(
      url,
      environment,
      systemScope,
      (tx) => deleteClosedUniverses(tx, closedForSeconds),
      { statementTimeoutMs },
    );
    if (count === 0) return sweptCount;
    sweptCount += count;
  }
}

/** Sets the limits that are given, and tells all of them. */
export async function setUniverseLimits(
  { url, environment }: Operator,
  limits: Partial<UniverseLimits>,
): Promise<UniverseLimits> {
  return asOwner(url, environment, systemScope, (tx) => updateLimits(tx, limits));
}

export function limitsInWords({ openMax, keptMax, lifetimeSeconds }: UniverseLimits): string {
  return `${openMax} open at once, ${keptMax} with those to be swept, ${lifetimeSeconds / 60} minutes each`;
}
