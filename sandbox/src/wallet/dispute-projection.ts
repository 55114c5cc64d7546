import assert from "node:assert/strict";
import { takesAnswer, type Dispute } from "./dispute.ts";
import type { DisputeAnswered, DisputeChanged, Line } from "./effect.ts";
import { wholeSeconds } from "./wire-time.ts";

/** The wallet's disputes, derived only from the lines of its journal. */
export interface DisputeProjection {
  apply(line: Line): void;
  dispute(providerDisputeId: string): Dispute | undefined;
  /** Returns the dispute with this id of the wallet, or the newest dispute of the payment with this id. */
  disputeNamed(name: string): Dispute | undefined;
  disputesOfOrder(providerOrderId: string): readonly Dispute[];
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
    const { dispute, takenAmount, judgedResult, at } = line;
    const { providerDisputeId, providerOrderId, paymentId, disputeType } = dispute;
    const state = !takesAnswer(disputeType) ? "RESOLVED" : judgedResult ? "JUDGED" : "OPEN";
    const createdTime = wholeSeconds(at);
    disputes.set(providerDisputeId, {
      ...dispute,
      state,
      sequence: 1,
      defenses: 0,
      createdTime,
      ...(takenAmount && { takenAmount }),
      ...(judgedResult && { judgedResult }),
    });
    idsByPayment.set(paymentId, providerDisputeId);
    idsByOrder.set(providerOrderId, [...(idsByOrder.get(providerOrderId) ?? []), providerDisputeId]);
  }

  function existingDispute(providerDisputeId: string): Dispute {
    const dispute = disputes.get(providerDisputeId);
    assert(dispute, `no dispute ${providerDisputeId}`);
    return dispute;
  }

  function apply(line: Line): void {
    if (line.kind === "dispute-opened") open(line);
    if (line.kind === "dispute-changed") {
      const { providerDisputeId, answer } = line;
      disputes.set(providerDisputeId, applyDisputeChange(existingDispute(providerDisputeId), line, line.at));
      if (answer) answers.set(answer.answerReference, answer);
    }
  }

  const dispute = (id: string): Dispute | undefined => disputes.get(id);
  return {
    apply,
    dispute,
    disputeNamed: (name) => dispute(name) ?? dispute(idsByPayment.get(name) ?? ""),
    disputesOfOrder: (providerOrderId) => (idsByOrder.get(providerOrderId) ?? []).map(existingDispute),
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
