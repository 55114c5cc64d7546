import type { ClientKey } from "../../core/client-key.ts";
import { notifyWithoutSecrets, type Notifier } from "../../notifications/notify-merchant.tx.ts";
import type { Tx } from "../../postgres/sql.ts";
import { accountNotification, type AccountChanged, type ToldAccount } from "./bank-account-notification.ts";
import { payoutNotification } from "./payout-notification.ts";
import type { Payout, PayoutStatus } from "./payout.ts";

/** Inserts a payout webhook, in the transaction that changes the payout. */
export function notifyOfPayout(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  payout: Payout,
  change: { readonly status: PayoutStatus; readonly reasonCode: string | undefined; readonly at: Date },
  teller: Notifier,
): void {
  const told = payoutNotification(payout, change.status, change);
  if (!told) return;
  const news = {
    bucket,
    clientId,
    kind: "notifyPayout",
    subjectId: payout.payoutId,
    url: undefined,
  } as const;
  notifyWithoutSecrets(tx, { ...news, ...told }, teller);
}

/**
 * Inserts a bank account webhook. An attacker who changes the account could redirect money, so the merchant is
 * notified of each step.
 */
export function notifyOfAccount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  account: ToldAccount,
  change: { readonly type: AccountChanged; readonly at: Date; readonly usableFrom?: Date | undefined },
  teller: Notifier,
): void {
  const { accountId: subjectId } = account;
  const news = { bucket, clientId, kind: "notifyBankAccount", subjectId, url: undefined } as const;
  notifyWithoutSecrets(tx, { ...news, ...accountNotification(account, change.type, change) }, teller);
}
