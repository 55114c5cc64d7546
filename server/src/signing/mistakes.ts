import { bodyMistakes } from "./body-mistakes.ts";
import { headerMistakes, nearTimes } from "./header-mistakes.ts";
import { layoutMistakes } from "./layout-mistakes.ts";
import { asSent, type Draft, type SentRequest, type SignatureMistake } from "./mistake.ts";

/** The table of signature mistakes, in the order in which the diagnosis tries them: name → signed text, and advice. */
export const slips: Readonly<Record<string, SignatureMistake>> = {
  ...bodyMistakes,
  ...headerMistakes,
  ...layoutMistakes,
  ...nearTimes,
};

/** A text that may have been signed, with the names of the mistakes that lead to it. */
export interface Guess {
  readonly slips: readonly string[];
  readonly text: Buffer;
}

/**
 * Maximum size of a body for which the diagnosis tries combinations of two mistakes, because there are hundreds of
 * pairs.
 */
const pairedBytesMax = 4 * 1024;

/**
 * Generates texts to try: the sent text, then texts with one mistake, then with two of the frequent mistakes. It is
 * lazy: the caller stops at the first match.
 */
export function* guesses(sent: SentRequest): Generator<Guess> {
  yield guessOf([], asSent(sent));
  for (const [name, slip] of Object.entries(slips)) {
    for (const draft of slip.drafts(sent)) yield guessOf([name], { ...asSent(sent), ...draft });
  }
  if (sent.body.length > pairedBytesMax) return;
  const frequent = Object.entries(slips).filter(([, slip]) => slip.isFrequent);
  for (const [index, [name, slip]] of frequent.entries()) {
    for (const draft of slip.drafts(sent)) {
      const once = { ...asSent(sent), host: sent.host, ...draft };
      for (const [other, { drafts }] of frequent.slice(index + 1)) {
        for (const again of drafts(once)) yield guessOf([name, other], { ...once, ...again });
      }
    }
  }
}

function guessOf(names: readonly string[], draft: Draft): Guess {
  return { slips: names, text: draft.write(draft) };
}
