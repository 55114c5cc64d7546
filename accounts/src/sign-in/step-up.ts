import { Type } from "typebox";
import { refuse } from "../api/refusal.ts";
import { personalRoute, type Call, type RouteResult } from "../api/route.ts";
import { Body, Code, EmptyObject, Opaque, Password } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { verifyPasskey, storeChallenge } from "../credentials/passkey-challenge.ts";
import {
  verifyPasswordAndCode,
  uncountSessionAttempt,
  countSessionAttempt,
} from "../credentials/verify-password.ts";
import { listPasskeys } from "../credentials/passkey.sql.ts";
import { findPassword, markStepUsed } from "../credentials/password.sql.ts";
import { requestOptions } from "../credentials/webauthn.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { stepUpSession } from "../sessions/begin-session.tx.ts";
import { actorOf, isAllowedForStaff, type Caller } from "../sessions/session.ts";

export const stepUpWithPassword = personalRoute({
  method: "POST",
  path: "/accounts/step-up/password",
  sites: ["portal"],
  summary: "Re-authenticates with password and code.",
  access: "person",
  request: Body({ password: Password, code: Code }),
  response: EmptyObject,

  async handle(call, request) {
    const { caller } = call;
    const { personId } = caller.person;
    // Re-authentication must use the method of the sign-in, so that it is not weaker.
    if (isAllowedForStaff(caller.session.method)) return refuse("PASSKEY_NEEDED");
    if (!(await countSessionAttempt(call))) return refuse("TRY_LATER");
    const stored = await findPassword(call.read, personId);
    const step = await verifyPasswordAndCode(call, stored, request);
    return call.transaction(async (tx) => {
      if (step === undefined || !(await markStepUsed(tx, personId, step))) {
        await auditStepUp(tx, caller, "step-up.refuse");
        return refuse("SIGN_IN_FAILED");
      }
      await uncountSessionAttempt(tx, call);
      return stepUp(tx, call);
    });
  },
});

export const beginPasskeyStepUp = personalRoute({
  method: "POST",
  path: "/accounts/step-up/passkey/begin",
  summary: "Returns the browser options to re-authenticate with a passkey.",
  access: "person",
  request: EmptyObject,
  response: Type.Object({ options: Opaque }),

  async handle(call) {
    const { person, session } = call.caller;
    const { engine } = call;
    const options = await requestOptions(engine, await listPasskeys(call.read, person.personId, engine.site));
    await storeChallenge(call, options.challenge, { purpose: "step-up", sessionId: session.sessionId });
    return { answer: { options } };
  },
});

export const stepUpWithPasskey = personalRoute({
  method: "POST",
  path: "/accounts/step-up/passkey",
  summary: "Re-authenticates with a passkey.",
  access: "person",
  request: Body({ response: Opaque }),
  response: EmptyObject,

  async handle(call, { response }) {
    const { caller } = call;
    const { sessionId } = caller.session;
    const passkey = await verifyPasskey(call, response, { purpose: "step-up", sessionId });
    // Another person's passkey does not re-authenticate this person.
    const isOwn = passkey?.personId === caller.person.personId;
    return call.transaction(async (tx) => {
      if (isOwn) return stepUp(tx, call);
      await auditStepUp(tx, caller, "step-up.refuse");
      return refuse("PASSKEY_REFUSED");
    });
  },
});

async function stepUp(
  tx: Tx,
  { caller, now }: Call & { readonly caller: Caller },
): Promise<RouteResult<object>> {
  const cookie = await stepUpSession(tx, caller.session.sessionId, now);
  if (!cookie) return refuse("NOT_SIGNED_IN");
  await auditStepUp(tx, caller, "step-up");
  return { answer: {}, cookie };
}

async function auditStepUp(tx: Tx, caller: Caller, act: "step-up" | "step-up.refuse"): Promise<void> {
  const organisationId = caller.membership?.organisationId;
  await insertAudit(tx, { actor: actorOf(caller), act, subject: caller.person.personId, organisationId });
}
