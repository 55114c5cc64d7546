import type { RandomBelow } from "./id.ts";

/**
 * The letters and digits of short ids. It has no vowels, so that no id spells a word, and no letters that look like
 * digits.
 */
const alphabet = "0123456789BCDFGHJKMNPQRSTVWXYZ";

/** A short id for records that people read aloud, and of which there are few. */
export function newShortId(prefix: string, length: number, randomBelow: RandomBelow): string {
  return prefix + Array.from({ length }, () => alphabet[randomBelow(alphabet.length)]).join("");
}
