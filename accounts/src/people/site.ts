import type { PersonKind } from "../../../server/src/people/role.ts";

/**
 * A `Door` is one of the two sites with a sign-in: the portal for merchants' people, or the operator console for staff.
 * Sessions and passkeys of one site are invalid at the other.
 */
export type Door = "portal" | "operator";

export const doors: readonly Door[] = ["portal", "operator"];

/** `kindAt` returns the kind of organisation that signs in at the site. */
export function kindAt(door: Door): PersonKind {
  return door === "operator" ? "staff" : "merchant";
}
