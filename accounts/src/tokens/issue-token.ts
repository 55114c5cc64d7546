import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { signPersonToken } from "../../../server/src/people/person-token.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { findConfirmation } from "../approvals/find-confirmation.ts";
import { Body, Environment, Time, Word } from "../api/schemas.ts";
import { isStrong, provenAt } from "../sessions/session.ts";
import { listClientIds } from "../organisations/client.sql.ts";

const lifetimeSeconds = 60;

/** A token vouches for a minute: so long may somebody go on whose session or role has just ended. */
export const issueToken = memberRoute({
  method: "POST",
  path: "/accounts/token",
  summary: "A token for one environment: who the caller is, for whom it acts, and in which role.",
  who: "member",
  request: Body({ environment: Environment, approvalId: Type.Optional(Word) }),
  response: Type.Object({ token: Type.String(), expiresAt: Time }),

  async handle(call, { environment, approvalId }) {
    const { caller, engine, read, now } = call;
    const { session, person, place } = caller;
    if (environment === "live") {
      if (place.kind === "merchant" && !place.liveSince) return refuse("LIVE_NOT_OPEN");
      if (!isStrong(session.method) && !engine.allowsLivePasswords) return refuse("PASSKEY_NEEDED");
    }
    const confirmed =
      approvalId === undefined
        ? undefined
        : await call.transaction((tx) => findConfirmation(tx, caller, { approvalId, environment, now }));
    if (approvalId !== undefined && !confirmed) return refuse("SECOND_PERSON_NEEDED");
    const iat = Math.floor(now.getTime() / 1000);
    const exp = iat + lifetimeSeconds;
    const steppedUpAt = provenAt(session, now);
    const stepUpAt = steppedUpAt && Math.floor(steppedUpAt.getTime() / 1000);
    const token = {
      iss: engine.urls.portal,
      aud: engine.audiences[environment],
      sub: person.personId,
      organisation: place.organisationId,
      kind: place.kind,
      clientIds: await listClientIds(read, place.organisationId, environment),
      role: place.role,
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
