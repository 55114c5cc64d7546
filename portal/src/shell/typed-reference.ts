/** Kinds of ids (server/src/core/id.ts) of payouts: batch, payout, and payout file. */
const payoutKinds: readonly string[] = ["11", "12", "13"];

export interface TypedReference {
  readonly id: string;
  /** True if the id belongs to a payout, false if it belongs to a payment. */
  readonly isPayout: boolean;
}

/**
 * `parseReference` returns the id in a search text. Bank statements print our ids in groups, or after other words:
 * `Settlement 2026 1116 …`.
 */
export function parseReference(typed: string): TypedReference {
  const [id = ""] = /\d{35}/.exec(typed.replaceAll(/\s/g, "")) ?? [];
  const isPayout = payoutKinds.includes(id.slice(21, 23));
  return { id: isPayout ? id : typed.trim(), isPayout };
}
