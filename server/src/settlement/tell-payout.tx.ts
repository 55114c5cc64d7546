import type { ClientKey } from "../core/client-key.ts";
import { tellOpenly, type OpenTeller } from "../notifications/tell-merchant.tx.ts";
import type { Tx } from "../postgres/sql.ts";
import { accountNotification, type AccountNews, type ToldAccount } from "./bank-account-notification.ts";
import { payoutNotification } from "./payout-notification.ts";
import type { Payout, PayoutStatus } from "./payout.ts";

/** Tells a merchant what has become of a payout, in the transaction that makes it so. */
export function tellOfPayout(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  payout: Payout,
  change: { readonly status: PayoutStatus; readonly reasonCode: string | undefined; readonly at: Date },
  teller: OpenTeller,
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
  tellOpenly(tx, { ...news, ...told }, teller);
}

/** The same of where payouts go. Whoever can change that can steal, so the merchant hears of each step. */
export function tellOfAccount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  account: ToldAccount,
  change: { readonly type: AccountNews; readonly at: Date; readonly usableFrom?: Date | undefined },
  teller: OpenTeller,
): void {
  const { accountId: subjectId } = account;
  const news = { bucket, clientId, kind: "notifyBankAccount", subjectId, url: undefined } as const;
  tellOpenly(tx, { ...news, ...accountNotification(account, change.type, change) }, teller);
}
