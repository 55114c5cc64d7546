import { Type } from "typebox";
import { refuse } from "../api/refusal.ts";
import { personalRoute } from "../api/route.ts";
import { Body, CredentialId, Name, EmptyObject, Opaque, Time } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { lockPerson } from "../people/person.sql.ts";
import { actorOf, isSettingUp } from "../sessions/session.ts";
import { deleteOtherSessions } from "../sessions/session.sql.ts";
import { storeChallenge, consumeAnsweredChallenge } from "./passkey-challenge.ts";
import { completeSetUp, isSetUpStale } from "./finish-set-up.tx.ts";
import { deletePasskey, insertPasskey, listPasskeys } from "./passkey.sql.ts";
import { findPassword } from "./password.sql.ts";
import { notifyCredentialChange } from "./notify-credential-change.ts";
import { creationOptions, verifyCreation } from "./webauthn.ts";

const passkeysMax = 20;

export const beginPasskeyCreation = personalRoute({
  method: "POST",
  path: "/accounts/passkeys/begin",
  summary: "Returns the browser options to create a passkey.",
  access: "newcomer",
  stepUp: true,
  request: EmptyObject,
  response: Type.Object({ options: Opaque }),

  async handle(call) {
    const { person, session } = call.caller;
    const existing = await listPasskeys(call.read, person.personId, call.engine.site);
    if (existing.length >= passkeysMax) return refuse("TOO_MANY");
    const options = await creationOptions(call.engine, person, existing);
    await storeChallenge(call, options.challenge, { purpose: "add", sessionId: session.sessionId });
    return { answer: { options } };
  },
});

export const addPasskey = personalRoute({
  method: "POST",
  path: "/accounts/passkeys/add",
  summary: "Adds a passkey that the browser has created.",
  access: "newcomer",
  stepUp: true,
  request: Body({ name: Name, response: Opaque }),
  response: EmptyObject,

  async handle(call, { name, response }) {
    const { caller, now } = call;
    const { site } = call.engine;
    const { personId } = caller.person;
    const purpose = { purpose: "add", sessionId: caller.session.sessionId } as const;
    const challenge = await consumeAnsweredChallenge(call, response, purpose);
    const credential = challenge && (await verifyCreation(call.engine, response, challenge));
    if (!credential) return refuse("PASSKEY_REFUSED");
    return call.transaction(async (tx) => {
      if (await isSetUpStale(tx, call)) return refuse("SIGN_IN_FIRST");
      if (!(await insertPasskey(tx, { ...credential, personId, site, name }, now)))
        return refuse("PASSKEY_REFUSED");
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "passkey.add",
        subject: credential.credentialId,
        organisationId: caller.membership?.organisationId,
        after: { name },
      });
      await notifyCredentialChange(tx, call, "passkey.add");
      if (!isSettingUp(caller.session)) return { answer: {} };
      const { credentialId } = credential;
      return {
        answer: {},
        cookie: await completeSetUp(tx, call, { method: "passkey", newCredential: { credentialId } }),
      };
    });
  },
});

export const listOwnPasskeys = personalRoute({
  method: "GET",
  path: "/accounts/passkeys",
  summary: "The caller's passkeys.",
  access: "person",
  request: EmptyObject,
  response: Type.Object({
    passkeys: Type.Array(
      Type.Object({
        credentialId: Type.String(),
        name: Type.String(),
        createdAt: Time,
        usedAt: Type.Optional(Time),
      }),
    ),
  }),

  async handle({ caller, engine, read }) {
    const passkeys = await listPasskeys(read, caller.person.personId, engine.site);
    return {
      answer: {
        passkeys: passkeys.map(({ credentialId, name, createdAt, usedAt }) => ({
          credentialId,
          name,
          createdAt: createdAt.toISOString(),
          ...(usedAt && { usedAt: usedAt.toISOString() }),
        })),
      },
    };
  },
});

export const removePasskey = personalRoute({
  method: "POST",
  path: "/accounts/passkeys/remove",
  summary: "Removes a passkey of the caller, and ends its other sessions.",
  access: "person",
  stepUp: true,
  request: Body({ credentialId: CredentialId }),
  response: EmptyObject,

  async handle(call, { credentialId }) {
    const { caller } = call;
    const { site } = call.engine;
    const { personId } = caller.person;
    return call.transaction(async (tx) => {
      await lockPerson(tx, personId);
      const passkeys = await listPasskeys(tx, personId, site);
      if (!passkeys.some((passkey) => passkey.credentialId === credentialId)) return refuse("NOT_FOUND");
      const hasOther = passkeys.length > 1 || (site === "portal" && (await findPassword(tx, personId)));
      if (!hasOther) return refuse("LAST_CREDENTIAL");
      await deletePasskey(tx, personId, credentialId);
      await deleteOtherSessions(tx, personId, caller.session.sessionId);
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "passkey.remove",
        subject: credentialId,
        organisationId: caller.membership?.organisationId,
      });
      await notifyCredentialChange(tx, call, "passkey.remove");
      return { answer: {} };
    });
  },
});
