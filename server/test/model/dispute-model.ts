import { notRejected, minOf, maxOf, type Certainty } from "./model-types.ts";

/**
 * The expected behaviour for a dispute. The provider's journal has its true state, but the model does not know how much
 * of it the gateway has received. So there is one view for each provider state, from the last one that the merchant was
 * notified of to the newest. A response is correct if it is correct in one view.
 */
export interface ModelDispute {
  /** The states that the dispute has had at the provider, oldest first. */
  readonly states: () => readonly DisputeState[];
  readonly providerDisputeId: string;
  readonly type: DisputeType;
  readonly isDefendable: boolean;
  readonly amountMinor: bigint;
  /** The part of the payment that the provider holds back. */
  readonly heldMinor: bigint;
  /**
   * The least amount that the gateway freezes; `highMinor` is the greatest. Both are equal to the held amount, unless
   * money is moving at that moment.
   */
  lowMinor: bigint;
  highMinor: bigint;
  /** The gateway's id of the dispute; undefined until the merchant was notified. */
  disputeId: string | undefined;
  /** Whether the gateway defended the dispute automatically, because the full amount had already been returned. */
  isAuto: Certainty;
  /** The index of the newest provider state that the gateway surely knows; none before it knows the dispute. */
  knownStateIndex: number;
  answer: ModelAnswer | undefined;
}

/** An answer of the merchant that the provider has not confirmed at once. */
export interface ModelAnswer {
  readonly kind: "ACCEPT" | "DEFEND";
  readonly document: string;
  /**
   * The indexes of the states in which the gateway may have accepted the answer. The answer is in progress in these
   * states, and not in later ones.
   */
  readonly stateIndexes: readonly number[];
}

export type DisputeType = "CHARGEBACK" | "RETRIEVAL_REQUEST" | "COMPLIANCE_REQUEST" | "RDR";

/** State of a dispute at the provider after one change. */
export interface DisputeState {
  readonly state: "OPEN" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "RESOLVED";
  readonly isTimeout: boolean;
  readonly takenMinor: bigint;
}

export const noKnownState = -1;

/** The next states for each event at the provider; an event that is not listed is rejected. */
const eventsByState: Readonly<Record<DisputeType, Readonly<Record<string, readonly string[]>>>> = {
  CHARGEBACK: {
    OPEN: ["accept", "expire", "cancel", "judge-won", "judge-lost"],
    DEFENDED: ["accept", "cancel", "judge-won", "judge-lost"],
  },
  RETRIEVAL_REQUEST: {},
  COMPLIANCE_REQUEST: { DEFENDED: ["validate", "invalidate"] },
  RDR: {},
};

/**
 * Possible responses of the provider to a decision about a dispute; an answer of the merchant may arrive in between.
 */
export function possibleDecisionResults(
  dispute: ModelDispute,
  event: string,
): { readonly done: boolean; readonly late: boolean } {
  const states = dispute.states();
  const { state = "OPEN" } = states.at(-1) ?? {};
  const allows = (each: string): boolean => eventsByState[dispute.type][each]?.includes(event) ?? false;
  const kinds = answersIn(dispute, states.length - 1, state);
  const next = kinds.flatMap((kind) => (kind === "DEFEND" ? ["DEFENDED"] : kind ? ["ACCEPTED"] : []));
  return { done: [state, ...next].some(allows), late: ![state, ...next].every(allows) };
}

/** One possible view that the gateway has of a dispute. */
export interface DisputeView {
  readonly index: number;
  /** The dispute's state as the gateway knows it; undefined if the gateway does not know the dispute. */
  readonly state: DisputeState | undefined;
  /** The answer in progress. */
  readonly answer: ModelAnswer["kind"] | undefined;
  /** The number of earlier defenses. */
  readonly defenses: number;
}

export function viewsOfDispute(dispute: ModelDispute): readonly DisputeView[] {
  const { knownStateIndex } = dispute;
  const states = dispute.states();
  const indexes = Array.from({ length: states.length - knownStateIndex }, (_, nth) => knownStateIndex + nth);
  return indexes.flatMap((index) => {
    const state = states[index];
    const defenses = states.slice(0, index + 1).filter((each) => each.state === "DEFENDED").length;
    return answersIn(dispute, index, state?.state).map((answer) => ({ index, state, answer, defenses }));
  });
}

/** Returns the answers that are in progress at the gateway, if the gateway knows this state. */
function answersIn(
  { answer, isAuto }: ModelDispute,
  index: number,
  state: DisputeState["state"] | undefined,
): readonly DisputeView["answer"][] {
  if (state !== "OPEN") return [undefined];
  if (isAuto !== "no" && index === 0) return isAuto === "yes" ? ["DEFEND"] : ["DEFEND", undefined];
  if (!answer?.stateIndexes.includes(index)) return [undefined];
  return answer.stateIndexes.length === 1 ? [answer.kind] : [answer.kind, undefined];
}

export function acceptCode({ type }: ModelDispute, { state, answer }: DisputeView): string {
  if (type !== "CHARGEBACK") return "PARAM_ILLEGAL";
  if (answer === "ACCEPT") return notRejected;
  if (state?.isTimeout) return "TIME_EXCEEDS_LIMIT";
  return state?.state !== "OPEN" || answer ? "REPEAT_REQUEST" : notRejected;
}

export function defendCode(dispute: ModelDispute, view: DisputeView, document: string): string {
  const { type, isDefendable, isAuto } = dispute;
  const { state, answer, defenses } = view;
  if (type === "RDR" || (!isDefendable && isAuto === "no")) return "PARAM_ILLEGAL";
  if (answer === "DEFEND" && isAuto === "no" && dispute.answer?.document === document) return notRejected;
  if (state?.isTimeout) return "TIME_EXCEEDS_LIMIT";
  if (type === "COMPLIANCE_REQUEST") {
    if (state?.state === "DEFENDED" || answer) return "NOT_ALLOW_IN_CURRENT_STATUS";
    if (state?.state === "OPEN" && defenses >= defensesMax) return "DEFENSE_EXCEED_LIMIT";
  }
  return state?.state !== "OPEN" || answer ? "REPEAT_REQUEST" : notRejected;
}

const defensesMax = 3;

/** Possible result codes of an answer that was sent to the provider, given the later states of the dispute there. */
export function codesOfAnswer(kind: ModelAnswer["kind"], since: readonly DisputeState[]): readonly string[] {
  const last = since.at(-1);
  const reached = kind === "ACCEPT" ? "ACCEPTED" : "DEFENDED";
  const isOver = last?.state !== "OPEN" && last?.state !== reached;
  return [
    "UNKNOWN_EXCEPTION",
    ...(since.some(({ state, isTimeout }) => state === reached && !isTimeout) ? ["SUCCESS"] : []),
    ...(last?.isTimeout ? ["TIME_EXCEEDS_LIMIT"] : []),
    ...(isOver && !last?.isTimeout ? ["REPEAT_REQUEST"] : []),
  ];
}

/** The minimum and the maximum of an amount, in minor units. */
export interface Range {
  readonly lowMinor: bigint;
  readonly highMinor: bigint;
}

/** The amount that disputes block from refunds, as far as the gateway knows them. */
export function blockedByDisputes(disputes: readonly ModelDispute[]): Range {
  const none: Range = { lowMinor: 0n, highMinor: 0n };
  return disputes.reduce((sum, dispute) => {
    const { lowMinor, highMinor } = blockedByDispute(dispute);
    return { lowMinor: sum.lowMinor + lowMinor, highMinor: sum.highMinor + highMinor };
  }, none);
}

function blockedByDispute(dispute: ModelDispute): Range {
  const counted = viewsOfDispute(dispute).flatMap(({ state }) => {
    if (!state) return [0n];
    return isOpen(state) ? [dispute.lowMinor, dispute.highMinor] : [state.takenMinor];
  });
  return { lowMinor: counted.reduce(minOf), highMinor: counted.reduce(maxOf) };
}

/** The amount that the provider itself blocks from refunds now. */
export function heldAtProvider(disputes: readonly ModelDispute[]): bigint {
  return disputes.reduce((sum, { heldMinor, states }) => {
    const last = states().at(-1);
    return sum + (!last || isOpen(last) ? heldMinor : last.takenMinor);
  }, 0n);
}

export function takenByDisputes(disputes: readonly ModelDispute[]): bigint {
  return disputes.reduce((sum, { states }) => sum + (states().at(-1)?.takenMinor ?? 0n), 0n);
}

export function isOpen({ state }: DisputeState): boolean {
  return state === "OPEN" || state === "DEFENDED";
}

/** The notification type for each provider state. */
export function webhookTypeOf({ type }: ModelDispute, { state }: DisputeState, index: number): string {
  if (type === "RDR") return "RDR_RESOLVED";
  if (index === 0) return "DISPUTE_CREATED";
  return {
    OPEN: "DISPUTE_JUDGED",
    JUDGED: "DISPUTE_JUDGED",
    DEFENDED: "DEFENSE_SUPPLIED",
    ACCEPTED: "DISPUTE_ACCEPTED",
    CANCELLED: "DISPUTE_CANCELLED",
    RESOLVED: "RDR_RESOLVED",
  }[state];
}
