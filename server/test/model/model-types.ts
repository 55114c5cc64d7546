/** Basic types for the rules of the model. */
export type Perhaps = "no" | "maybe" | "yes";

/** A rule returns this when it finds no reason to reject, and the provider gets the request. */
export const goesAhead = "goes ahead";

export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

export function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
