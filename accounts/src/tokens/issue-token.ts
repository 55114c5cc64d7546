import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { signPersonToken } from "../../../server/src/people/person-token.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { findApproval } from "../approvals/find-approval.ts";
import { Body, Environment, Time, TokenOrId } from "../api/schemas.ts";
import { isAllowedForStaff, authenticatedAt } from "../sessions/session.ts";
import { listClientIds } from "../organisations/client.sql.ts";

const lifetimeSeconds = 60;

/**
 * A token is valid for one minute. For this time it still works after the session has ended or the role has changed.
 */
export const issueToken = memberRoute({
  method: "POST",
  path: "/accounts/token",
  summary: "Issues a token for one environment, with person, organisation and role of the caller.",
  access: "member",
  request: Body({ environment: Environment, approvalId: Type.Optional(TokenOrId) }),
  response: Type.Object({ token: Type.String(), expiresAt: Time }),

  async handle(call, { environment, approvalId }) {
    const { caller, engine, read, now } = call;
    const { session, person, membership } = caller;
    if (environment === "live") {
      if (membership.kind === "merchant" && !membership.liveSince) return refuse("LIVE_NOT_OPEN");
      if (!isAllowedForStaff(session.method) && !engine.allowsLivePasswords) return refuse("PASSKEY_NEEDED");
    }
    const confirmed =
      approvalId === undefined
        ? undefined
        : await call.transaction((tx) => findApproval(tx, caller, { approvalId, environment, now }));
    if (approvalId !== undefined && !confirmed) return refuse("APPROVAL_NEEDED");
    const iat = Math.floor(now.getTime() / 1000);
    const exp = iat + lifetimeSeconds;
    const steppedUpAt = authenticatedAt(session, now);
    const stepUpAt = steppedUpAt && Math.floor(steppedUpAt.getTime() / 1000);
    const token = {
      iss: engine.siteUrls.portal,
      aud: engine.audiences[environment],
      sub: person.personId,
      organisation: membership.organisationId,
      kind: membership.kind,
      clientIds: await listClientIds(read, membership.organisationId, environment),
      role: membership.role,
      ...(stepUpAt !== undefined && { stepUpAt }),
      ...(confirmed && { confirmed }),
      iat,
      exp,
      jti: randomUUID(),
    };
    const expiresAt = new Date(exp * 1000).toISOString();
    return { answer: { token: signPersonToken(token, engine.tokenKey), expiresAt } };
  },
});
