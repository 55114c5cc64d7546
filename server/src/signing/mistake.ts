import { signedText, type SignedParts } from "./signed-text.ts";

/** A text that a merchant may have signed: with other parts than it sent, or composed differently. */
export interface Draft extends SignedParts {
  readonly write: (parts: SignedParts) => Buffer;
}

/** A request as it arrived. */
export interface SentRequest extends SignedParts {
  /** The header `host`, which some developers sign as part of the path. */
  readonly host: string;
}

/** A signature mistake: a way in which the signed text differs from the sent one. */
export interface SignatureMistake {
  /** Completes the sentence "You signed …". */
  readonly signed: string;
  /** The advice, as a sentence. */
  readonly change: string;
  /** So frequent that it is also tried in combination with each other frequent mistake. */
  readonly isFrequent?: true;
  /** The texts that this mistake may have signed; empty if it cannot happen with this request. */
  readonly drafts: (sent: SentRequest) => readonly Partial<Draft>[];
}

/** The advice for all mistakes in the composition. */
export const form = "Sign: POST, a space, the path, a line feed, then client id, dot, time, dot, body.";

export const asSent = (sent: SignedParts): Draft => ({ ...sent, write: signedText });

/** Values that differ from the sent ones. */
export function otherValues<Key extends "method" | "path" | "clientId" | "time">(
  sent: SignedParts,
  key: Key,
  values: readonly (string | undefined)[],
): readonly Partial<Draft>[] {
  const others = new Set(values.filter((value) => value !== undefined && value !== sent[key]));
  return [...others].map((value) => ({ [key]: value }));
}

/** The text before the body, composed in other ways. */
export function otherHeads(...heads: ((parts: SignedParts) => string)[]): readonly Partial<Draft>[] {
  return heads.map((head) => ({ write: (parts) => Buffer.concat([Buffer.from(head(parts)), parts.body]) }));
}
