import type { Line } from "./effect.ts";
import { startedRefund } from "./money-projection.ts";
import type { Refund } from "./refund.ts";
import type { Wallet } from "./wallet.ts";
import { parseTime } from "./wire-time.ts";

/** The maximum of `setTimeout`. */
const waitMsMax = 2 ** 31 - 1;

/** Timers that complete pending refunds. */
export interface PendingRefunds {
  readonly onLine: (line: Line) => void;
  /** Starts the timers of pending refunds from earlier starts. */
  start(wallet: Wallet): void;
  stop(): void;
}

export function newPendingRefunds(): PendingRefunds {
  let wallet: Wallet | undefined;

  function schedule(open: Wallet, { walletRefundId, finishTime }: Refund): void {
    if (finishTime === undefined) return;
    const waitMs = Math.max(0, (parseTime(finishTime) ?? 0) - open.now());
    const finish = (): void => {
      const refund = open.projection.refundById(walletRefundId);
      if (wallet && refund?.state === "PROCESSING") finishRefund(wallet, refund);
    };
    setTimeout(finish, Math.min(waitMs, waitMsMax));
  }

  return {
    onLine(line) {
      const refund = startedRefund(line);
      if (wallet && refund) schedule(wallet, refund);
    },
    start(open) {
      wallet = open;
      for (const refund of open.projection.pendingRefunds()) schedule(open, refund);
    },
    stop() {
      wallet = undefined;
    },
  };
}

/** Completes a refund: the buyer has the money. */
export function finishRefund(wallet: Wallet, refund: Refund): void {
  const { reference, paymentId, walletOrderId, refundReference, walletRefundId, amount } = refund;
  const named = { reference, paymentId, walletOrderId, refundReference, walletRefundId };
  wallet.record({ kind: "refunded", ...named, amount });
}
