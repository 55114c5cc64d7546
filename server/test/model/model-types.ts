/** Basic types for the rules of the model. */
export type Certainty = "no" | "maybe" | "yes";

/** The result of a rule that finds no reason to reject. The provider then gets the request. */
export const notRejected = "goes ahead";

export function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

export function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
