import { createHash } from "node:crypto";

/** Chance that can be had again: the same name draws the same, on every machine. */
export interface Random {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** Draws of its own, so that what happens at the same time does not draw from each other. */
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
      if (value === undefined) throw new Error("There is nothing to draw from.");
      return value;
    },
    fork: (inner) => newRandom(`${name}/${inner}`),
  };
}
