import { backOff } from "../resilience/backoff.ts";
import type { BeforeSend } from "../core/before-send.ts";
import { providerReference } from "../core/provider-reference.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { isQuietOver, maySend } from "../providers/provider-message.ts";
import type { DisputeReport, Provider } from "../providers/provider.ts";
import { findDispute } from "./dispute.sql.ts";
import { answerBackoff } from "./dispute.ts";
import { findEvidence } from "./evidence.sql.ts";
import { encodeEvidence, type AnsweredDispute } from "./evidence.ts";
import { lockDisputeAndPayment } from "./lock-dispute.tx.ts";
import { recordDisputeChange, recordDisputeReport } from "./record-dispute.tx.ts";

interface AnswerResult {
  readonly report: DisputeReport | "NOT_FOUND";
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
      const evidence =
        kind === "DEFEND" ? await findEvidence(tx, { bucket, clientId }, subjectId) : undefined;
      return { dispute, evidence };
    },

    async call(answeredDispute, leased, signal, beforeSend) {
      const { environment } = driver.context(leased);
      const { connector } = answeredDispute.dispute;
      const provider = await driver.providerOf(connector);
      const canSend = maySend(leased, driver.termsOf(connector));
      return sendAnswer(answeredDispute, { provider, environment, canSend, signal, beforeSend });
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputeAndPayment(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report, wasSent }, leased) {
      if (!dispute.answer || !payment) return jobDone;
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
      const decision = await recordDisputeReport(tx, payment, report, context);
      if (decision.kind === "contradiction") driver.alert(decision.why, dispute);
      if (decision.kind === "changed" && !decision.dispute.answer) return jobDone;
      const sentAt = leased.sentAt ?? dispute.answer.requestedAt;
      const isQuietTimeOver = isQuietOver(sentAt, driver.termsOf(dispute.connector), leased.calledAt);
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
  /** Whether the answer may be sent: false if a provider that is not idempotent may have it already. */
  readonly canSend: boolean;
  readonly signal: AbortSignal;
  readonly beforeSend: BeforeSend;
}

async function sendAnswer(
  { dispute, evidence }: AnsweredDispute,
  { provider, environment, canSend, signal, beforeSend }: SendContext,
): Promise<AnswerResult> {
  const { clientId, disputeId, walletDisputeId, answer, defenses, autoDefendReason } = dispute;
  // An acceptance is idempotent. A defense is not always: a provider that is not idempotent would count a repeated
  // defense twice.
  if (answer?.kind === "ACCEPT") {
    const answerReference = providerReference(environment, clientId, "accept dispute", disputeId);
    const acceptance = { walletDisputeId, answerReference, reason: "MERCHANT_ACCEPTED" };
    return { report: await provider.acceptDispute(acceptance, signal), wasSent: true };
  }
  if (!canSend && !autoDefendReason)
    return { report: await provider.inquireDispute(walletDisputeId, signal), wasSent: false };
  const answerKey = `${disputeId} ${defenses}`;
  const answerReference = providerReference(environment, clientId, "defend dispute", answerKey);
  const reason = autoDefendReason ?? "MERCHANT_DEFENDED";
  const document = evidence && { evidence: encodeEvidence(evidence), evidenceFormat: evidence.format };
  const defense = { walletDisputeId, answerReference, reason, ...document };
  return { report: await provider.defendDispute(defense, signal, beforeSend), wasSent: true };
}
