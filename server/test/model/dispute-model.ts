import { goesAhead, least, most, type Perhaps } from "./words.ts";

/**
 * What a merchant may expect of a dispute. The wallet's own log says what has become of it there; what the model does
 * not know is how much of that the gateway has heard. So there is a view for each of the wallet's states from the last
 * that the merchant was told of to the newest, and an answer is right if it is right in one of them.
 */
export interface ModelDispute {
  /** What the wallet has made of it so far, oldest first. */
  readonly states: () => readonly DisputeState[];
  readonly walletDisputeId: string;
  readonly type: DisputeType;
  readonly isDefendable: boolean;
  readonly amountMinor: bigint;
  /** What the wallet holds back of what was paid. */
  readonly heldMinor: bigint;
  /** What the gateway freezes when it hears of it: the same, unless money is under way just then. */
  lowMinor: bigint;
  highMinor: bigint;
  /** Since the merchant was told of it. */
  disputeId: string | undefined;
  /** Defended without the merchant, because all of it had gone back. */
  isAuto: Perhaps;
  /** Which of the wallet's states the gateway knows at least; none until it has heard of the dispute. */
  known: number;
  answer: ModelAnswer | undefined;
}

/** What the merchant has answered, and the wallet had not confirmed at once. */
export interface ModelAnswer {
  readonly kind: "ACCEPT" | "DEFEND";
  readonly document: string;
  /** The states in one of which the gateway saw it then: in that one the answer is under way, and not in later ones. */
  readonly at: readonly number[];
}

export type DisputeType = "CHARGEBACK" | "RETRIEVAL_REQUEST" | "COMPLIANCE_REQUEST" | "RDR";

/** A dispute as the wallet had it after one change. */
export interface DisputeState {
  readonly state: "OPEN" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "RESOLVED";
  readonly isTimeout: boolean;
  readonly takenMinor: bigint;
}

export const unheard = -1;

/** What each event leads to at the wallet; what is not listed is refused. */
const steps: Readonly<Record<DisputeType, Readonly<Record<string, readonly string[]>>>> = {
  CHARGEBACK: {
    OPEN: ["accept", "expire", "cancel", "judge-won", "judge-lost"],
    DEFENDED: ["accept", "cancel", "judge-won", "judge-lost"],
  },
  RETRIEVAL_REQUEST: {},
  COMPLIANCE_REQUEST: { DEFENDED: ["validate", "invalidate"] },
  RDR: {},
};

/** What the wallet may say to what is decided about a dispute; an answer of the merchant may come between. */
export function mayDecide(
  dispute: ModelDispute,
  event: string,
): { readonly done: boolean; readonly late: boolean } {
  const states = dispute.states();
  const { state = "OPEN" } = states.at(-1) ?? {};
  const allows = (each: string): boolean => steps[dispute.type][each]?.includes(event) ?? false;
  const kinds = answersIn(dispute, states.length - 1, state);
  const next = kinds.flatMap((kind) => (kind === "DEFEND" ? ["DEFENDED"] : kind ? ["ACCEPTED"] : []));
  return { done: [state, ...next].some(allows), late: ![state, ...next].every(allows) };
}

/** One of the ways in which the gateway may see a dispute. */
export interface DisputeView {
  readonly index: number;
  /** Undefined when it has not heard of the dispute. */
  readonly state: DisputeState | undefined;
  /** What is under way. */
  readonly answer: ModelAnswer["kind"] | undefined;
  /** How often it was defended before. */
  readonly defenses: number;
}

export function viewsOfDispute(dispute: ModelDispute): readonly DisputeView[] {
  const { known } = dispute;
  const states = dispute.states();
  const indexes = Array.from({ length: states.length - known }, (_, nth) => known + nth);
  return indexes.flatMap((index) => {
    const state = states[index];
    const defenses = states.slice(0, index + 1).filter((each) => each.state === "DEFENDED").length;
    return answersIn(dispute, index, state?.state).map((answer) => ({ index, state, answer, defenses }));
  });
}

/** What is under way at the gateway, if it believes in this state. */
function answersIn(
  { answer, isAuto }: ModelDispute,
  index: number,
  state: DisputeState["state"] | undefined,
): readonly DisputeView["answer"][] {
  if (state !== "OPEN") return [undefined];
  if (isAuto !== "no" && index === 0) return isAuto === "yes" ? ["DEFEND"] : ["DEFEND", undefined];
  if (!answer?.at.includes(index)) return [undefined];
  return answer.at.length === 1 ? [answer.kind] : [answer.kind, undefined];
}

export function acceptCode({ type }: ModelDispute, { state, answer }: DisputeView): string {
  if (type !== "CHARGEBACK") return "PARAM_ILLEGAL";
  if (answer === "ACCEPT") return goesAhead;
  if (state?.isTimeout) return "TIME_EXCEEDS_LIMIT";
  return state?.state !== "OPEN" || answer ? "REPEAT_REQUEST" : goesAhead;
}

export function defendCode(dispute: ModelDispute, view: DisputeView, document: string): string {
  const { type, isDefendable, isAuto } = dispute;
  const { state, answer, defenses } = view;
  if (type === "RDR" || (!isDefendable && isAuto === "no")) return "PARAM_ILLEGAL";
  if (answer === "DEFEND" && isAuto === "no" && dispute.answer?.document === document) return goesAhead;
  if (state?.isTimeout) return "TIME_EXCEEDS_LIMIT";
  if (type === "COMPLIANCE_REQUEST") {
    if (state?.state === "DEFENDED" || answer) return "NOT_ALLOW_IN_CURRENT_STATUS";
    if (state?.state === "OPEN" && defenses >= defensesMax) return "DEFENSE_EXCEED_LIMIT";
  }
  return state?.state !== "OPEN" || answer ? "REPEAT_REQUEST" : goesAhead;
}

const defensesMax = 3;

/** What an answer that was handed to the wallet may come back as, given what has become of the dispute there since. */
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

/** In minor units: at least, and at most. */
export interface Range {
  readonly lowMinor: bigint;
  readonly highMinor: bigint;
}

/** What disputes keep from being refunded, as far as the gateway knows of them. */
export function countedBy(disputes: readonly ModelDispute[]): Range {
  const none: Range = { lowMinor: 0n, highMinor: 0n };
  return disputes.reduce((sum, dispute) => {
    const { lowMinor, highMinor } = countedByOne(dispute);
    return { lowMinor: sum.lowMinor + lowMinor, highMinor: sum.highMinor + highMinor };
  }, none);
}

function countedByOne(dispute: ModelDispute): Range {
  const counted = viewsOfDispute(dispute).flatMap(({ state }) => {
    if (!state) return [0n];
    return isOpen(state) ? [dispute.lowMinor, dispute.highMinor] : [state.takenMinor];
  });
  return { lowMinor: counted.reduce(least), highMinor: counted.reduce(most) };
}

/** What the wallet itself keeps from being refunded now. */
export function heldAtWallet(disputes: readonly ModelDispute[]): bigint {
  return disputes.reduce((sum, { heldMinor, states }) => {
    const last = states().at(-1);
    return sum + (!last || isOpen(last) ? heldMinor : last.takenMinor);
  }, 0n);
}

export function takenBy(disputes: readonly ModelDispute[]): bigint {
  return disputes.reduce((sum, { states }) => sum + (states().at(-1)?.takenMinor ?? 0n), 0n);
}

export function isOpen({ state }: DisputeState): boolean {
  return state === "OPEN" || state === "DEFENDED";
}

/** What the merchant is told of each of the wallet's states. */
export function newsOf({ type }: ModelDispute, { state }: DisputeState, index: number): string {
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
