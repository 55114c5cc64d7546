import type { SignCase } from "../conformance/vectors.ts";

/** What a worker at an edge is told, because it has neither files nor variables. */
export interface EdgeSettings {
  /** Where everybody is, as README.md says. */
  readonly variables: Readonly<Record<string, string>>;
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
  readonly signCases: readonly SignCase[];
  /** By their names in the cases. */
  readonly privateKeys: Readonly<Record<string, string>>;
}

/** What a worker at an edge has to live through, in this order: what it has no file or line that breaks for is left out. */
export const edgeSteps = ["sign", "pay", "approve", "notification", "forged-notification", "refund"] as const;
