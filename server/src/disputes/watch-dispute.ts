import { walletReference } from "../core/reference.ts";
import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import type { Wallet, DisputeReport } from "../wallets/wallet.ts";
import { findDispute } from "./dispute.sql.ts";
import {
  nextAnswerAt,
  nextDisputeLookAt,
  nextDisputeStep,
  type Dispute,
  type DisputeStep,
} from "./dispute.ts";
import { lockDisputing, type Disputing } from "./lock-dispute.sql.ts";
import { recordChanged, recordDisputeReport, watchDisputeJob } from "./record-dispute.sql.ts";

/** The wallet's report; undefined when the step needs no call. */
interface Watched {
  readonly report: DisputeReport | "NOT_FOUND" | undefined;
}

type Watching = Pick<Disputing, "dispute"> & Partial<Disputing>;

/** Keeps the deadlines of a dispute, and polls the wallet in case a callback was lost. */
export function watchDispute(driver: PaymentDriver): Job<Watching, Watched> {
  return {
    name: watchDisputeJob,
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const dispute = await findDispute(tx, { bucket, clientId }, subjectId);
      return dispute && !dispute.resolvedAt ? { dispute } : undefined;
    },

    async call({ dispute }, held, signal) {
      const { now, environment } = driver.context(held);
      const wallet = await driver.walletOf(dispute.connector);
      return { report: await ask(nextDisputeStep(dispute, now), { wallet, environment, dispute, signal }) };
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputing(tx, { bucket, clientId }, dispute),

    async settle(tx, { dispute, payment }, { report }, held) {
      if (dispute.resolvedAt || !payment) return done;
      const context = driver.context(held);
      const { now } = context;
      let current = dispute;
      let gotNowhere = true;
      if (report === "NOT_FOUND") driver.alert("The wallet has lost a dispute.", dispute);
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
        at: nextDisputeLookAt(current, gotNowhere ? held.attempts : 0, now),
        gotNowhere,
      };
    },

    retryAt: ({ attempts }, now) => nextAnswerAt(attempts, now),
  };
}

interface Asking {
  readonly wallet: Wallet;
  readonly environment: string;
  readonly dispute: Dispute;
  readonly signal: AbortSignal;
}

async function ask(
  step: DisputeStep,
  { wallet, environment, dispute, signal }: Asking,
): Promise<DisputeReport | "NOT_FOUND" | undefined> {
  const { clientId, disputeId, walletDisputeId } = dispute;
  switch (step) {
    case "inquire":
      return wallet.inquireDispute(walletDisputeId, signal);
    // Our own timer never decides about money: on a timeout the wallet is told to accept, and decides.
    case "time out": {
      const answerReference = walletReference(environment, clientId, "accept dispute", disputeId);
      return wallet.acceptDispute({ walletDisputeId, answerReference, reason: "TIMEOUT" }, signal);
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
  // Our own timer may decide this one: no money depends on an expired request.
  return step === "expire"
    ? { dispute: { ...dispute, sequence, status: "EXPIRED", resolvedAt: now } }
    : undefined;
}
