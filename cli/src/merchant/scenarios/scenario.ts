import type { Fields, Sandbox } from "../sandbox.ts";

/** Describes how to force a result code in the sandbox. */
export interface Scenario {
  /** The operation that returns it. */
  readonly operation: string;
  readonly instructions: string;
  /** Whether the scenario advances the merchant's test clock permanently. */
  readonly movesClock?: true;
  /** Performs all steps, and returns the response with the code. */
  readonly force: (sandbox: Sandbox) => Promise<Fields>;
}

/** Why a merchant can not force a code in the sandbox. */
export interface UnforceableCode {
  readonly reason: string;
}

export type Scenarios = Readonly<Record<string, Scenario>>;

/** A record id that does not exist. */
export const unknownPaymentId = "20260301123450000000001000000000000";

export const excessiveAmount = { currency: "EUR", value: "999999" };
