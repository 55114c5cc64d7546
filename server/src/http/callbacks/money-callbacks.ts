import { findCaptureByReference } from "../../captures/capture.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { ClientKey } from "../../core/client-key.ts";
import type { JobName } from "../../core/job-name.ts";
import type { Money } from "../../core/money.ts";
import { isRefusal, refuse, toRequestResult, type Refusal, type RequestResult } from "../../core/result.ts";
import { writeReportedOutcome } from "../../jobs/write-reported-outcome.ts";
import { insertUrgentJob } from "../../jobs/job.sql.ts";
import { findPayment } from "../../payments/payment.sql.ts";
import { findReversalOfPayment } from "../../payments/reversals/reversal.sql.ts";
import { requireCommitted } from "../../postgres/database.ts";
import type { ServerOrigin } from "../../postgres/connection-origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import type { LoadedConnector } from "../../providers/connector-directory.ts";
import { readCapture, readRefund } from "../../providers/order-report.ts";
import { readText } from "../../providers/report-fields.ts";
import type { MoneyReport } from "../../providers/provider.ts";
import { offersQuery } from "../../providers/connector-terms.ts";
import { insertProviderEvent } from "../../providers/provider-event.sql.ts";
import { findRefundByReference } from "../../refunds/refund.sql.ts";
import type { Gateway } from "../merchant-api/gateway.ts";

/** The content of a provider's callback about a capture or a refund. */
export interface MoneyCallback {
  readonly eventId: string;
  /** The reference of the order. */
  readonly reference: string;
  readonly kind: "capture" | "refund";
  /** The reference of the capture or the refund. */
  readonly moneyReference: string;
  readonly state: "PROCESSING" | "DONE" | "FAILED";
  /** The capture or refund as the provider sent it. */
  readonly content: unknown;
}

/** `readMoneyCallback` reads the capture or the refund of a callback; undefined if it is malformed. */
export function readMoneyCallback(
  { eventId, reference }: Pick<MoneyCallback, "eventId" | "reference">,
  { capture, refund }: Readonly<Record<string, unknown>>,
): MoneyCallback | undefined {
  const kind = capture === undefined ? "refund" : "capture";
  const fields = Object(capture ?? refund) as Readonly<Record<string, unknown>>;
  const moneyReference = readText(fields[`${kind}Reference`]);
  const { state } = fields;
  const isKnown = state === "PROCESSING" || state === "DONE" || state === "FAILED";
  if (moneyReference === undefined || fields["reference"] !== reference || !isKnown) return undefined;
  return { eventId, reference, kind, moneyReference, state, content: fields };
}

/**
 * Receives a provider's callback about a capture or a refund. The callback only makes the record's job due, and the job
 * asks the provider: so a forged, repeated or late callback never decides about money. If the provider does not answer
 * this inquiry, the signed callback decides.
 */
export async function receiveMoneyCallback(
  gateway: Gateway,
  loaded: LoadedConnector,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  callback: MoneyCallback,
): Promise<RequestResult> {
  const { name: connector } = loaded;
  const owner = { bucket: bucketOf(clientId), clientId };
  const { eventId, reference, kind, state } = callback;
  const aheadMs = (await gateway.clients.find(clientId))?.aheadMs ?? 0;
  const { now } = gateway.driver.context({ aheadMs });
  const origins = new Set<ServerOrigin>();
  const record = async (tx: Tx): Promise<{ readonly step: Step } | Refusal> => {
    const payment = await findPayment(tx, owner, paymentId);
    // A provider may report only on its own orders, even if its signature is valid.
    if (payment?.order?.connector !== connector) return refuse("ORDER_NOT_EXIST");
    if (payment.order.reference !== reference) return refuse("PARAM_ILLEGAL");
    const subject = await findSubject(tx, owner, paymentId, callback);
    if (!subject)
      return refuse("ORDER_NOT_EXIST", { detail: `The gateway requested no such ${kind} of this order.` });
    insertProviderEvent(tx, { ...owner, connector, eventId, paymentId, reference }, now);
    const step = nextStep(subject.status, state, kind);
    const { outcome } = subject;
    const isUndecided = step === "ask provider" || subject.status === "PROCESSING";
    if (isUndecided && !offersQuery(loaded, kind)) {
      if (!outcome) return refuse("PARAM_ILLEGAL");
      await writeReportedOutcome(tx, gateway.runner, { ...owner, ...subject, aheadMs }, outcome);
    } else if (step === "ask provider") {
      // The job remembers that a settled refund was reported as failed. The memory of an open request stays, because it
      // decides whether the request may be sent again.
      insertUrgentJob(tx, { ...owner, ...subject }, subject.status === "SUCCESS" ? state : undefined);
    }
    gateway.runner.atCrashPoint("before-callback-commit");
    return { step };
  };
  const outcome = requireCommitted(await gateway.database.transaction([clientId], record, origins));
  if (isRefusal(outcome)) return toRequestResult(outcome);
  gateway.faults.recordSuccess("money callbacks", "moved");
  // The provider must not stop its retries while only one server has the commit.
  await gateway.database.waitForReplication(origins);
  if (outcome.step === "ask provider") gateway.runner.wake();
  if (outcome.step === "alert")
    gateway.driver.alert(`The payment provider reports ${state} for a ${kind} with another final result.`, {
      clientId,
      paymentId,
    });
  return { code: "SUCCESS" };
}

type Step = "ask provider" | "nothing" | "alert";

/** A capture, a refund or a reversal, and the job that asks the provider about it. */
interface Subject {
  readonly subjectId: string;
  readonly job: JobName;
  readonly status: "PROCESSING" | "SUCCESS" | "FAIL";
  /** The callback's report, as the job's call would return it; undefined if the report is malformed. */
  readonly outcome: object | undefined;
}

/** At the provider a reversal is a refund, so a callback about a refund may be about a reversal. */
async function findSubject(
  tx: Tx,
  owner: ClientKey,
  paymentId: string,
  { kind, moneyReference: reference, reference: orderReference, content }: MoneyCallback,
): Promise<Subject | undefined> {
  const key = { paymentId, reference };
  if (kind === "capture") {
    const capture = await findCaptureByReference(tx, owner, key);
    if (!capture) return undefined;
    const requested = { reference: orderReference, captureReference: reference, amount: capture.amount };
    const outcome = readCapture(content, requested);
    return { subjectId: capture.captureId, job: "send-capture", status: capture.status, outcome };
  }
  const readReport = (amount: Money): MoneyReport | undefined =>
    readRefund(content, { reference: orderReference, refundReference: reference, amount });
  const refund = await findRefundByReference(tx, owner, key);
  if (refund) {
    const outcome = readReport(refund.amount);
    return { subjectId: refund.refundId, job: "send-refund", status: refund.status, outcome };
  }
  const reversal = await findReversalOfPayment(tx, owner, paymentId);
  if (reversal?.reference !== reference) return undefined;
  const { reversalId: subjectId, status } = reversal;
  const report = readReport(reversal.amount);
  return { subjectId, job: "reverse-payment", status, outcome: report && { refund: report } };
}

function nextStep(
  status: Subject["status"],
  state: MoneyCallback["state"],
  kind: MoneyCallback["kind"],
): Step {
  if (status === "PROCESSING") return state === "PROCESSING" ? "nothing" : "ask provider";
  if (state === "PROCESSING") return "nothing";
  const isSame = (status === "SUCCESS") === (state === "DONE");
  if (isSame) return "nothing";
  // Only a refund can fail after it is done. A late callback about the time before looks the same as a contradiction,
  // so the provider is asked.
  return kind === "refund" ? "ask provider" : "alert";
}
