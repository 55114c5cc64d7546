import { nearestTo } from "../../core/nearest.ts";

/** Returns the suggestion " Did you mean …?" for a similar name, or an empty string. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  shown = (name: string) => name,
): string {
  const meant = nearestTo(word, candidates);
  return meant === undefined ? "" : ` Did you mean ${shown(meant)}?`;
}
