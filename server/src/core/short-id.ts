import type { RandomBelow } from "./id.ts";

/** No vowels, so that no id spells a word; no letters that look like digits. */
const alphabet = "0123456789BCDFGHJKMNPQRSTVWXYZ";

/** For what people read to each other, and there are few of. */
export function newShortId(prefix: string, length: number, randomBelow: RandomBelow): string {
  return prefix + Array.from({ length }, () => alphabet[randomBelow(alphabet.length)]).join("");
}
