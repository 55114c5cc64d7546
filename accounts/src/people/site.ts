import type { PersonKind } from "../../../server/src/people/role.ts";

/**
 * A `Site` is one of the two sites with a sign-in: the portal for merchants' people, or the operator console for staff.
 * Sessions and passkeys of one site are invalid at the other.
 */
export type Site = "portal" | "operator";

export const sites: readonly Site[] = ["portal", "operator"];

/** `organisationKindOf` returns the kind of organisation that signs in at the site. */
export function organisationKindOf(site: Site): PersonKind {
  return site === "operator" ? "staff" : "merchant";
}
