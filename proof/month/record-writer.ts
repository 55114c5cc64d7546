import { bucketOf } from "../../server/src/core/bucket.ts";
import { newId, type IdKind } from "../../server/src/core/id.ts";
import { calculateRefundFee, parseFeeTerms } from "../../server/src/ledger/fee.ts";
import { selectFeeTerms, type FeeRule } from "../../server/src/ledger/fee-rule.ts";
import { insertEffect } from "../../server/src/ledger/transfer.sql.ts";
import {
  cancelEffect,
  captureEffect,
  disputeDebitEffect,
  disputeFreezeEffect,
  disputeReleaseEffect,
  lateSuccessEffect,
  paymentEffect,
  refundEffect,
  refundReversalEffect,
  returnedReversalEffect,
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
      const operation = "payment" in event ? operationReference(event, paymentId) : `order-${paymentId}`;
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
      const posted = writers[event.kind](tx, record, event as FollowUpEvent);
      if (posted)
        insertEffect(
          tx,
          { bucket: record.bucket, clientId, subjectId: posted.subjectId },
          posted.effect,
          event.at,
        );
    },
  };
}

/**
 * The provider's reference of an operation. Events of the same operation have the same reference: the freeze of a dispute
 * and its decision, a refund and its reversal, the request of a capture and its result.
 */
function operationReference({ kind, part }: FollowUpEvent, paymentId: string): string {
  if (part) return `capture-${part.nth}-${paymentId}`;
  return `${kind === "refund again" ? "refund-again" : kind.split(" ")[0]}-${paymentId}`;
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
  Record<MoneyEvent["kind"], (tx: Tx, record: WriteContext, event: FollowUpEvent) => PostedEffect | undefined>
> = {
  payment: writePayment,
  hold: writeHold,
  "capture request": writeCaptureRequest,
  capture: writeCaptureResult,
  "failed capture": writeCaptureResult,
  "late success": writeLateSuccess,
  reversal: writeReversal,
  "reversal returned": writeReturned,
  cancel: writeCancel,
  "cancel returned": writeReturned,
  refund: writeRefund,
  "refund again": writeRefund,
  "refund reversal": writeRefundReversal,
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

function writeHold(tx: Tx, { bucket, clientId, paymentId, terms, payment }: WriteContext): undefined {
  const { currency, minor, at, provider } = payment;
  tx.write(sql`
    insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
      amount_minor, paid_currency, paid_minor, capture_mode, created_at, paid_at, connector, provider_reference, fee_terms)
    values (${bucket}, ${paymentId}, ${clientId}, ${`request-${payment.number}`}, 'CASHIER_PAYMENT', 'SUCCESS', 'SUCCESS',
      ${currency}, ${minor}, ${currency}, ${minor}, 'MANUAL', ${at}, ${at}, ${provider}, ${`order-${paymentId}`}, ${terms})
  `);
}

/** The id of a capture. Its parts are told apart by the millisecond. */
const captureIdOf = (clientId: string, { payment, part }: FollowUpEvent): string =>
  newRecordId("capture", clientId, { ...payment, at: new Date(payment.at.getTime() + (part?.nth ?? 0)) });

function writeCaptureRequest(tx: Tx, record: WriteContext, event: FollowUpEvent): undefined {
  const { bucket, clientId, paymentId, payment } = record;
  const { at, minor, part } = event;
  tx.write(sql`
    update payments set captured_minor = captured_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    insert into captures (bucket, capture_id, client_id, capture_request_id, payment_id, status, result_code, currency,
      amount_minor, fingerprint, is_last, connector, reference, created_at, accepted_at)
    values (${bucket}, ${captureIdOf(clientId, event)}, ${clientId}, ${`capture-${part?.nth}-${payment.number}`}, ${paymentId},
      'PROCESSING', 'PAYMENT_IN_PROCESS', ${payment.currency}, ${minor}, decode('00', 'hex'), false, ${payment.provider},
      ${operationReference(event, paymentId)}, ${at}, ${at})
  `);
}

function writeCaptureResult(tx: Tx, record: WriteContext, event: FollowUpEvent): PostedEffect | undefined {
  const { bucket, clientId, paymentId, payment } = record;
  const { at, kind, minor, part } = event;
  const isCaptured = kind === "capture";
  const captureId = captureIdOf(clientId, event);
  tx.write(sql`
    update captures set status = ${isCaptured ? "SUCCESS" : "FAIL"}, finished_at = ${at},
      result_code = ${isCaptured ? "SUCCESS" : "PROCESS_FAIL"}
    where bucket = ${bucket} and client_id = ${clientId} and capture_id = ${captureId}
  `);
  if (!isCaptured) {
    tx.write(sql`
      update payments set captured_minor = captured_minor - ${minor}
      where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    `);
    return undefined;
  }
  const effect = captureEffect(
    clientId,
    payment.provider,
    { ...moneyOf(payment), minor },
    { terms: termsOf(record), capturedBeforeMinor: part?.capturedBefore ?? 0n },
  );
  return { subjectId: captureId, effect };
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

function writeReturned(tx: Tx, record: WriteContext, { at }: FollowUpEvent): PostedEffect {
  const { bucket, clientId, payment } = record;
  const subjectId = newRecordId("reversal", clientId, payment);
  tx.write(sql`
    update reversals set status = 'FAIL', result_code = 'PROCESS_FAIL', reversed_at = ${at}
    where bucket = ${bucket} and client_id = ${clientId} and reversal_id = ${subjectId}
  `);
  return { subjectId, effect: returnedReversalEffect(payment.provider, moneyOf(payment)) };
}

const refundFeeOf = (record: WriteContext, minor: bigint): ReturnType<typeof calculateRefundFee> =>
  calculateRefundFee(termsOf(record), { capturedMinor: record.payment.minor, refundedMinor: minor });

function writeRefund(tx: Tx, record: WriteContext, event: FollowUpEvent): PostedEffect {
  const { bucket, clientId, paymentId, payment } = record;
  const { at, minor, number } = event;
  const isAgain = event.kind === "refund again";
  const refundId = newRecordId("refund", clientId, isAgain ? event : payment);
  const { returned, charged } = refundFeeOf(record, minor);
  tx.write(sql`
    update payments set refunded_minor = refunded_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    insert into refunds (bucket, refund_id, client_id, refund_request_id, payment_id, status, result_code, currency,
      amount_minor, fingerprint, connector, reference, created_at, finished_at, returned_fee_minor, returned_tax_minor,
      charged_fee_minor, charged_tax_minor)
    values (${bucket}, ${refundId}, ${clientId}, ${`${isAgain ? "again" : "refund"}-${number}`}, ${paymentId}, 'SUCCESS', 'SUCCESS',
      ${payment.currency}, ${minor}, decode('00', 'hex'), ${payment.provider}, ${operationReference(event, paymentId)}, ${at}, ${at},
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

function writeRefundReversal(tx: Tx, record: WriteContext, { at, minor }: FollowUpEvent): PostedEffect {
  const { bucket, clientId, paymentId, payment } = record;
  const refundId = newRecordId("refund", clientId, payment);
  tx.write(sql`
    update payments set refunded_minor = refunded_minor - ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  tx.write(sql`
    update refunds set status = 'FAIL', result_code = 'PROCESS_FAIL', reversed_at = ${at}
    where bucket = ${bucket} and client_id = ${clientId} and refund_id = ${refundId}
  `);
  const refunded = { ...moneyOf(payment), minor };
  const fee = refundFeeOf(record, minor);
  return { subjectId: refundId, effect: refundReversalEffect(clientId, payment.provider, refunded, fee) };
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
