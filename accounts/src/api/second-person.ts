import { rights, type Right } from "../../../server/src/people/role.ts";
import { actDigest, needsSecondPerson } from "../../../server/src/people/second-person.ts";
import { deleteApproval } from "../approvals/approval.sql.ts";
import { findConfirmation } from "../approvals/find-confirmation.ts";
import type { Caller } from "../sessions/session.ts";
import { refuse, type Refusal } from "./refusal.ts";
import type { Call, Route } from "./route.ts";

/** Two-person rule for what accounts do themselves: the header `approval` names what somebody else has confirmed. */
export async function secondPersonRefusal(
  { method, path, who, environment }: Route,
  call: Call & { readonly caller: Caller | undefined },
  approvalId: unknown,
  request: unknown,
): Promise<Refusal | undefined> {
  if (method === "GET" || !isRight(who) || !needsSecondPerson(call.engine.secondPerson, who, request))
    return undefined;
  const { caller, now } = call;
  if (typeof approvalId !== "string" || !caller?.place) return refuse("SECOND_PERSON_NEEDED");
  const member = { ...caller, place: caller.place };
  const confirmed = await call.transaction(async (tx) => {
    const found = await findConfirmation(tx, member, { approvalId, environment, now });
    // Good once: what accounts do is not told apart by a request id.
    if (found) await deleteApproval(tx, approvalId);
    return found;
  });
  const asked = { act: `${method} ${path}`, place: caller.place.organisationId, request };
  const isThis = confirmed?.right === who && confirmed.digest === actDigest(asked);
  return isThis ? undefined : refuse("SECOND_PERSON_NEEDED");
}

function isRight(who: Route["who"]): who is Right {
  return Object.hasOwn(rights, who);
}
