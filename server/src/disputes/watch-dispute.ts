import { backOff } from "../resilience/backoff.ts";
import { providerReference } from "../core/provider-reference.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { ownerOf, type Payment } from "../payments/payment.ts";
import { findPayment } from "../payments/payment.sql.ts";
import type { Provider, DisputeReport } from "../providers/provider.ts";
import { findDispute } from "./dispute.sql.ts";
import {
  answerBackoff,
  nextDisputePollAt,
  nextDisputeStep,
  type Dispute,
  type DisputeStep,
} from "./dispute.ts";
import { lockDisputeAndPayment, type LockedDispute } from "./lock-dispute.tx.ts";
import { recordDisputeChange, recordDisputeReport } from "./record-dispute.tx.ts";

/** The provider's report; undefined if the step of the dispute needs no request. */
interface PollResult {
  readonly report: DisputeReport | "NOT_FOUND" | undefined;
}

/** The job that keeps the deadlines of a dispute, and polls the provider in case a callback was lost. */
export function watchDispute(driver: ProviderDriver): Job<LockedDispute, PollResult> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const dispute = await findDispute(tx, { bucket, clientId }, subjectId);
      if (!dispute || dispute.resolvedAt) return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, dispute.paymentId);
      return payment && { dispute, payment };
    },

    async call({ dispute, payment }, leased, signal) {
      const { now, environment } = driver.context(leased);
      const provider = await driver.providerOf(dispute.connector);
      const step = nextDisputeStep(dispute, now);
      return { report: await performStep(step, { provider, environment, dispute, payment, signal }) };
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputeAndPayment(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report }, leased) {
      if (dispute.resolvedAt) return jobDone;
      const context = driver.context(leased);
      const { now } = context;
      let current = dispute;
      let noProgress = true;
      if (report === "NOT_FOUND")
        driver.alert("The payment provider does not know a dispute that it had reported.", dispute);
      else if (report) {
        const decision = await recordDisputeReport(tx, payment, report, context);
        if (decision.kind === "contradiction") driver.alert(decision.why, dispute);
        if (decision.kind === "changed") current = decision.dispute;
        noProgress = decision.kind !== "changed";
      } else {
        const change = applyDeadline(dispute, nextDisputeStep(dispute, now), now);
        if (change) recordDisputeChange(tx, dispute, change, { payment, context });
        current = change?.dispute ?? dispute;
      }
      if (current.resolvedAt) return jobDone;
      return {
        next: "again",
        at: nextDisputePollAt(current, noProgress ? leased.attempts : 0, now),
        noProgress,
      };
    },

    retryAt: ({ attempts }, now) => backOff(answerBackoff, attempts, now),
  };
}

interface StepContext {
  readonly provider: Provider;
  readonly environment: string;
  readonly dispute: Dispute;
  readonly payment: Payment;
  readonly signal: AbortSignal;
}

async function performStep(
  step: DisputeStep,
  { provider, environment, dispute, payment, signal }: StepContext,
): Promise<DisputeReport | "NOT_FOUND" | undefined> {
  const { clientId, disputeId, providerDisputeId } = dispute;
  const owner = ownerOf(payment);
  switch (step) {
    case "inquire": {
      const report = await provider.inquireDispute({ providerDisputeId, owner }, signal);
      return report === "NO_QUERY" ? undefined : report;
    }
    // The gateway's timer never decides about money. On a timeout the gateway requests the provider to accept the
    // dispute, and the provider decides.
    case "time out": {
      const answerReference = providerReference(environment, clientId, "accept dispute", disputeId);
      const acceptance = { providerDisputeId, owner, answerReference, reason: "TIMEOUT" };
      return provider.acceptDispute(acceptance, signal);
    }
    case "alert":
    case "expire":
      return undefined;
  }
}

function applyDeadline(
  dispute: Dispute,
  step: DisputeStep,
  now: Date,
): { readonly dispute: Dispute; readonly notificationType?: "DEFENSE_DUE_ALERT" } | undefined {
  const sequence = dispute.sequence + 1;
  if (step === "alert")
    return { dispute: { ...dispute, sequence, alertedAt: now }, notificationType: "DEFENSE_DUE_ALERT" };
  // The gateway's timer may decide this step, because an expired request moves no money.
  return step === "expire"
    ? { dispute: { ...dispute, sequence, status: "EXPIRED", resolvedAt: now } }
    : undefined;
}
