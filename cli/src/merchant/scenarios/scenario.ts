import type { Fields, Sandbox } from "../sandbox.ts";

/** How a result code is had in the sandbox. */
export interface Scenario {
  /** The operation that gives it. */
  readonly operation: string;
  readonly how: string;
  /** Whether the merchant's clock is moved, for good. */
  readonly movesClock?: true;
  /** Does all that is needed; gives the answer that carries the code. */
  readonly force: (sandbox: Sandbox) => Promise<Fields>;
}

/** Why a merchant cannot have a code in the sandbox by itself. */
export interface Excuse {
  readonly why: string;
}

export type Scenarios = Readonly<Record<string, Scenario>>;

/** A record that nobody has made. */
export const nobodys = "20260301123450000000001000000000000";

export const tooMuch = { currency: "EUR", value: "999999" };
