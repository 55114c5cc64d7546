import type { FaultStruck } from "./effect.ts";

/** What can be made to go wrong; README.md says what each one does. */
export const faultKinds = [
  "answer-lost",
  "late-answer",
  "garbage",
  "error-500",
  "refuse-connection",
  "not-idempotent",
  "inquiry-lag",
  "refund-pending",
  "pay-on-cancel",
  "late-success",
  "callback-twice",
  "callback-drop",
  "callback-amount",
] as const;

export type FaultKind = (typeof faultKinds)[number];

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
  "approve",
  "callback",
] as const;

export type FaultVerb = (typeof faultVerbs)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** How many more times it strikes. */
  readonly count: number;
  readonly match: { readonly paymentId?: string; readonly verb?: FaultVerb };
  /** For late-answer, inquiry-lag and refund-pending. */
  readonly delayMs: number;
  /** For garbage: a body that is not JSON, or a signature that does not hold. */
  readonly wrong: "body" | "signature";
}

/** What a fault may strike. */
export interface Occasion {
  readonly verb: FaultVerb;
  readonly reference?: string;
  readonly paymentId?: string;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  list(): readonly Fault[];
  /** The first of these kinds that strikes now, if any. It is used up by one, and written down. */
  take(kinds: readonly FaultKind[], occasion: Occasion): Fault | undefined;
}

/** Faults are orders of a test and not of the wallet's business, so a restart forgets them. */
export function newFaults(record: (struck: FaultStruck) => void): Faults {
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
      faults = faults.flatMap((fault) => (fault === struck ? usedOnce(fault) : [fault]));
      record({ kind: "fault", fault: struck.kind, ...occasion });
      return struck;
    },
  };
}

function matches({ match }: Fault, { verb, paymentId }: Occasion): boolean {
  if (match.verb !== undefined && match.verb !== verb) return false;
  return match.paymentId === undefined || match.paymentId === paymentId;
}

function usedOnce(fault: Fault): Fault[] {
  return fault.count > 1 ? [{ ...fault, count: fault.count - 1 }] : [];
}
