import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import { unwrap, wrap } from "../../../server/src/signing/wrapping.ts";
import { refuse } from "../api/refusal.ts";
import { personalRoute } from "../api/route.ts";
import { Body, Code, EmptyObject, Password } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { actorOf } from "../sessions/session.ts";
import {
  uncountSessionAttempt,
  countSessionAttempt,
  otpAdditionalData,
  registerKnownDevice,
} from "./verify-password.ts";
import { completeSetUp, isSetUpStale } from "./finish-set-up.tx.ts";
import { hashPassword, passwordProblem } from "./password.ts";
import { findPasswordDraft, savePasswordDraft, setPassword } from "./password.sql.ts";
import { notifyCredentialChange } from "./notify-credential-change.ts";
import { otpUri, secretBytes, stepOf } from "./totp.ts";
import { toBase32 } from "../base32.ts";

/** A password always requires an authenticator app. The first code of the app confirms both. */
export const beginPassword = personalRoute({
  method: "POST",
  path: "/accounts/password/begin",
  sites: ["portal"],
  summary: "Chooses a password, and returns a secret for an authenticator app.",
  access: "newcomer",
  stepUp: true,
  request: Body({ password: Password }),
  response: Type.Object({ secret: Type.String(), uri: Type.String() }),

  async handle(call, { password }) {
    const { engine, caller } = call;
    const { personId, email } = caller.person;
    const { name } = caller.person;
    const organisation = caller.membership?.organisation ?? "";
    const problem = await passwordProblem(password, { email, name, organisation });
    if (problem) return refuse("PASSWORD_WEAK", problem);
    const organisations = await listOwnOrganisations(call.read, personId);
    if (organisations.some(({ kind }) => kind === "staff")) return refuse("PASSKEY_NEEDED");
    const secret = randomBytes(secretBytes);
    const wrappedOtp = wrap(secret, engine.wrappingKey, otpAdditionalData(personId));
    const hash = await hashPassword(password);
    await call.transaction((tx) => savePasswordDraft(tx, caller.session.sessionId, { hash, wrappedOtp }));
    const uri = otpUri(secret, { issuer: "Tollgate", account: email });
    return { answer: { secret: toBase32(secret), uri } };
  },
});

export const confirmPassword = personalRoute({
  method: "POST",
  path: "/accounts/password/confirm",
  sites: ["portal"],
  summary: "Sets the chosen password, confirmed by the first code of the authenticator app.",
  access: "newcomer",
  stepUp: true,
  request: Body({ code: Code }),
  response: EmptyObject,

  async handle(call, { code }) {
    const { engine, now, caller } = call;
    const { personId } = caller.person;
    if (!(await countSessionAttempt(call))) return refuse("TRY_LATER");
    return call.transaction(async (tx) => {
      const draft = await findPasswordDraft(tx, caller.session.sessionId);
      if (!draft) return refuse("NOT_FOUND", "Choose a password first.");
      const step = stepOf(
        unwrap(draft.wrappedOtp, engine.wrappingKey, otpAdditionalData(personId)),
        code,
        now,
      );
      if (step === undefined) return refuse("CODE_WRONG");
      if (await isSetUpStale(tx, call)) return refuse("SIGN_IN_FIRST");
      await uncountSessionAttempt(tx, call);
      await setPassword(tx, caller.session.sessionId, { personId, ...draft }, { step, now });
      const organisationId = caller.membership?.organisationId;
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "password.set",
        subject: personId,
        organisationId,
      });
      await notifyCredentialChange(tx, call, "password.set");
      const cookie = await completeSetUp(tx, call, { method: "password", newCredential: "password" });
      return { answer: {}, cookie, device: await registerKnownDevice(tx, call, personId) };
    });
  },
});
