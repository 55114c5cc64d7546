import type { RefusalWord } from "./accounts.ts";
import type { ResultCode } from "./console.ts";

/** "FAULT": the server failed. "UNREACHABLE": it did not answer at all. "NO_PASSKEY": the browser brought none. */
export type Word = RefusalWord | ResultCode | "FAULT" | "UNREACHABLE" | "NO_PASSKEY";

/** A server said no. Thrown, because that is how questions fail in React Query. */
export interface Refused extends Error {
  readonly word: Word;
}

export function refused(word: Word, message: string): Refused {
  return Object.assign(new Error(message), { word });
}

export function wordOf(error: unknown): Word | undefined {
  return error instanceof Error && "word" in error ? (error as Refused).word : undefined;
}
