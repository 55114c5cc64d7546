import type { ClientKey } from "../../core/client-key.ts";
import { notifyWithoutSecrets, type Notifier } from "../../notifications/notify-merchant.tx.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  accountNotification,
  type AccountChangeType,
  type NotifiedAccount,
} from "./bank-account-notification.ts";
import { payoutNotification } from "./payout-notification.ts";
import type { Payout, PayoutStatus } from "./payout.ts";

/** Inserts a payout webhook, in the transaction that changes the payout. */
export function notifyOfPayout(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  payout: Payout,
  change: { readonly status: PayoutStatus; readonly reasonCode: string | undefined; readonly at: Date },
  notifier: Notifier,
): void {
  const content = payoutNotification(payout, change.status, change);
  if (!content) return;
  const notification = {
    bucket,
    clientId,
    kind: "notifyPayout",
    subjectId: payout.payoutId,
    url: undefined,
  } as const;
  notifyWithoutSecrets(tx, { ...notification, ...content }, notifier);
}

/**
 * Inserts a bank account webhook. An attacker who changes the account could redirect money, so the merchant is
 * notified of each step.
 */
export function notifyOfAccount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  account: NotifiedAccount,
  change: { readonly type: AccountChangeType; readonly at: Date; readonly usableFrom?: Date | undefined },
  notifier: Notifier,
): void {
  const { accountId: subjectId } = account;
  const notification = { bucket, clientId, kind: "notifyBankAccount", subjectId, url: undefined } as const;
  notifyWithoutSecrets(
    tx,
    { ...notification, ...accountNotification(account, change.type, change) },
    notifier,
  );
}
