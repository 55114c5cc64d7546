import { backOff } from "../core/backoff.ts";
import { walletReference } from "../core/wallet-reference.ts";
import { done, type Job } from "../jobs/job.ts";
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import type { Wallet, DisputeReport } from "../wallets/wallet.ts";
import { findDispute } from "./dispute.sql.ts";
import {
  answerBackoff,
  nextDisputeLookAt,
  nextDisputeStep,
  type Dispute,
  type DisputeStep,
} from "./dispute.ts";
import { lockDisputing, type Disputing } from "./lock-dispute.tx.ts";
import { recordChanged, recordDisputeReport } from "./record-dispute.tx.ts";

/** The wallet's report; undefined when the step needs no call. */
interface Watched {
  readonly report: DisputeReport | "NOT_FOUND" | undefined;
}

type Watching = Pick<Disputing, "dispute"> & Partial<Disputing>;

/** Keeps the deadlines of a dispute, and polls the wallet in case a callback was lost. */
export function watchDispute(driver: WalletDriver): Job<Watching, Watched> {
  return {
    loop: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const dispute = await findDispute(tx, { bucket, clientId }, subjectId);
      return dispute && !dispute.resolvedAt ? { dispute } : undefined;
    },

    async call({ dispute }, leased, signal) {
      const { now, environment } = driver.context(leased);
      const wallet = await driver.walletOf(dispute.connector);
      return { report: await ask(nextDisputeStep(dispute, now), { wallet, environment, dispute, signal }) };
    },

    lock: (tx, { bucket, clientId }, { dispute }) => lockDisputing(tx, { bucket, clientId }, dispute),

    async write(tx, { dispute, payment }, { report }, leased) {
      if (dispute.resolvedAt || !payment) return done;
      const context = driver.context(leased);
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
        at: nextDisputeLookAt(current, gotNowhere ? leased.attempts : 0, now),
        gotNowhere,
      };
    },

    retryAt: ({ attempts }, now) => backOff(answerBackoff, attempts, now),
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
