import { backOff } from "../resilience/backoff.ts";
import { providerReference } from "../core/provider-reference.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
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

type WatchedDispute = Pick<LockedDispute, "dispute"> & Partial<LockedDispute>;

/** The job that keeps the deadlines of a dispute, and polls the provider in case a callback was lost. */
export function watchDispute(driver: ProviderDriver): Job<WatchedDispute, PollResult> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const dispute = await findDispute(tx, { bucket, clientId }, subjectId);
      return dispute && !dispute.resolvedAt ? { dispute } : undefined;
    },

    async call({ dispute }, leased, signal) {
      const { now, environment } = driver.context(leased);
      const provider = await driver.providerOf(dispute.connector);
      return {
        report: await performStep(nextDisputeStep(dispute, now), { provider, environment, dispute, signal }),
      };
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputeAndPayment(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report }, leased) {
      if (dispute.resolvedAt || !payment) return jobDone;
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
  readonly signal: AbortSignal;
}

async function performStep(
  step: DisputeStep,
  { provider, environment, dispute, signal }: StepContext,
): Promise<DisputeReport | "NOT_FOUND" | undefined> {
  const { clientId, disputeId, walletDisputeId } = dispute;
  switch (step) {
    case "inquire":
      return provider.inquireDispute(walletDisputeId, signal);
    // The gateway's timer never decides about money. On a timeout the gateway requests the provider to accept the
    // dispute, and the provider decides.
    case "time out": {
      const answerReference = providerReference(environment, clientId, "accept dispute", disputeId);
      return provider.acceptDispute({ walletDisputeId, answerReference, reason: "TIMEOUT" }, signal);
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
