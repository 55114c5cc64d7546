import { setTimeout as rest } from "node:timers/promises";
import { Type } from "typebox";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute, type Call } from "../api/route.ts";
import { Body, Code, Email, Nothing, Opaque, Password } from "../api/schemas.ts";
import { unauthenticatedActor } from "../audit/audit.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { provenPasskey, rememberChallenge } from "../credentials/answer-challenge.ts";
import {
  verifyPasswordAndCode,
  forgetSignInTry,
  maySignIn,
  rememberDevice,
} from "../credentials/check-password.ts";
import { findPasswordByEmail, takeStep } from "../credentials/password.sql.ts";
import { countAttempt } from "../credentials/attempt-limit.sql.ts";
import { requestOptions } from "../credentials/webauthn.ts";
import { toEmail } from "../people/person.ts";
import { beginSession } from "../sessions/begin-session.tx.ts";
import type { Caller, Method } from "../sessions/session.ts";

/** Password and code are sent together, so that a refusal does not reveal which of them was wrong. */
export const signInWithPassword = openRoute({
  method: "POST",
  path: "/accounts/sign-in/password",
  doors: ["portal"],
  summary: "Signs in with a password and a code.",
  request: Body({ email: Email, password: Password, code: Code }),
  response: Nothing,

  async handle(call, request) {
    const beganAtMs = performance.now();
    const email = toEmail(request.email);
    if (!(await maySignIn(call, email))) return refuse("TRY_LATER");
    const stored = await findPasswordByEmail(call.read, email);
    const step = await verifyPasswordAndCode(call, stored, request);
    const done = await call.transaction(async (tx) => {
      if (stored && step !== undefined && (await takeStep(tx, stored.personId, step))) {
        const { personId } = stored;
        await forgetSignInTry(tx, call, email);
        const device = await rememberDevice(tx, call, personId);
        return { cookie: await signedIn(tx, call, personId, "password"), device };
      }
      // The audit row is written for unknown addresses too, so that a known and an unknown address take the same time.
      const subject = stored?.personId ?? "unknown";
      await insertAudit(tx, {
        actor: unauthenticatedActor,
        act: "sign-in.refuse",
        subject,
        after: where(call),
      });
      return undefined;
    });
    if (done) return { answer: {}, ...done };
    await untilTold(beganAtMs);
    return refuse("SIGN_IN_FAILED");
  },
});

/**
 * Responses are sent at multiples of this interval. It is several times the duration of an attempt, so that the
 * duration does not decide the response time.
 */
const toldEveryMs = 250;

/**
 * Timing attack (account enumeration): a sign-in attempt for an existing account takes half a millisecond longer. So
 * all responses are sent at fixed intervals.
 */
async function untilTold(beganAtMs: number): Promise<void> {
  const tookMs = performance.now() - beganAtMs;
  await rest(Math.ceil(tookMs / toldEveryMs) * toldEveryMs - tookMs);
}

const challengeLimit = { most: 200, withinMs: 15 * 60_000 };

export const askToSignIn = openRoute({
  method: "POST",
  path: "/accounts/sign-in/passkey/begin",
  summary: "Returns the browser options to sign in with a passkey. They are the same for all people.",
  request: Nothing,
  response: Type.Object({ options: Opaque }),

  async handle(call) {
    const { network, now } = call;
    const mayAsk = await call.transaction((tx) =>
      countAttempt(tx, `challenge to ${network}`, challengeLimit, now),
    );
    if (!mayAsk) return refuse("TRY_LATER");
    const options = await requestOptions(call.engine, []);
    await rememberChallenge(call, options.challenge, { purpose: "sign-in", sessionId: undefined });
    return { answer: { options } };
  },
});

export const signInWithPasskey = openRoute({
  method: "POST",
  path: "/accounts/sign-in/passkey",
  summary: "Signs in with a passkey.",
  request: Body({ response: Opaque }),
  response: Nothing,

  async handle(call, { response }) {
    const passkey = await provenPasskey(call, response, { purpose: "sign-in", sessionId: undefined });
    // A refusal writes no audit row: a passkey cannot be guessed, and unauthenticated clients would fill the log.
    if (!passkey) return refuse("PASSKEY_REFUSED");
    const { personId } = passkey;
    const cookie = await call.transaction((tx) => signedIn(tx, call, personId, "passkey"));
    return { answer: {}, cookie };
  },
});

async function signedIn(
  tx: Tx,
  call: Call & { readonly caller: Caller | undefined },
  personId: string,
  method: Method,
): Promise<{ readonly token: string }> {
  const { now, network, browser, caller } = call;
  const actor = { kind: "person", name: personId, role: "none" } as const;
  const begun = await beginSession(tx, call.engine.door, { personId, method, now, network, browser, caller });
  const after = { method, ...where(call) };
  const { organisationId } = begun;
  await insertAudit(tx, { actor, act: "sign-in", subject: personId, organisationId, after });
  return begun;
}

function where({ network, browser }: Call): { readonly network: string; readonly browser: string } {
  return { network, browser };
}
