/** What the rules of the model are made of. */
export type Perhaps = "no" | "maybe" | "yes";

/** A rule says this when nothing speaks against it, and the wallet is asked. */
export const goesAhead = "goes ahead";

export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

export function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
