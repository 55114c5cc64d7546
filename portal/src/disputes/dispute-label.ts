import type { Views } from "../generated/console.ts";

type Dispute = Views["disputes"]["response"]["disputes"][number];
type Tone = "happened" | "refused" | "unknown" | "quiet";

const tones: Readonly<Record<Dispute["disputeStatus"], Tone>> = {
  CREATED: "unknown",
  DEFENDED: "unknown",
  ACCEPTED: "refused",
  CANCELLED: "happened",
  JUDGED: "quiet",
  EXPIRED: "refused",
  RESOLVED: "refused",
};

const outcomeTones: Readonly<Record<NonNullable<Dispute["judgedResult"]>, Tone>> = {
  ACCEPT_BY_CUSTOMER: "happened",
  ACCEPT_BY_MERCHANT: "refused",
  VALIDATE_SUCCESS: "happened",
  VALIDATE_FAIL: "refused",
};

export const disputeStatuses = Object.keys(tones) as readonly Dispute["disputeStatus"][];

type DisputeOutcome = Pick<Dispute, "disputeStatus" | "judgedResult" | "acceptReason"> &
  Partial<Pick<Dispute, "disputeType">>;

/**
 * `disputeLabel` returns the key of the text for a dispute's status, and its tone. A chargeback that expired unanswered
 * is lost, not accepted. A fraud warning is no decision about money.
 */
export function disputeLabel({
  disputeType,
  disputeStatus: status,
  judgedResult,
  acceptReason,
}: DisputeOutcome) {
  if (disputeType === "FRAUD_WARNING") return { key: "disputes.warning", tone: "unknown" } as const;
  if (status === "ACCEPTED" && acceptReason === "TIMEOUT")
    return { key: "disputes.notAnswered", tone: "refused" } as const;
  if (status === "JUDGED" && judgedResult)
    return { key: `disputes.judgement.${judgedResult}`, tone: outcomeTones[judgedResult] } as const;
  return { key: `disputes.status.${status}`, tone: tones[status] } as const;
}

/** `isAnswerable` returns true while the merchant can still answer. */
export function isAnswerable({ canAccept, canDefend }: Pick<Dispute, "canAccept" | "canDefend">): boolean {
  return canAccept || canDefend;
}
