import { randomInt } from "node:crypto";
import type { OpenTeller } from "../notifications/tell-merchant.tx.ts";
import type { Tx } from "../postgres/sql.ts";
import { listAheads } from "../test-clocks/clock-turn.sql.ts";

/** How a command tells merchants of what it did at a moment: each on the merchant's own clock, which in the sandbox may be ahead. */
export async function openTellers(
  tx: Tx,
  clientIds: readonly string[],
  at: Date,
): Promise<(clientId: string) => OpenTeller> {
  const aheads = await listAheads(tx, clientIds);
  return (clientId) => {
    const aheadMs = aheads.get(clientId) ?? 0;
    return { now: new Date(at.getTime() + aheadMs), aheadMs, randomBelow: (below) => randomInt(below) };
  };
}
