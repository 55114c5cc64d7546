import { signedText, type SignedParts } from "./signed-text.ts";

/** A text that a merchant may have signed: with other parts than those of its request, or composed differently. */
export interface Draft extends SignedParts {
  readonly write: (parts: SignedParts) => Buffer;
}

/** A request as it arrived. */
export interface SentRequest extends SignedParts {
  /** The header `host`, which some developers sign as part of the path. */
  readonly host: string;
}

/** A signature mistake: a way in which the signed text differs from the sent text. */
export interface SignatureMistake {
  /** Completes the sentence "You signed …". */
  readonly signed: string;
  /** The advice, as a sentence. */
  readonly change: string;
  /**
   * True for a mistake that is so frequent that the diagnosis also tries it in combination with each other frequent
   * mistake.
   */
  readonly isFrequent?: true;
  /** The texts that this mistake may have signed; empty if it cannot happen with this request. */
  readonly drafts: (sent: SentRequest) => readonly Partial<Draft>[];
}

/** The advice for all mistakes in the composition of the signed text. */
export const form = "Sign: POST, a space, the path, a line feed, then client id, dot, time, dot, body.";

export const asSent = (sent: SignedParts): Draft => ({ ...sent, write: signedText });

/** Drafts with other values of one part than the sent value. */
export function otherValues<Key extends "method" | "path" | "clientId" | "time">(
  sent: SignedParts,
  key: Key,
  values: readonly (string | undefined)[],
): readonly Partial<Draft>[] {
  const others = new Set(values.filter((value) => value !== undefined && value !== sent[key]));
  return [...others].map((value) => ({ [key]: value }));
}

/** Drafts in which the text before the body is composed in other ways. */
export function otherHeads(...heads: ((parts: SignedParts) => string)[]): readonly Partial<Draft>[] {
  return heads.map((head) => ({ write: (parts) => Buffer.concat([Buffer.from(head(parts)), parts.body]) }));
}
