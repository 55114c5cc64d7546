/** An entry that the search can find. */
export interface Entry {
  readonly title: string;
  readonly path: string;
  readonly kind: string;
  readonly about: string;
  /** Synonyms: other words for the entry that people search for. */
  readonly asked: string;
  readonly words: string;
}

/**
 * Indexes the entries, and returns the function that answers queries with matching entries, the best first.
 * `openSearch` runs on the server, and in the browser, to which the server sends its source text. So it must not use
 * anything outside of itself.
 *
 * A word counts by its rarity and by its place in the entry. The last word may be incomplete, because the user is
 * typing.
 */
export function openSearch(entries: readonly Entry[]): (question: string) => readonly Entry[] {
  const idle = new Set(
    (
      "a an and are as at be but by can could did do does for from get give given had has have how i if in into is it its me my " +
      "of on one or our should so some than that the their them then there they this to under us use was we were what when where " +
      "which who why will with without would you your"
    ).split(" "),
  );
  const stem = (word: string): string =>
    word.length < 4
      ? word
      : word
          .replace(/ies$/, "y")
          .replace(/(?<=[^s])s$/, "")
          .replace(/(?<=\w{4})(?:ing|ed)$/, "")
          .replace(/(?<=\w{3})e$/, "");
  const wordsIn = (text: string): string[] => {
    const apart = text.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
    const whole = text.toLowerCase().match(/[a-z\d_]{4,}/g) ?? [];
    return [...(apart.match(/[a-z\d]+/g) ?? []), ...whole].map(stem);
  };
  const weights: Readonly<Record<string, number>> = { title: 6, asked: 5, about: 3, words: 1 };
  const places = entries.map((entry) => {
    const best = new Map<string, number>();
    for (const [field, weight] of Object.entries(weights))
      for (const word of wordsIn(entry[field as keyof Entry]))
        best.set(word, Math.max(best.get(word) ?? 0, weight));
    return best;
  });
  const spread = new Map<string, number>();
  for (const best of places) for (const word of best.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  const rarity = (word: string): number =>
    Math.log(1 + entries.length / (spread.get(word) ?? entries.length));

  /**
   * Words of an entry that begin with the incomplete word. A word with an underscore, such as `order_n`, finds only
   * names with an underscore.
   */
  const begunBy = (half: string, words: Iterable<string>): string[] =>
    [...words].filter((word) => word.startsWith(half) && word.includes("_") === half.includes("_"));

  return (question) => {
    const typed = question.toLowerCase().match(/[a-z\d_]+/g) ?? [];
    const meant = typed.filter((word) => !idle.has(word));
    const asked = [...new Set((meant.length > 0 ? meant : typed).map(stem))];
    const half = typed.at(-1) ?? "";
    const halfRarity = half.length < 2 ? 0 : Math.min(...begunBy(half, spread.keys()).map(rarity), 9);
    const worth = (best: ReadonlyMap<string, number>, word: string): number => {
      const whole = (best.get(word) ?? 0) * rarity(word);
      if (whole > 0 || stem(half) !== word) return whole;
      return halfRarity * Math.max(0, ...begunBy(half, best.keys()).map((other) => best.get(other) ?? 0));
    };
    const scoreOf = ({ title, kind }: Entry, index: number): number => {
      const best = places[index] ?? new Map<string, number>();
      const values = asked.map((word) => worth(best, word));
      const found = values.filter((value) => value > 0).length / (asked.length || 1);
      const sum = values.reduce((total, value) => total + value, 0);
      const isNamed = title.toLowerCase() === question.trim().toLowerCase();
      return (isNamed ? 1000 : 0) + sum * found * found * ({ guide: 1.15, "result code": 0.8 }[kind] ?? 1);
    };
    return entries
      .map((entry, index) => ({ entry, score: scoreOf(entry, index) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ entry }) => entry);
  };
}
