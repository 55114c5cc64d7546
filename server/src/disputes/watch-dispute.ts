import { backOff } from "../resilience/backoff.ts";
import { providerReference } from "../core/provider-reference.ts";
import { done, type Job } from "../contract/job.ts";
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
import { lockDisputing, type Disputing } from "./lock-dispute.tx.ts";
import { recordChanged, recordDisputeReport } from "./record-dispute.tx.ts";

/** The provider's report; undefined if the step of the dispute needs no request. */
interface Watched {
  readonly report: DisputeReport | "NOT_FOUND" | undefined;
}

type Watching = Pick<Disputing, "dispute"> & Partial<Disputing>;

/** The job that keeps the deadlines of a dispute, and polls the provider in case a callback was lost. */
export function watchDispute(driver: ProviderDriver): Job<Watching, Watched> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const dispute = await findDispute(tx, { bucket, clientId }, subjectId);
      return dispute && !dispute.resolvedAt ? { dispute } : undefined;
    },

    async call({ dispute }, leased, signal) {
      const { now, environment } = driver.context(leased);
      const provider = await driver.providerOf(dispute.connector);
      return { report: await ask(nextDisputeStep(dispute, now), { provider, environment, dispute, signal }) };
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputing(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report }, leased) {
      if (dispute.resolvedAt || !payment) return done;
      const context = driver.context(leased);
      const { now } = context;
      let current = dispute;
      let gotNowhere = true;
      if (report === "NOT_FOUND")
        driver.alert("The payment provider does not know a dispute that it had reported.", dispute);
      else if (report) {
        const decision = await recordDisputeReport(tx, payment, report, context);
        if (decision.kind === "contradiction") driver.alert(decision.why, dispute);
        if (decision.kind === "changed") current = decision.dispute;
        gotNowhere = decision.kind !== "changed";
      } else {
        const changed = changedByTime(dispute, nextDisputeStep(dispute, now), now);
        if (changed) recordChanged(tx, dispute, changed, { payment, context });
        current = changed?.dispute ?? dispute;
      }
      if (current.resolvedAt) return done;
      return {
        next: "again",
        at: nextDisputePollAt(current, gotNowhere ? leased.attempts : 0, now),
        gotNowhere,
      };
    },

    retryAt: ({ attempts }, now) => backOff(answerBackoff, attempts, now),
  };
}

interface Asking {
  readonly provider: Provider;
  readonly environment: string;
  readonly dispute: Dispute;
  readonly signal: AbortSignal;
}

async function ask(
  step: DisputeStep,
  { provider, environment, dispute, signal }: Asking,
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

function changedByTime(
  dispute: Dispute,
  step: DisputeStep,
  now: Date,
): { readonly dispute: Dispute; readonly told?: "DEFENSE_DUE_ALERT" } | undefined {
  const sequence = dispute.sequence + 1;
  if (step === "alert")
    return { dispute: { ...dispute, sequence, alertedAt: now }, told: "DEFENSE_DUE_ALERT" };
  // The gateway's timer may decide this step, because an expired request moves no money.
  return step === "expire"
    ? { dispute: { ...dispute, sequence, status: "EXPIRED", resolvedAt: now } }
    : undefined;
}
