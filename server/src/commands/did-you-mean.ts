import { nearestTo } from "../core/nearest.ts";

/** "Did you mean …?" behind a sentence, or nothing. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  shown = (name: string) => name,
): string {
  const meant = nearestTo(word, candidates);
  return meant === undefined ? "" : ` Did you mean ${shown(meant)}?`;
}
