/** Our kinds of ids (server/src/core/id.ts) that are about what is paid out: a batch, a payout, a file for the bank. */
const paidOutKinds: readonly string[] = ["11", "12", "13"];

export interface TypedReference {
  readonly id: string;
  /** Whether it is a payout, and not a payment. */
  readonly isPayout: boolean;
}

/** What somebody looks for. Statements print our ids in groups, or behind words: `Settlement 2026 1116 …`. */
export function referenceIn(typed: string): TypedReference {
  const [id = ""] = /\d{35}/.exec(typed.replaceAll(/\s/g, "")) ?? [];
  const isPayout = paidOutKinds.includes(id.slice(21, 23));
  return { id: isPayout ? id : typed.trim(), isPayout };
}
