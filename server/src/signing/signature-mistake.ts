import { signedText, type SignedParts } from "./signed-text.ts";

/** A text that a merchant may have signed: with other parts than those of its request, or composed differently. */
export interface SignedTextVariant extends SignedParts {
  readonly compose: (parts: SignedParts) => Buffer;
}

/** A request as it arrived. */
export interface SentRequest extends SignedParts {
  /** The header `host`, which some developers sign as part of the path. */
  readonly host: string;
}

/** A signature mistake: a way in which the signed text differs from the sent text. */
export interface SignatureMistake {
  /** Completes the sentence "You signed …". */
  readonly description: string;
  /** The advice, as a sentence. */
  readonly advice: string;
  /**
   * True for a mistake that is so frequent that the diagnosis also tries it in combination with each other frequent
   * mistake.
   */
  readonly isFrequent?: true;
  /** The texts that this mistake may have signed; empty if it cannot happen with this request. */
  readonly variants: (sent: SentRequest) => readonly Partial<SignedTextVariant>[];
}

/** The advice for all mistakes in the composition of the signed text. */
export const compositionAdvice =
  "Sign: POST, a space, the path, a line feed, then client id, dot, time, dot, body.";

export const unchangedVariant = (sent: SignedParts): SignedTextVariant => ({ ...sent, compose: signedText });

/** Variants with other values of one part than the sent value. */
export function variantsWithValues<Key extends "method" | "path" | "clientId" | "time">(
  sent: SignedParts,
  key: Key,
  values: readonly (string | undefined)[],
): readonly Partial<SignedTextVariant>[] {
  const others = new Set(values.filter((value) => value !== undefined && value !== sent[key]));
  return [...others].map((value) => ({ [key]: value }));
}

/** Variants in which the text before the body is composed in other ways. */
export function variantsWithTextBeforeBody(
  ...writers: ((parts: SignedParts) => string)[]
): readonly Partial<SignedTextVariant>[] {
  return writers.map((write) => ({
    compose: (parts) => Buffer.concat([Buffer.from(write(parts)), parts.body]),
  }));
}
