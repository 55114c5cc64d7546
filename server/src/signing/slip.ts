import { signedText, type SignedParts } from "./signed-text.ts";

/** What a merchant may have signed: parts that are not those it sent, or put together in another way. */
export interface Draft extends SignedParts {
  readonly write: (parts: SignedParts) => Buffer;
}

/** A request as it arrived. */
export interface SentRequest extends SignedParts {
  /** The header `host`, which some sign as part of the path. */
  readonly host: string;
}

/** A way in which the signed text comes to differ from what was sent. */
export interface Slip {
  /** Completes "You signed …". */
  readonly signed: string;
  /** What to do instead: a sentence. */
  readonly change: string;
  /** Made so often that it is also tried together with each other frequent one. */
  readonly isFrequent?: true;
  /** What may have been signed; nothing where the slip cannot be made with this request. */
  readonly drafts: (sent: SentRequest) => readonly Partial<Draft>[];
}

/** The advice for all that is put together in another way. */
export const form = "Sign: POST, a blank, the path, a line feed, then client id, dot, time, dot, body.";

export const asSent = (sent: SignedParts): Draft => ({ ...sent, write: signedText });

/** Without those that are what was sent. */
export function otherValues<Key extends "method" | "path" | "clientId" | "time">(
  sent: SignedParts,
  key: Key,
  values: readonly (string | undefined)[],
): readonly Partial<Draft>[] {
  const others = new Set(values.filter((value) => value !== undefined && value !== sent[key]));
  return [...others].map((value) => ({ [key]: value }));
}

/** All in front of the body, written in other ways. */
export function otherHeads(...heads: ((parts: SignedParts) => string)[]): readonly Partial<Draft>[] {
  return heads.map((head) => ({ write: (parts) => Buffer.concat([Buffer.from(head(parts)), parts.body]) }));
}
