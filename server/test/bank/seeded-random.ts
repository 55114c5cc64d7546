/** Deterministic randomness: the same seed gives the same values. */
export interface Random {
  /** At least 0, and less than 1. */
  next(): number;
  /** An integer from `least` to `most`. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** One of the values, drawn by weight. */
  weighted<Value extends { readonly weight: number }>(values: readonly Value[]): Value;
  /** An independent generator, so that concurrent draws do not influence each other. */
  fork(name: string | number): Random;
}

export function newRandom(seed: string | number): Random {
  let state = hashOf(String(seed));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[Math.floor(next() * values.length)];
    if (value === undefined) throw new Error("Cannot draw from an empty list.");
    return value;
  };
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick,
    weighted(values) {
      let left = next() * values.reduce((sum, { weight }) => sum + weight, 0);
      const drawn = values.find(({ weight }) => (left -= weight) < 0);
      return drawn ?? pick(values);
    },
    fork: (name) => newRandom(`${seed}/${name}`),
  };
}

/** FNV-1a hash: short, and good enough to distinguish seeds. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash | 0;
}
