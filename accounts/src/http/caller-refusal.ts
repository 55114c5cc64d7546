import { decidePermission, stepUpSecondsMax } from "../../../server/src/people/role.ts";
import { isSettingUp, mayAct, authenticatedAt, type Caller } from "../sessions/session.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import type { Route } from "../api/route.ts";

/**
 * `callerRefusal` returns the reason why this caller may not use this route now, or undefined. The first matching
 * line wins.
 */
export function callerRefusal(
  { access, stepUp, environment }: Pick<Route, "access" | "stepUp" | "environment">,
  caller: Caller | undefined,
  now: Date,
): Refusal | undefined {
  const nowMs = now.getTime();
  if (access === "anyone") return undefined;
  if (!caller) return refuse("NOT_SIGNED_IN");
  const { session, membership } = caller;
  const steppedUpAt = authenticatedAt(session, now);
  if (isSettingUp(session)) return access === "newcomer" ? undefined : refuse("SET_UP_FIRST");
  if (access === "newcomer" || access === "person")
    return stepUp && !isFresh(steppedUpAt, nowMs) ? refuse("STEP_UP_NEEDED") : undefined;

  if (!membership) return refuse("ORGANISATION_NEEDED");
  if (!mayAct(session.method, membership.kind)) return refuse("PASSKEY_NEEDED");
  if (access === "member") return undefined;
  const stepUpAt = steppedUpAt && steppedUpAt.getTime() / 1000;
  const verdict = decidePermission({ role: membership.role, stepUpAt }, access, { environment, nowMs });
  if (verdict === "denied") return refuse("NOT_ALLOWED");
  return verdict === "step up" ? refuse("STEP_UP_NEEDED") : undefined;
}

function isFresh(steppedUpAt: Date | undefined, nowMs: number): boolean {
  return steppedUpAt !== undefined && nowMs - steppedUpAt.getTime() <= stepUpSecondsMax * 1000;
}
