import { backOff } from "../resilience/backoff.ts";
import type { BeforeSend } from "../core/before-send.ts";
import { providerReference } from "../core/provider-reference.ts";
import { done, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { isQuietOver, maySend } from "../providers/message.ts";
import type { DisputeReport, Provider } from "../providers/provider.ts";
import { findDispute } from "./dispute.sql.ts";
import { answerBackoff } from "./dispute.ts";
import { findEvidence } from "./evidence.sql.ts";
import { evidenceText, type Answering } from "./evidence.ts";
import { lockDisputing } from "./lock-dispute.tx.ts";
import { recordChanged, recordDisputeReport } from "./record-dispute.tx.ts";

interface Answered {
  readonly report: DisputeReport | "NOT_FOUND";
  /** Whether the job sent the answer to the provider, or only queried the dispute. */
  readonly wasSent: boolean;
}

/** The job that sends a merchant's answer to the provider: an acceptance, or a defense. */
export function answerDispute(driver: ProviderDriver): Job<Answering, Answered> {
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

    async call(answering, leased, signal, beforeSend) {
      const { environment } = driver.context(leased);
      const { connector } = answering.dispute;
      const provider = await driver.providerOf(connector);
      const isSent = maySend(leased, driver.termsOf(connector));
      return handOver(answering, { provider, environment, isSent, signal, beforeSend });
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputing(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report, wasSent }, leased) {
      if (!dispute.answer || !payment) return done;
      const context = driver.context(leased);
      const again = {
        next: "again",
        at: backOff(answerBackoff, leased.attempts, context.now),
        gotNowhere: true,
      } as const;
      if (report === "NOT_FOUND") {
        driver.alert("The payment provider does not know a dispute that it had reported.", dispute);
        return again;
      }
      const decision = await recordDisputeReport(tx, payment, report, context);
      if (decision.kind === "contradiction") driver.alert(decision.why, dispute);
      if (decision.kind === "changed" && !decision.dispute.answer) return done;
      const sentAt = leased.sentAt ?? dispute.answer.requestedAt;
      const isQuiet = isQuietOver(sentAt, driver.termsOf(dispute.connector), leased.askedAt);
      // The provider refused the answer, or did not receive it within the quiet time: the merchant may answer again.
      if (report.state !== "OPEN" || (wasSent ? !report.refused : !isQuiet)) return again;
      const { answer: _, ...rest } = dispute;
      const defenses = dispute.answer.kind === "DEFEND" ? dispute.defenses - 1 : dispute.defenses;
      const sequence = dispute.sequence + 1;
      recordChanged(
        tx,
        dispute,
        { dispute: { ...rest, answer: undefined, defenses, sequence } },
        { payment, context },
      );
      return done;
    },

    retryAt: ({ attempts }, now) => backOff(answerBackoff, attempts, now),
  };
}

interface Way {
  readonly provider: Provider;
  readonly environment: string;
  /** Whether the answer may be sent: false if a provider that is not idempotent may have it already. */
  readonly isSent: boolean;
  readonly signal: AbortSignal;
  readonly beforeSend: BeforeSend;
}

async function handOver(
  { dispute, evidence }: Answering,
  { provider, environment, isSent, signal, beforeSend }: Way,
): Promise<Answered> {
  const { clientId, disputeId, walletDisputeId, answer, defenses, autoDefendReason } = dispute;
  // An acceptance is idempotent. A defense is not always: a provider that is not idempotent would count a repeated
  // defense twice.
  if (answer?.kind === "ACCEPT") {
    const answerReference = providerReference(environment, clientId, "accept dispute", disputeId);
    const accepted = { walletDisputeId, answerReference, reason: "MERCHANT_ACCEPTED" };
    return { report: await provider.acceptDispute(accepted, signal), wasSent: true };
  }
  if (!isSent && !autoDefendReason)
    return { report: await provider.inquireDispute(walletDisputeId, signal), wasSent: false };
  const named = `${disputeId} ${defenses}`;
  const answerReference = providerReference(environment, clientId, "defend dispute", named);
  const reason = autoDefendReason ?? "MERCHANT_DEFENDED";
  const document = evidence && { evidence: evidenceText(evidence), evidenceFormat: evidence.format };
  const defense = { walletDisputeId, answerReference, reason, ...document };
  return { report: await provider.defendDispute(defense, signal, beforeSend), wasSent: true };
}
