import type { Line } from "./effect.ts";
import { endCancel, failMoney, finishMoney } from "./end-operation.ts";
import { readMoneyStep } from "./money-projection.ts";
import type { MoneyRecord, PlannedEnd } from "./money-record.ts";
import type { Order } from "./order.ts";
import type { WalletProjection } from "./wallet-projection.ts";
import type { Wallet } from "./wallet.ts";
import { parseTime } from "./wire-time.ts";

/** The maximum of `setTimeout`. */
const waitMsMax = 2 ** 31 - 1;

/** Timers that end pending captures, refunds and cancels. */
export interface PendingOperations {
  readonly onLine: (line: Line, projection: WalletProjection) => void;
  /** Starts the timers of pending operations from earlier starts. */
  start(wallet: Wallet): void;
  stop(): void;
}

/** A pending operation. `end` does nothing if it has ended in the meantime. */
interface PendingOperation extends Pick<PlannedEnd, "finishTime"> {
  end(wallet: Wallet): void;
}

export function newPendingOperations(): PendingOperations {
  let wallet: Wallet | undefined;

  function schedule(open: Wallet, { finishTime, end }: PendingOperation): void {
    if (finishTime === undefined) return;
    const waitMs = Math.max(0, (parseTime(finishTime) ?? 0) - open.now());
    setTimeout(() => wallet && end(wallet), Math.min(waitMs, waitMsMax));
  }

  return {
    onLine(line, projection) {
      const pending = wallet && pendingOperationOf(line, projection);
      if (wallet && pending) schedule(wallet, pending);
    },
    start(open) {
      wallet = open;
      const { projection } = open;
      const cancelled = projection.orders().filter(({ cancel }) => cancel?.state === "PROCESSING");
      const pending = [...projection.pendingMoney().map(pendingMoney), ...cancelled.map(pendingCancel)];
      for (const each of pending) schedule(open, each);
    },
    stop() {
      wallet = undefined;
    },
  };
}

/** Returns the operation that a line of the journal has started; undefined if it is none, or not pending. */
function pendingOperationOf(line: Line, projection: WalletProjection): PendingOperation | undefined {
  if (line.kind === "cancel-started") {
    const order = projection.orderById(line.providerOrderId);
    return order && pendingCancel(order);
  }
  const step = readMoneyStep(line);
  const record = step?.state === "PROCESSING" && projection.moneyRecordById(step.providerMoneyId);
  return record ? pendingMoney(record) : undefined;
}

function pendingMoney({ providerMoneyId, finishTime, failsWith }: MoneyRecord): PendingOperation {
  return {
    ...(finishTime && { finishTime }),
    end(wallet) {
      const record = wallet.projection.moneyRecordById(providerMoneyId);
      if (record?.state !== "PROCESSING") return;
      if (failsWith === undefined) finishMoney(wallet, record);
      else failMoney(wallet, record, failsWith);
    },
  };
}

function pendingCancel({ providerOrderId, cancel }: Order): PendingOperation {
  const { finishTime, failsWith, startedSequence } = cancel ?? {};
  return {
    ...(finishTime && { finishTime }),
    end(wallet) {
      const order = wallet.projection.orderById(providerOrderId);
      // A later cancel of the same order has its own timer.
      if (order?.cancel?.state === "PROCESSING" && order.cancel.startedSequence === startedSequence)
        endCancel(wallet, order, failsWith);
    },
  };
}
