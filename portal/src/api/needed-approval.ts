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

/** `attachApproval` adds the refused request to the error, so that the page can request approval for it. */
export function attachApproval(error: Error, approval: ApprovalNeeded): Error {
  return Object.assign(error, { neededApproval: approval });
}

export function findNeededApproval(error: unknown): ApprovalNeeded | undefined {
  return error instanceof Error && "neededApproval" in error
    ? (error.neededApproval as ApprovalNeeded)
    : undefined;
}
