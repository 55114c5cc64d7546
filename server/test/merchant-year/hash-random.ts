import { createHash } from "node:crypto";

/** Reproducible randomness: the same name gives the same values on every machine. */
export interface Random {
  /** An integer from `least` to `most`. */
  between(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** An independent generator, so that concurrent stories do not draw from each other. */
  fork(name: string): Random;
}

export function newRandom(name: string): Random {
  let drawn = 0;
  const below = (limit: number): number => {
    drawn += 1;
    return createHash("sha256").update(`${name}/${drawn}`).digest().readUInt32BE(0) % limit;
  };
  return {
    between: (least, most) => least + below(most - least + 1),
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("Cannot draw from an empty list.");
      return value;
    },
    fork: (inner) => newRandom(`${name}/${inner}`),
  };
}
