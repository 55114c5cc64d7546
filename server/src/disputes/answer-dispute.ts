import { backOff } from "../resilience/backoff.ts";
import type { BeforeSend } from "../core/before-send.ts";
import { providerReference } from "../core/provider-reference.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { ownerOf } from "../payments/payment.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { inFlightSince, isQuietOver, maySend } from "../providers/provider-message.ts";
import type { DisputeReport, Provider } from "../providers/provider.ts";
import { findDispute } from "./dispute.sql.ts";
import { answerBackoff } from "./dispute.ts";
import { listLastEvidence } from "./evidence.sql.ts";
import { toProviderDocument, type AnsweredDispute } from "./evidence.ts";
import { lockDisputeAndPayment } from "./lock-dispute.tx.ts";
import { recordDisputeChange, recordDisputeReport } from "./record-dispute.tx.ts";

interface AnswerResult {
  readonly report: DisputeReport | "NOT_FOUND" | "NO_QUERY";
  /** Whether the job sent the answer to the provider, or only queried the dispute. */
  readonly wasSent: boolean;
}

/** The job that sends a merchant's answer to the provider: an acceptance, or a defense. */
export function answerDispute(driver: ProviderDriver): Job<AnsweredDispute, AnswerResult> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const dispute = await findDispute(tx, { bucket, clientId }, subjectId);
      if (!dispute?.answer) return undefined;
      const { kind } = dispute.answer;
      const [evidence, payment] = await Promise.all([
        kind === "DEFEND" ? listLastEvidence(tx, { bucket, clientId }, subjectId) : [],
        findPayment(tx, { bucket, clientId }, dispute.paymentId),
      ]);
      return payment && { dispute, evidence, payment };
    },

    async call(answeredDispute, leased, signal, beforeSend) {
      const { environment, now } = driver.context(leased);
      const { connector } = answeredDispute.dispute;
      const provider = await driver.providerOf(connector);
      const canSend = maySend(leased, driver.termsOf(connector), now);
      return sendAnswer(answeredDispute, { provider, environment, canSend, signal, beforeSend });
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputeAndPayment(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report, wasSent }, leased) {
      if (!dispute.answer) return jobDone;
      const context = driver.context(leased);
      const retry = {
        next: "again",
        at: backOff(answerBackoff, leased.attempts, context.now),
        noProgress: true,
      } as const;
      if (report === "NOT_FOUND") {
        driver.alert("The payment provider does not know a dispute that it had reported.", dispute);
        return retry;
      }
      const terms = driver.termsOf(dispute.connector);
      const sentAt = inFlightSince(leased, terms) ?? dispute.answer.requestedAt;
      const isQuietTimeOver = isQuietOver(sentAt, terms, leased.calledAt);
      if (report === "NO_QUERY") {
        if (!isQuietTimeOver) return retry;
        if (leased.lastResult !== report)
          driver.alert("The outcome of an answer is unknown: the payment provider has no inquiry.", dispute);
        return { ...retry, lastResult: report };
      }
      const decision = await recordDisputeReport(tx, payment, report, context);
      if (decision.kind === "contradiction") driver.alert(decision.why, dispute);
      if (decision.kind === "changed" && !decision.dispute.answer) return jobDone;
      // The provider refused the answer, or did not receive it within the quiet time: the merchant may answer again.
      if (report.state !== "OPEN" || (wasSent ? !report.refused : !isQuietTimeOver)) return retry;
      const { answer: _, ...rest } = dispute;
      const defenses = dispute.answer.kind === "DEFEND" ? dispute.defenses - 1 : dispute.defenses;
      const sequence = dispute.sequence + 1;
      recordDisputeChange(
        tx,
        dispute,
        { dispute: { ...rest, answer: undefined, defenses, sequence } },
        { payment, context },
      );
      return jobDone;
    },

    retryAt: ({ attempts }, now) => backOff(answerBackoff, attempts, now),
  };
}

interface SendContext {
  readonly provider: Provider;
  readonly environment: string;
  /** Whether the answer may be sent: false if the provider may have it already, and would not recognise the repeat. */
  readonly canSend: boolean;
  readonly signal: AbortSignal;
  readonly beforeSend: BeforeSend;
}

async function sendAnswer(
  { dispute, evidence = [], payment }: AnsweredDispute,
  { provider, environment, canSend, signal, beforeSend }: SendContext,
): Promise<AnswerResult> {
  const { clientId, disputeId, providerDisputeId, answer, defenses, autoDefendReason } = dispute;
  const owner = ownerOf(payment);
  // An acceptance and an automatic defense are idempotent, because the dispute's state allows them once and they have no
  // documents. A merchant's defense is not always: a provider that is not idempotent would count it twice.
  if (answer?.kind === "ACCEPT") {
    const answerReference = providerReference(environment, clientId, "accept dispute", disputeId);
    const acceptance = { providerDisputeId, owner, answerReference, reason: "MERCHANT_ACCEPTED" };
    return { report: await provider.acceptDispute(acceptance, signal), wasSent: true };
  }
  if (!canSend && !autoDefendReason)
    return { report: await provider.inquireDispute({ providerDisputeId, owner }, signal), wasSent: false };
  const answerKey = `${disputeId} ${defenses}`;
  const answerReference = providerReference(environment, clientId, "defend dispute", answerKey);
  const reason = autoDefendReason ?? "MERCHANT_DEFENDED";
  const documents = evidence.map(toProviderDocument);
  const defense = { providerDisputeId, owner, answerReference, reason, evidence: documents };
  return { report: await provider.defendDispute(defense, signal, beforeSend), wasSent: true };
}
