import { bodyMistakes } from "./body-mistakes.ts";
import { headerMistakes, nearbyTimeMistakes } from "./header-mistakes.ts";
import { layoutMistakes } from "./layout-mistakes.ts";
import {
  unchangedVariant,
  type SignedTextVariant,
  type SentRequest,
  type SignatureMistake,
} from "./signature-mistake.ts";

/** The table of signature mistakes, in the order in which the diagnosis tries them: name → signed text, and advice. */
export const signatureMistakes: Readonly<Record<string, SignatureMistake>> = {
  ...bodyMistakes,
  ...headerMistakes,
  ...layoutMistakes,
  ...nearbyTimeMistakes,
};

/** A text that may have been signed, with the names of the mistakes that lead to it. */
export interface SignedTextCandidate {
  readonly mistakes: readonly string[];
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
export function* candidatesFor(sent: SentRequest): Generator<SignedTextCandidate> {
  yield buildCandidate([], unchangedVariant(sent));
  for (const [name, mistake] of Object.entries(signatureMistakes)) {
    for (const variant of mistake.variants(sent))
      yield buildCandidate([name], { ...unchangedVariant(sent), ...variant });
  }
  if (sent.body.length > pairedBytesMax) return;
  const frequent = Object.entries(signatureMistakes).filter(([, mistake]) => mistake.isFrequent);
  for (const [index, [name, mistake]] of frequent.entries()) {
    for (const variant of mistake.variants(sent)) {
      const oneMistake = { ...unchangedVariant(sent), host: sent.host, ...variant };
      for (const [otherName, { variants }] of frequent.slice(index + 1)) {
        for (const secondVariant of variants(oneMistake))
          yield buildCandidate([name, otherName], { ...oneMistake, ...secondVariant });
      }
    }
  }
}

function buildCandidate(names: readonly string[], variant: SignedTextVariant): SignedTextCandidate {
  return { mistakes: names, text: variant.compose(variant) };
}
