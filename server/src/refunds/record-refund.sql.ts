import { giveUpReserve } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { refundEffect } from "../ledger/transfer.ts";
import { tellMerchant } from "../notifications/tell-merchant.sql.ts";
import type { RecordingContext } from "../payments/payment-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Verdict } from "../wallets/message.ts";
import { refundNotificationBody } from "./refund-notification.ts";
import {
  updatePaymentRefunded,
  updateRefundAccepted,
  updateRefundFinished,
  type Refunding,
} from "./refund.sql.ts";

/**
 * Writes down what became of a refund that the caller's transaction holds: the refund, its payment, the
 * ledger, the reserve and what the merchant is told commit together or not at all.
 */
export function recordRefund(
  tx: Tx,
  { refund, order }: Refunding,
  verdict: Verdict,
  context: RecordingContext,
): void {
  const { now: finishedAt } = context;
  switch (verdict.kind) {
    case "accepted":
      return updateRefundAccepted(tx, refund, context.now);
    case "done": {
      const made = { ...refund, status: "SUCCESS", resultCode: "SUCCESS", finishedAt } as const;
      return finish(tx, { refund: made, order }, context);
    }
    case "refused": {
      const failed = { ...refund, status: "FAIL", resultCode: verdict.resultCode, finishedAt } as const;
      return finish(tx, { refund: failed, order }, context);
    }
    case "open":
    case "contradiction":
      return undefined;
  }
}

function finish(tx: Tx, { refund, order }: Refunding, context: RecordingContext): void {
  const { bucket, clientId, refundId: subjectId, amount, connector } = refund;
  const { now } = context;
  updatePaymentRefunded(tx, refund, now);
  if (refund.status === "SUCCESS") {
    insertEffect(tx, { bucket, clientId, subjectId }, refundEffect(clientId, connector, amount), now);
  }
  // A till asks, and is not told.
  if (!order.isInStore) {
    const sequence = order.sequence + 1;
    const body = refundNotificationBody(refund, sequence);
    const url = refund.notifyUrl;
    tellMerchant(tx, { bucket, clientId, kind: "notifyRefund", subjectId, sequence, url, body }, context);
  }
  giveUpReserve(tx, { bucket, clientId, currency: amount.currency }, amount.minor);
  // After the reserve, as by whoever asks for a refund: one that comes under this id for another payment waits for it.
  updateRefundFinished(tx, refund, now);
}
