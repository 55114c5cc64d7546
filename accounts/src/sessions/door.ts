import type { PersonKind } from "../../../server/src/people/role.ts";

/**
 * Where people come in: the portal, for merchants' people, or the operator's console, for staff. A session and a passkey of one open
 * nothing at the other.
 */
export type Door = "portal" | "operator";

export const doors: readonly Door[] = ["portal", "operator"];

/** The kind of organisation for which one acts there. */
export function kindAt(door: Door): PersonKind {
  return door === "operator" ? "staff" : "merchant";
}
