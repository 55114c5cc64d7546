import { bucketOf } from "../../server/src/core/bucket.ts";
import { newId, type IdKind } from "../../server/src/core/id.ts";
import { calculateRefundFee, parseFeeTerms } from "../../server/src/ledger/fee.ts";
import { selectFeeTerms, type FeeRule } from "../../server/src/ledger/fee-rule.ts";
import { insertEffect } from "../../server/src/ledger/transfer.sql.ts";
import {
  cancelEffect,
  disputeDebitEffect,
  disputeFreezeEffect,
  disputeReleaseEffect,
  lateSuccessEffect,
  paymentEffect,
  refundEffect,
  reversalEffect,
  type Effect,
} from "../../server/src/ledger/transfer.ts";
import { sql, type Tx } from "../../server/src/postgres/sql.ts";
import type { FollowUpEvent, MoneyEvent, PaymentEvent, PlannedMerchant } from "./month-plan.ts";

/** Inserts events as the gateway would: the records, and the ledger rows, which the gateway's own code creates. */
export interface RecordWriter {
  /** Inserts an event in the given transaction. */
  write(tx: Tx, event: MoneyEvent): void;
  /** The provider's references for the event and the payment. */
  referencesOf(event: MoneyEvent): ProviderReferences;
}

export interface ProviderReferences {
  readonly paymentId: string;
  readonly reference: string;
  readonly operationReference: string;
}

/** Record ids are derived from start time and number, so that equal seeds give equal ids. */
function newRecordId(kind: IdKind, clientId: string, { number, at }: MoneyEvent): string {
  const numberParts = [Math.floor(number / 1e6), number % 1e6];
  return newId(kind, bucketOf(clientId), at, () => numberParts.shift() ?? 0);
}

export function newRecordWriter(
  merchants: readonly PlannedMerchant[],
  feeRulesOf: (clientId: string) => readonly FeeRule[],
): RecordWriter {
  const clientIdOf = ({ merchant }: PaymentEvent): string => merchants[merchant]?.clientId ?? "";
  const paymentIdOf = (payment: PaymentEvent): string => newRecordId("payment", clientIdOf(payment), payment);

  return {
    referencesOf(event) {
      const payment = "payment" in event ? event.payment : event;
      const paymentId = paymentIdOf(payment);
      const operation =
        "payment" in event ? `${operationName(event.kind)}-${paymentId}` : `order-${paymentId}`;
      return { paymentId, reference: `order-${paymentId}`, operationReference: operation };
    },

    write(tx, event) {
      const payment = "payment" in event ? event.payment : event;
      const clientId = clientIdOf(payment);
      const record: WriteContext = {
        bucket: bucketOf(clientId),
        clientId,
        paymentId: paymentIdOf(payment),
        payment,
        terms: selectFeeTerms(feeRulesOf(clientId), {
          paymentMethodType: undefined,
          currency: payment.currency,
          at: payment.at,
        }),
      };
      const { subjectId, effect } = writers[event.kind](tx, record, event as FollowUpEvent);
      insertEffect(tx, { bucket: record.bucket, clientId, subjectId }, effect, event.at);
    },
  };
}

/**
 * The name of the operation in the provider's reference. The freeze of a dispute and its decision have the same name,
 * because they belong to one dispute.
 */
function operationName(kind: FollowUpEvent["kind"]): string {
  return kind.startsWith("dispute") ? "dispute" : kind;
}

interface WriteContext {
  readonly bucket: number;
  readonly clientId: string;
  readonly paymentId: string;
  readonly payment: PaymentEvent;
  readonly terms: string | undefined;
}

interface PostedEffect {
  readonly subjectId: string;
  readonly effect: Effect;
}

const writers: Readonly<
  Record<MoneyEvent["kind"], (tx: Tx, record: WriteContext, event: FollowUpEvent) => PostedEffect>
> = {
  payment: writePayment,
  "late success": writeLateSuccess,
  reversal: writeReversal,
  cancel: writeCancel,
  refund: writeRefund,
  "dispute freeze": writeFreeze,
  "dispute release": (tx, record, event) => writeDecision(tx, record, event, 0n),
  "dispute debit": (tx, record, event) => writeDecision(tx, record, event, event.minor),
};

const moneyOf = ({
  currency,
  minor,
}: PaymentEvent): { readonly currency: string; readonly minor: bigint } => ({
  currency,
  minor,
});

function termsOf({ terms }: WriteContext): ReturnType<typeof parseFeeTerms> {
  if (terms === undefined) throw new Error("Every merchant of the month has its rules.");
  return parseFeeTerms(terms);
}

function writePayment(tx: Tx, record: WriteContext): PostedEffect {
  const { bucket, clientId, paymentId, terms, payment } = record;
  const { currency, minor, at, provider } = payment;
  tx.write(sql`
    insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
      amount_minor, paid_currency, paid_minor, captured_minor, created_at, paid_at, connector, provider_reference, fee_terms)
    values (${bucket}, ${paymentId}, ${clientId}, ${`request-${payment.number}`}, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS',
      ${currency}, ${minor}, ${currency}, ${minor}, ${minor}, ${at}, ${at}, ${provider}, ${`order-${paymentId}`}, ${terms})
  `);
  return {
    subjectId: paymentId,
    effect: paymentEffect(clientId, provider, moneyOf(payment), termsOf(record)),
  };
}

function writeLateSuccess(
  tx: Tx,
  { bucket, clientId, paymentId, terms, payment }: WriteContext,
): PostedEffect {
  const { currency, minor, at, provider } = payment;
  tx.write(sql`
    insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
      amount_minor, created_at, connector, provider_reference, fee_terms)
    values (${bucket}, ${paymentId}, ${clientId}, ${`request-${payment.number}`}, 'CASHIER_PAYMENT', 'FAIL', 'ORDER_IS_CLOSED',
      ${currency}, ${minor}, ${at}, ${provider}, ${`order-${paymentId}`}, ${terms})
  `);
  tx.write(sql`
    insert into reversals (bucket, reversal_id, client_id, payment_id, reason, status, currency, amount_minor, connector,
      reference, created_at)
    values (${bucket}, ${newRecordId("reversal", clientId, payment)}, ${clientId}, ${paymentId}, 'LATE_SUCCESS', 'PROCESSING',
      ${currency}, ${minor}, ${provider}, ${`reversal-${paymentId}`}, ${at})
  `);
  return { subjectId: paymentId, effect: lateSuccessEffect(provider, moneyOf(payment)) };
}

function writeReversal(tx: Tx, record: WriteContext, { at }: FollowUpEvent): PostedEffect {
  const { bucket, clientId, paymentId, payment } = record;
  tx.write(sql`
    update reversals set status = 'SUCCESS', result_code = 'SUCCESS', finished_at = ${at}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  return { subjectId: paymentId, effect: reversalEffect(payment.provider, moneyOf(payment)) };
}

function writeCancel(tx: Tx, record: WriteContext, { at }: FollowUpEvent): PostedEffect {
  const { bucket, clientId, paymentId, payment } = record;
  const { currency, minor, provider } = payment;
  tx.write(sql`
    update payments set status = 'CANCELLED', cancelled_at = ${at}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    insert into reversals (bucket, reversal_id, client_id, payment_id, reason, status, result_code, currency, amount_minor,
      connector, reference, created_at, finished_at)
    values (${bucket}, ${newRecordId("reversal", clientId, payment)}, ${clientId}, ${paymentId}, 'CANCEL', 'SUCCESS', 'SUCCESS',
      ${currency}, ${minor}, ${provider}, ${`cancel-${paymentId}`}, ${at}, ${at})
  `);
  const effect = cancelEffect(clientId, provider, moneyOf(payment), termsOf(record));
  return { subjectId: paymentId, effect };
}

function writeRefund(tx: Tx, record: WriteContext, { at, minor, number }: FollowUpEvent): PostedEffect {
  const { bucket, clientId, paymentId, payment } = record;
  const refundId = newRecordId("refund", clientId, payment);
  const { returned, charged } = calculateRefundFee(termsOf(record), {
    capturedMinor: payment.minor,
    refundedMinor: minor,
  });
  tx.write(sql`
    update payments set refunded_minor = refunded_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    insert into refunds (bucket, refund_id, client_id, refund_request_id, payment_id, status, result_code, currency,
      amount_minor, fingerprint, connector, reference, created_at, finished_at, returned_fee_minor, returned_tax_minor,
      charged_fee_minor, charged_tax_minor)
    values (${bucket}, ${refundId}, ${clientId}, ${`refund-${number}`}, ${paymentId}, 'SUCCESS', 'SUCCESS',
      ${payment.currency}, ${minor}, decode('00', 'hex'), ${payment.provider}, ${`refund-${paymentId}`}, ${at}, ${at},
      ${returned.feeMinor}, ${returned.taxMinor}, ${charged.feeMinor}, ${charged.taxMinor})
  `);
  const effect = refundEffect(
    clientId,
    payment.provider,
    { ...moneyOf(payment), minor },
    { returned, charged },
  );
  return { subjectId: refundId, effect };
}

function writeFreeze(
  tx: Tx,
  { bucket, clientId, paymentId, payment }: WriteContext,
  { at, minor }: FollowUpEvent,
): PostedEffect {
  const disputeId = newRecordId("dispute", clientId, payment);
  tx.write(sql`
    update payments set disputed_minor = disputed_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    insert into disputes (bucket, dispute_id, client_id, payment_id, connector, provider_dispute_id, provider_sequence, type,
      status, currency, amount_minor, frozen_minor, reason_code, reason_message, source, defendable, created_at)
    values (${bucket}, ${disputeId}, ${clientId}, ${paymentId}, ${payment.provider}, ${`dispute-${paymentId}`}, 1,
      'CHARGEBACK', 'CREATED', ${payment.currency}, ${minor}, ${minor}, '4853', 'Not as described', 'WALLET', true, ${at})
  `);
  return { subjectId: disputeId, effect: disputeFreezeEffect(clientId, { ...moneyOf(payment), minor }) };
}

function writeDecision(
  tx: Tx,
  { bucket, clientId, paymentId, payment }: WriteContext,
  { at, minor }: FollowUpEvent,
  debitedMinor: bigint,
): PostedEffect {
  const disputeId = newRecordId("dispute", clientId, payment);
  const money = { ...moneyOf(payment), minor };
  if (debitedMinor === 0n)
    tx.write(sql`
      update payments set disputed_minor = disputed_minor - ${minor}
      where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    `);
  tx.write(sql`
    update disputes set status = ${debitedMinor > 0n ? "EXPIRED" : "CANCELLED"}, frozen_minor = 0, debited_minor = ${debitedMinor},
      resolved_at = ${at}
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
  `);
  const effect =
    debitedMinor > 0n
      ? disputeDebitEffect(clientId, payment.provider, { frozen: money, debited: money })
      : disputeReleaseEffect(clientId, money);
  return { subjectId: disputeId, effect };
}
