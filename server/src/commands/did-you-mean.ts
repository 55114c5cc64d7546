/** "Did you mean …?" behind a sentence, or nothing. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  shown = (name: string) => name,
): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? "" : ` Did you mean ${shown(meant)}?`;
}

/** The candidate that a mistyped word was probably meant to be, if one is near enough (edit distance). */
function nearest(word: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** Letters to insert, delete, replace or swap with their neighbour (Damerau and Levenshtein). */
function editDistance(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      now[column] = Math.min(
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [before, last] = [last, now];
  }
  return last[other.length] ?? 0;
}
