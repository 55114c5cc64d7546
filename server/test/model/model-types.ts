/** Basic types for the rules of the model. */
export type Perhaps = "no" | "maybe" | "yes";

/** The result of a rule that finds no reason to reject. The provider then gets the request. */
export const goesAhead = "goes ahead";

export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

export function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
