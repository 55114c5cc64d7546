import type { refusalSentences } from "../generated/accounts.ts";
import type { resultSentences } from "../generated/console.ts";

export type RefusalCode = keyof typeof refusalSentences;
export type ResultCode = keyof typeof resultSentences;

/**
 * Error codes of the browser itself: no connection, no gateway for this environment, no passkey from the browser, or
 * a device that already holds a passkey of this person.
 */
export const browserCodes = ["UNREACHABLE", "NO_GATEWAY", "NO_PASSKEY", "PASSKEY_HELD"] as const;

/** "FAULT" means an internal error of the server. */
export type ErrorCode = RefusalCode | ResultCode | "FAULT" | (typeof browserCodes)[number];

/** An error that carries a server's refusal. It is thrown because React Query expects failed queries to throw. */
export interface RefusalError extends Error {
  readonly refusalCode: ErrorCode;
  /** True if the outcome of the request is unknown. The request may have succeeded. */
  readonly isOpen: boolean;
}

export function createRefusal(refusalCode: ErrorCode, message: string, isOpen = false): RefusalError {
  return Object.assign(new Error(message), { refusalCode, isOpen });
}

export function errorCodeOf(error: unknown): ErrorCode | undefined {
  return isRefusal(error) ? error.refusalCode : undefined;
}

export function isRefusal(error: unknown): error is RefusalError {
  return error instanceof Error && "refusalCode" in error;
}
