import type { FaultInjected } from "./effect.ts";
import { actionFaults } from "./next-action.ts";
import type { ResultCode } from "./result.ts";

/** Fault injection: the kinds of faults. README.md describes each. */
export const faultKinds = [
  "answer-lost",
  "late-answer",
  "garbage",
  "error-500",
  "refuse-connection",
  "late-arrival",
  "not-idempotent",
  "inquiry-lag",
  "capture-pending",
  "refund-pending",
  "cancel-pending",
  "refuse",
  "pay-on-cancel",
  "late-success",
  "callback-twice",
  "callback-drop",
  "callback-amount",
  "card-number",
  ...actionFaults,
] as const;

export type FaultKind = (typeof faultKinds)[number];

export const faultOutcomes = ["DONE", "FAILED"] as const;

export const faultVerbs = [
  "submit",
  "inquire",
  "cancel",
  "capture",
  "inquire-capture",
  "refund",
  "inquire-refund",
  "register",
  "inquire-registration",
  "accept-dispute",
  "defend-dispute",
  "inquire-dispute",
  "authorize",
  "inquire-authorization",
  "exchange-code",
  "revoke",
  "facts",
  "approve",
  "callback",
] as const;

export type FaultVerb = (typeof faultVerbs)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** The number of times that the fault will still occur. */
  readonly count: number;
  readonly match: { readonly paymentId?: string; readonly verb?: FaultVerb };
  /**
   * The delay of the faults late-answer, late-arrival, inquiry-lag, and of a pending capture, refund or cancel; the
   * lifetime of a code of action-code, and of the time to confirm of action-wait.
   */
  readonly delayMs: number;
  /** For a pending capture, refund or cancel: how it ends after `delayMs`. */
  readonly outcome: (typeof faultOutcomes)[number];
  /** The defect of the fault garbage: a body that is not JSON, or an invalid signature. */
  readonly wrong: "body" | "signature";
  /** The result code of refuse, and of a pending operation that fails. */
  readonly resultCode: RefusalCode;
}

/** Result codes with which a wallet may reject a capture or a refund, whatever its own records contain. */
export const refusals = [
  "PROCESS_FAIL",
  "RISK_REJECT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_AMOUNT_EXCEED_LIMIT",
  "PAYMENT_COUNT_EXCEED_LIMIT",
] as const satisfies readonly ResultCode[];

export type RefusalCode = (typeof refusals)[number];

/** A call or a callback that a fault may match. */
export interface FaultTarget {
  readonly verb: FaultVerb;
  readonly reference?: string;
  readonly paymentId?: string;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  list(): readonly Fault[];
  /** Returns the first matching fault of these kinds, decrements its count, and records it. */
  take(kinds: readonly FaultKind[], occasion: FaultTarget): Fault | undefined;
}

/**
 * Creates the list of active faults. It is lost at a restart, because faults belong to a test and not to the wallet's
 * records.
 */
export function newFaults(record: (struck: FaultInjected) => void): Faults {
  let faults: readonly Fault[] = [];
  return {
    add: (fault) => {
      faults = [...faults, fault];
    },
    clear: () => {
      faults = [];
    },
    list: () => faults,
    take(kinds, occasion) {
      const struck = faults.find((fault) => kinds.includes(fault.kind) && matches(fault, occasion));
      if (!struck) return undefined;
      faults = faults.flatMap((fault) => (fault === struck ? decrementCount(fault) : [fault]));
      record({ kind: "fault", fault: struck.kind, ...occasion });
      return struck;
    },
  };
}

function matches({ match }: Fault, { verb, paymentId }: FaultTarget): boolean {
  if (match.verb !== undefined && match.verb !== verb) return false;
  return match.paymentId === undefined || match.paymentId === paymentId;
}

function decrementCount(fault: Fault): Fault[] {
  return fault.count > 1 ? [{ ...fault, count: fault.count - 1 }] : [];
}
