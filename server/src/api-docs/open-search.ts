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
export function openSearch(entries: readonly Entry[]): (query: string) => readonly Entry[] {
  const stopWords = new Set(
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
    const splitWords = text.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
    const wholeWords = text.toLowerCase().match(/[a-z\d_]{4,}/g) ?? [];
    return [...(splitWords.match(/[a-z\d]+/g) ?? []), ...wholeWords].map(stem);
  };
  const weights: Readonly<Record<string, number>> = { title: 6, asked: 5, about: 3, words: 1 };
  const wordWeights = entries.map((entry) => {
    const weightByWord = new Map<string, number>();
    for (const [field, weight] of Object.entries(weights))
      for (const word of wordsIn(entry[field as keyof Entry]))
        weightByWord.set(word, Math.max(weightByWord.get(word) ?? 0, weight));
    return weightByWord;
  });
  const entriesByWord = new Map<string, number>();
  for (const weightByWord of wordWeights)
    for (const word of weightByWord.keys()) entriesByWord.set(word, (entriesByWord.get(word) ?? 0) + 1);
  const rarity = (word: string): number =>
    Math.log(1 + entries.length / (entriesByWord.get(word) ?? entries.length));

  /**
   * Words of an entry that begin with the incomplete word. A word with an underscore, such as `order_n`, finds only
   * names with an underscore.
   */
  const wordsWithPrefix = (prefix: string, words: Iterable<string>): string[] =>
    [...words].filter((word) => word.startsWith(prefix) && word.includes("_") === prefix.includes("_"));

  return (question) => {
    const typedWords = question.toLowerCase().match(/[a-z\d_]+/g) ?? [];
    const significant = typedWords.filter((word) => !stopWords.has(word));
    const queryWords = [...new Set((significant.length > 0 ? significant : typedWords).map(stem))];
    const lastWord = typedWords.at(-1) ?? "";
    const lastWordRarity =
      lastWord.length < 2 ? 0 : Math.min(...wordsWithPrefix(lastWord, entriesByWord.keys()).map(rarity), 9);
    const wordScore = (weightByWord: ReadonlyMap<string, number>, word: string): number => {
      const whole = (weightByWord.get(word) ?? 0) * rarity(word);
      if (whole > 0 || stem(lastWord) !== word) return whole;
      const completions = wordsWithPrefix(lastWord, weightByWord.keys());
      return lastWordRarity * Math.max(0, ...completions.map((other) => weightByWord.get(other) ?? 0));
    };
    const scoreOf = ({ title, kind }: Entry, index: number): number => {
      const weightByWord = wordWeights[index] ?? new Map<string, number>();
      const values = queryWords.map((word) => wordScore(weightByWord, word));
      const foundShare = values.filter((value) => value > 0).length / (queryWords.length || 1);
      const sum = values.reduce((total, value) => total + value, 0);
      const isNamed = title.toLowerCase() === question.trim().toLowerCase();
      return (
        (isNamed ? 1000 : 0) +
        sum * foundShare * foundShare * ({ guide: 1.15, "result code": 0.8 }[kind] ?? 1)
      );
    };
    return entries
      .map((entry, index) => ({ entry, score: scoreOf(entry, index) }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .map(({ entry }) => entry);
  };
}
