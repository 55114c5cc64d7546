import type { ClientKey } from "../core/client-key.ts";
import { providerReference } from "../core/provider-reference.ts";
import type { LeasedJob } from "../contract/job.ts";
import { deleteJob, insertLeasedJob } from "../jobs/job.sql.ts";
import { selectFeeTerms } from "../ledger/fee-rule.ts";
import type { Client } from "../merchants/client.ts";
import type { Tx } from "../postgres/sql.ts";
import { upsertBuyerLanguage } from "../payments/order-data/order-data.sql.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import { referencesAt } from "../providers/provider-account.ts";
import { canChoose, payableUntil, type Session } from "./session.ts";
import { sessionOf, updateMethodChosen } from "./session.sql.ts";

/** The buyer's choice of a payment method, and the connector that serves it. */
export interface MethodChoice {
  readonly paymentId: string;
  readonly paymentMethodType: string;
  readonly connector: string;
}

/** The merchant's settings for the order of a chosen method. */
interface ChoiceContext extends Pick<Client, "feeRules" | "atProviders"> {
  readonly environment: string;
  readonly now: Date;
  /** The language of the checkout page, if the connector wants it; otherwise undefined. */
  readonly buyerLanguage: string | undefined;
}

/**
 * Distance between the epochs of two choices. Fencing: the job of an earlier choice was deleted, but a process may
 * still wait for its response. So the jobs of two choices never share an epoch.
 */
const epochsPerChoice = 1_000_000;

/**
 * `chooseMethod` records the buyer's choice once: under the row lock, a second choice in another tab finds the first.
 * Then the job `drive-payment`, leased to this process, drives the payment like a payment of `pay`. The function
 * returns undefined if the buyer can no longer choose.
 */
export async function chooseMethod(
  tx: Tx,
  owner: ClientKey,
  { paymentId, paymentMethodType, connector }: MethodChoice,
  { environment, now, feeRules, atProviders, buyerLanguage }: ChoiceContext,
): Promise<LeasedJob | undefined> {
  const payment = await lockPayment(tx, owner, paymentId);
  if (!payment || !canChoose(payment, now)) return undefined;
  const session = await sessionOf(tx, owner, payment);
  if (!session) return undefined;
  const { bucket, clientId } = owner;
  const changes = session.payment.session.abandonedOrders.length;
  // A provider never reopens a closed reference, so each choice has its own reference.
  const action = changes === 0 ? "payment" : `payment ${changes + 1}`;
  const reference = providerReference(environment, clientId, action, payment.paymentRequestId);
  const expiresAt = payableUntil(session, now);
  // The fee depends on when the payment was created, not on when the buyer chooses.
  const feeCase = { paymentMethodType, currency: payment.amount?.currency ?? "", at: payment.createdAt };
  const feeTerms = selectFeeTerms(feeRules, feeCase);
  const references = referencesAt(atProviders, connector, merchantNamedIn(session));
  const chosen = { paymentMethodType, connector, reference, ...references, expiresAt, feeTerms };
  updateMethodChosen(tx, payment, chosen, now);
  if (buyerLanguage !== undefined) upsertBuyerLanguage(tx, payment, buyerLanguage);
  deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "close-session" });
  const key = { bucket, clientId, subjectId: paymentId, job: "drive-payment" } as const;
  return insertLeasedJob(tx, key, 1 + changes * epochsPerChoice);
}

/** The merchant's own id of the merchant in the session's order, if the order names one. */
function merchantNamedIn({ order }: Session): string | undefined {
  const { merchant } = order as { readonly merchant?: { readonly referenceMerchantId?: string } };
  return merchant?.referenceMerchantId;
}
