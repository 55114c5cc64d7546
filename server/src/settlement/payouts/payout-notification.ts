import { toAmount } from "../../core/money.ts";
import { formatWireTime } from "../../core/request-time.ts";
import type { Payout, PayoutStatus } from "./payout.ts";

/** States of a payout with a webhook, in order. A payout reaches each state at most once. */
const webhookTypes = {
  SENT: { type: "PAYOUT_SENT", sequence: 1 },
  PAID: { type: "PAYOUT_PAID", sequence: 2 },
  FAILED: { type: "PAYOUT_FAILED", sequence: 2 },
  RETURNED: { type: "PAYOUT_RETURNED", sequence: 3 },
} as const;

export type PayoutChangeType = (typeof webhookTypes)[keyof typeof webhookTypes]["type"];

/** The body of `notifyPayout`, as bytes that each delivery attempt repeats; undefined for a state without a webhook. */
export function payoutNotification(
  { payoutId, batchId, amount }: Payout,
  status: PayoutStatus,
  { reasonCode, at }: { readonly reasonCode: string | undefined; readonly at: Date },
): { readonly sequence: number; readonly body: Buffer } | undefined {
  if (status === "CREATED") return undefined;
  const { type, sequence } = webhookTypes[status];
  const body = {
    payoutNotificationType: type,
    payoutId,
    batchId,
    payoutAmount: toAmount(amount),
    ...(reasonCode !== undefined && { payoutReasonCode: reasonCode }),
    payoutTime: formatWireTime(at.getTime()),
    sequence,
  };
  return { sequence, body: Buffer.from(JSON.stringify(body), "utf8") };
}
