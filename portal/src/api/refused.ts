import type { RefusalWord } from "./accounts.ts";
import type { ResultCode } from "./console.ts";

/**
 * What no server says: there was no connection to one, the installation has no gateway for the environment, the browser brought no passkey, or the device holds one of
 * this person's already.
 */
export const ownWords = ["UNREACHABLE", "NO_GATEWAY", "NO_PASSKEY", "PASSKEY_HELD"] as const;

/** "FAULT": the server failed. */
export type Word = RefusalWord | ResultCode | "FAULT" | (typeof ownWords)[number];

/** A server did not say yes. Thrown, because that is how questions fail in React Query. */
export interface Refused extends Error {
  readonly word: Word;
  /** Not refused: the outcome is not known yet. */
  readonly isOpen: boolean;
}

export function refused(word: Word, message: string, isOpen = false): Refused {
  return Object.assign(new Error(message), { word, isOpen });
}

export function wordOf(error: unknown): Word | undefined {
  return isRefused(error) ? error.word : undefined;
}

export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && "word" in error;
}
