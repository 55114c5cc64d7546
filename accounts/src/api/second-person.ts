import { rights, type Right } from "../../../server/src/people/role.ts";
import { actDigest, needsSecondPerson } from "../../../server/src/people/second-person.ts";
import { deleteApproval } from "../approvals/approval.sql.ts";
import { findConfirmation } from "../approvals/find-confirmation.ts";
import type { Caller } from "../sessions/session.ts";
import { refuse, type Refusal } from "./refusal.ts";
import type { Call, Route } from "./route.ts";

/**
 * Approval of what accounts do themselves: the header `approval` names a request that another person has approved. Refuses what the
 * operator's setting requires approval for; a route may require it as well, by what it finds (`Call.isApproved`).
 */
export async function checkApproval(
  route: Route,
  call: Admitted,
  approvalId: unknown,
  request: unknown,
): Promise<{ readonly isApproved: boolean } | Refusal> {
  const { method, who } = route;
  if (method === "GET" || !isRight(who)) return { isApproved: false };
  const isApproved = await spendApproval(route, call, approvalId, request);
  return !isApproved && needsSecondPerson(call.engine.secondPerson, who, request)
    ? refuse("SECOND_PERSON_NEEDED")
    : { isApproved };
}

type Admitted = Omit<Call, "isApproved"> & { readonly caller: Caller | undefined };

async function spendApproval(
  { method, path, who, environment }: Route,
  call: Admitted,
  approvalId: unknown,
  request: unknown,
): Promise<boolean> {
  const { caller, now } = call;
  if (typeof approvalId !== "string" || !caller?.place) return false;
  const member = { ...caller, place: caller.place };
  const confirmed = await call.transaction(async (tx) => {
    const found = await findConfirmation(tx, member, { approvalId, environment, now });
    // Good once: what accounts do is not told apart by a request id.
    if (found) await deleteApproval(tx, approvalId);
    return found;
  });
  const asked = { act: `${method} ${path}`, place: caller.place.organisationId, request };
  return confirmed?.right === who && confirmed.digest === actDigest(asked);
}

function isRight(who: Route["who"]): who is Right {
  return Object.hasOwn(rights, who);
}
