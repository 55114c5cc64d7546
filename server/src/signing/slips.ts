import { bodySlips } from "./body-slips.ts";
import { headSlips, nearTimes } from "./head-slips.ts";
import { layoutSlips } from "./layout-slips.ts";
import { asSent, type Draft, type SentRequest, type Slip } from "./slip.ts";

/** The table of slips, in the order in which they are tried: name → what was signed, and what to change. */
export const slips: Readonly<Record<string, Slip>> = {
  ...bodySlips,
  ...headSlips,
  ...layoutSlips,
  ...nearTimes,
};

/** A text that may have been signed, with the names of the slips that lead to it. */
export interface Guess {
  readonly slips: readonly string[];
  readonly text: Buffer;
}

/** Two slips at once are looked for in small bodies only: there are hundreds of pairs. */
const pairedBytesMax = 4 * 1024;

/** What was sent, then one slip, then two of the frequent ones. Lazy: whoever finds a fit asks no further. */
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
