import type { Environment } from "./environments.ts";

/** What a second person is to confirm, as it would be sent. */
export interface NeedsSecond {
  readonly environment: Environment;
  readonly right: string;
  readonly act: string;
  readonly clientId?: string;
  readonly request: object;
  /** Why, where it was said already. */
  readonly reason?: string;
}

/** Adds to a refusal what was refused, so that the page can ask a second person for it. */
export function withAsked(error: Error, asked: NeedsSecond): Error {
  return Object.assign(error, { asked });
}

export function askedIn(error: unknown): NeedsSecond | undefined {
  return error instanceof Error && "asked" in error ? (error.asked as NeedsSecond) : undefined;
}
