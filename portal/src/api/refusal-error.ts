import type { refusalSentences } from "../generated/accounts.ts";
import type { resultSentences } from "../generated/console.ts";

export type RefusalWord = keyof typeof refusalSentences;
export type ResultCode = keyof typeof resultSentences;

/**
 * Error codes of the browser itself: no connection, no gateway for this environment, no passkey from the browser, or
 * a device that already holds a passkey of this person.
 */
export const ownWords = ["UNREACHABLE", "NO_GATEWAY", "NO_PASSKEY", "PASSKEY_HELD"] as const;

/** "FAULT" means an internal error of the server. */
export type Word = RefusalWord | ResultCode | "FAULT" | (typeof ownWords)[number];

/** An error that carries a server's refusal. It is thrown because React Query expects failed queries to throw. */
export interface Refused extends Error {
  readonly word: Word;
  /** True if the outcome of the request is unknown. The request may have succeeded. */
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
