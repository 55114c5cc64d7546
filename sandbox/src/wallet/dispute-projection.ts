import assert from "node:assert/strict";
import type { Dispute } from "./dispute.ts";
import type { DisputeAnswered, DisputeChanged, Line } from "./effect.ts";
import { wholeSeconds } from "./wire-time.ts";

/** The wallet's disputes, derived only from the lines of its journal. */
export interface DisputeProjection {
  apply(line: Line): void;
  dispute(walletDisputeId: string): Dispute | undefined;
  /** Returns the dispute with this id of the wallet, or the newest dispute of the payment with this id. */
  disputeNamed(name: string): Dispute | undefined;
  disputesOfOrder(walletOrderId: string): readonly Dispute[];
  /** Oldest first. */
  disputes(): readonly Dispute[];
  /** Returns the merchant's answer that the gateway sent with this reference (its idempotency key). */
  disputeAnswer(answerReference: string): DisputeAnswered | undefined;
}

export function newDisputeProjection(): DisputeProjection {
  const disputes = new Map<string, Dispute>();
  const idsByPayment = new Map<string, string>();
  const idsByOrder = new Map<string, string[]>();
  const answers = new Map<string, DisputeAnswered>();

  function open(line: Line & { readonly kind: "dispute-opened" }): void {
    const { dispute, at } = line;
    const { walletDisputeId, walletOrderId, paymentId, disputeType } = dispute;
    const state = disputeType === "RDR" ? "RESOLVED" : "OPEN";
    const createdTime = wholeSeconds(at);
    const takenAmount = disputeType === "RDR" ? line.takenAmount : undefined;
    disputes.set(walletDisputeId, {
      ...dispute,
      state,
      sequence: 1,
      defenses: 0,
      createdTime,
      ...(takenAmount && { takenAmount }),
    });
    idsByPayment.set(paymentId, walletDisputeId);
    idsByOrder.set(walletOrderId, [...(idsByOrder.get(walletOrderId) ?? []), walletDisputeId]);
  }

  function existingDispute(walletDisputeId: string): Dispute {
    const dispute = disputes.get(walletDisputeId);
    assert(dispute, `no dispute ${walletDisputeId}`);
    return dispute;
  }

  function apply(line: Line): void {
    if (line.kind === "dispute-opened") open(line);
    if (line.kind === "dispute-changed") {
      const { walletDisputeId, answer } = line;
      disputes.set(walletDisputeId, applyDisputeChange(existingDispute(walletDisputeId), line, line.at));
      if (answer) answers.set(answer.answerReference, answer);
    }
  }

  const dispute = (id: string): Dispute | undefined => disputes.get(id);
  return {
    apply,
    dispute,
    disputeNamed: (name) => dispute(name) ?? dispute(idsByPayment.get(name) ?? ""),
    disputesOfOrder: (walletOrderId) => (idsByOrder.get(walletOrderId) ?? []).map(existingDispute),
    disputes: () => [...disputes.values()],
    disputeAnswer: (answerReference) => answers.get(answerReference),
  };
}

function applyDisputeChange(before: Dispute, line: DisputeChanged, at: string): Dispute {
  const { judgedResult: _, ...dispute } = before;
  const { state, sequence, event, takenAmount, acceptReason, judgedResult } = line;
  return {
    ...dispute,
    state,
    sequence,
    changedTime: wholeSeconds(at),
    defenses: dispute.defenses + (event === "defend" ? 1 : 0),
    ...(takenAmount && { takenAmount }),
    ...(acceptReason && { acceptReason }),
    ...(judgedResult && { judgedResult }),
  };
}

/** The sum that a dispute blocks from being refunded, in minor units: held, or taken. */
export function blockedMinorOf({ state, heldMinor, takenAmount }: Dispute): bigint {
  if (state === "OPEN" || state === "DEFENDED") return BigInt(heldMinor);
  return BigInt(takenAmount?.value ?? 0);
}
