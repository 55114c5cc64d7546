import type { SignCase } from "../conformance/vectors.ts";

/** The settings of an edge worker, which has neither files nor environment variables. */
export interface EdgeSettings {
  /** The addresses of all parties, as README.md describes them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
  readonly signCases: readonly SignCase[];
  /** The private keys by their names in the sign cases. */
  readonly privateKeys: Readonly<Record<string, string>>;
}

/**
 * The steps that an edge worker must pass, in this order. Steps that need a file or the fault proxy are left
 * out.
 */
export const edgeSteps = ["sign", "pay", "approve", "notification", "forged-notification", "refund"] as const;
