import { randomInt } from "node:crypto";
import type { Notifier } from "./notify-merchant.tx.ts";
import type { Tx } from "../postgres/sql.ts";
import { listClockOffsets } from "../test-clocks/clock-advance.sql.ts";

/**
 * `openNotifiers` prepares the webhooks of an operator's command: each merchant's webhooks have the time of its own
 * test clock, which may be ahead in the sandbox.
 */
export async function openNotifiers(
  tx: Tx,
  clientIds: readonly string[],
  at: Date,
): Promise<(clientId: string) => Notifier> {
  const aheadMsByClient = await listClockOffsets(tx, clientIds);
  return (clientId) => {
    const aheadMs = aheadMsByClient.get(clientId) ?? 0;
    return { now: new Date(at.getTime() + aheadMs), aheadMs, randomBelow: (below) => randomInt(below) };
  };
}
