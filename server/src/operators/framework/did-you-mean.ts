import { nearestTo } from "../../core/nearest.ts";

/** Returns " Did you mean …?", or an empty string. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  shown = (name: string) => name,
): string {
  const meant = nearestTo(word, candidates);
  return meant === undefined ? "" : ` Did you mean ${shown(meant)}?`;
}
