import { bucketOf } from "../../core/bucket.ts";
import { systemScope } from "../../postgres/database.ts";
import {
  findOpenHold,
  insertHold,
  listOpenHolds,
  updateHoldReleased,
  type OpenHold,
} from "./payout-hold.sql.ts";
import {
  actAsOwner,
  queryAsOwner,
  operatorName,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { requireMerchant } from "./payout-accounts.workflow.ts";
import { formatUtcTime } from "../../formats/text-table.ts";

/** `holdPayouts` holds a merchant's payouts from now on. The merchant's batches close as usual. */
export async function holdPayouts(operator: Operator, clientId: string): Promise<void> {
  const reason = operator.by?.reason;
  if (reason === undefined) throw new UsageError("Give the reason for the hold with --reason TEXT.");
  await actAsOwner(operator, [clientId], async (tx) => {
    await requireMerchant(tx, clientId);
    const hold = { by: operatorName(operator), reason, at: new Date() };
    if (!(await insertHold(tx, { bucket: bucketOf(clientId), clientId }, hold)))
      throw new CommandFailed(
        `The payouts of ${clientId} are already on hold. Release them with \`payout release\`.`,
      );
    const audit = { act: "payout hold", subject: clientId, clientId, after: { payouts: "on hold" } };
    return { value: undefined, audit };
  });
}

/**
 * `releasePayouts` releases a merchant's payouts, and the next run pays due batches. In live another person approves
 * it.
 */
export async function releasePayouts(operator: Operator, clientId: string): Promise<void> {
  const key = { bucket: bucketOf(clientId), clientId };
  await actAsOwner(operator, [clientId], async (tx) => {
    await requireMerchant(tx, clientId);
    const hold = await findOpenHold(tx, key);
    const isReleased = await updateHoldReleased(tx, key, { by: operatorName(operator), at: new Date() });
    if (!hold || !isReleased) throw new CommandFailed(`The payouts of ${clientId} are not on hold.`);
    // The approval is for this hold only. The merchant can read these fields of the audit row, so they do not contain
    // the hold's reason.
    const before = { payouts: "on hold", heldAt: hold.heldAt };
    const audit = {
      act: "payout release",
      subject: clientId,
      clientId,
      before,
      after: { payouts: "released" },
    };
    return { value: undefined, audit };
  });
}

/** Open holds, oldest first. */
export async function findPayoutHolds({ url, environment }: Operator): Promise<readonly OpenHold[]> {
  return queryAsOwner(url, environment, systemScope, listOpenHolds);
}

export function holdText({ clientId, heldAt, heldBy, reason }: OpenHold): string {
  return `${clientId}: payouts on hold since ${formatUtcTime(heldAt)}, by ${heldBy}: ${reason}`;
}
