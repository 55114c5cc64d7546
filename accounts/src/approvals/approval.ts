import type { Right } from "../../../server/src/people/role.ts";
import type { Environment } from "../../../server/src/postgres/migrate.ts";

/** What one person asks, and a second one confirms. */
export interface Approval {
  readonly approvalId: string;
  readonly organisationId: string;
  readonly environment: Environment;
  readonly right: Right;
  readonly act: string;
  readonly place: string;
  readonly request: object;
  readonly reason: string;
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly confirmedBy: string | undefined;
  readonly expiresAt: Date;
}

const hourMs = 3_600_000;
/** A second person is found within a day, and the act is done soon after. */
export const askedLastsMs = 24 * hourMs;
export const confirmedLastsMs = hourMs;
