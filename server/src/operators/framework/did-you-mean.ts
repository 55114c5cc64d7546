import { findNearest } from "../../core/find-nearest.ts";

/** Returns the suggestion " Did you mean …?" for a similar name, or an empty string. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  format = (name: string) => name,
): string {
  const nearest = findNearest(word, candidates);
  return nearest === undefined ? "" : ` Did you mean ${format(nearest)}?`;
}
