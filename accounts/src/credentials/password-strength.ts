import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/** zxcvbn's running time grows faster than linearly with the length, so only this many characters are estimated. */
const estimatedLengthMax = 64;
/** zxcvbn's score 3: "safely unguessable". Sign-ins of one account are limited to 100 attempts in 15 minutes. */
const guessesMin = 1e8;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries are loaded with the first chosen password, because they need memory and some tenths of a second. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new Factory({ dictionary, graphs });
}

/** `isGuessable` estimates whether a password can be guessed from dictionaries, keyboard patterns, dates and these words. */
export async function isGuessable(password: string, words: readonly string[]): Promise<boolean> {
  estimator ??= loadEstimator();
  const { guesses } = (await estimator).check(password.slice(0, estimatedLengthMax), [...words]);
  return guesses < guessesMin;
}
