import type { Environment } from "./environments.ts";

/** A request that needs approval, exactly as it will be sent. */
export interface ApprovalNeeded {
  readonly environment: Environment;
  readonly permission: string;
  readonly act: string;
  readonly clientId?: string;
  readonly request: object;
  /** The reason, if the person has already given one. */
  readonly reason?: string;
}

/** `withAsked` adds the refused request to the error, so that the page can request approval for it. */
export function withAsked(error: Error, asked: ApprovalNeeded): Error {
  return Object.assign(error, { asked });
}

export function approvalRequestIn(error: unknown): ApprovalNeeded | undefined {
  return error instanceof Error && "asked" in error ? (error.asked as ApprovalNeeded) : undefined;
}
