import type { Permission } from "../../../server/src/people/role.ts";
import type { Environment } from "../../../server/src/postgres/migrate.ts";

/** A request of one person that another person approves (four-eyes principle). */
export interface Approval {
  readonly approvalId: string;
  readonly organisationId: string;
  readonly environment: Environment;
  readonly permission: Permission;
  readonly act: string;
  readonly place: string;
  readonly request: object;
  readonly reason: string;
  readonly requestedBy: string;
  readonly requestedAt: Date;
  readonly confirmedBy: string | undefined;
  readonly expiresAt: Date;
}

const hourMs = 3_600_000;
/** An approval request expires after one day. */
export const requestLifetimeMs = 24 * hourMs;
export const approvalLifetimeMs = hourMs;
