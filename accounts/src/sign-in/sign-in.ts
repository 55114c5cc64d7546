import { setTimeout as rest } from "node:timers/promises";
import { Type } from "typebox";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute, type Call } from "../api/route.ts";
import { Body, Code, Email, EmptyObject, Opaque, Password } from "../api/schemas.ts";
import { unauthenticatedActor } from "../audit/audit-entry.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { verifyPasskey, storeChallenge } from "../credentials/passkey-challenge.ts";
import {
  verifyPasswordAndCode,
  uncountSignInAttempt,
  countSignInAttempt,
  registerKnownDevice,
} from "../credentials/verify-password.ts";
import { findPasswordByEmail, markStepUsed } from "../credentials/password.sql.ts";
import { countAttempt } from "../credentials/attempt-limit.sql.ts";
import { requestOptions } from "../credentials/webauthn.ts";
import { toEmail } from "../people/person.ts";
import { beginSession } from "../sessions/begin-session.tx.ts";
import type { Caller, Method } from "../sessions/session.ts";

/** Password and code are sent together, so that a refusal does not reveal which of them was wrong. */
export const signInWithPassword = openRoute({
  method: "POST",
  path: "/accounts/sign-in/password",
  sites: ["portal"],
  summary: "Signs in with a password and a code.",
  request: Body({ email: Email, password: Password, code: Code }),
  response: EmptyObject,

  async handle(call, request) {
    const beganAtMs = performance.now();
    const email = toEmail(request.email);
    if (!(await countSignInAttempt(call, email))) return refuse("TRY_LATER");
    const stored = await findPasswordByEmail(call.read, email);
    const step = await verifyPasswordAndCode(call, stored, request);
    const signIn = await call.transaction(async (tx) => {
      if (stored && step !== undefined && (await markStepUsed(tx, stored.personId, step))) {
        const { personId } = stored;
        await uncountSignInAttempt(tx, call, email);
        const device = await registerKnownDevice(tx, call, personId);
        return { cookie: await startAuditedSession(tx, call, personId, "password"), device };
      }
      // The audit row is written for unknown addresses too, so that a known and an unknown address take the same time.
      const subject = stored?.personId ?? "unknown";
      await insertAudit(tx, {
        actor: unauthenticatedActor,
        act: "sign-in.refuse",
        subject,
        after: originOf(call),
      });
      return undefined;
    });
    if (signIn) return { answer: {}, ...signIn };
    await waitForNextInterval(beganAtMs);
    return refuse("SIGN_IN_FAILED");
  },
});

/**
 * Responses are sent at multiples of this interval. It is several times the duration of an attempt, so that the
 * duration does not decide the response time.
 */
const responseIntervalMs = 250;

/**
 * Timing attack (account enumeration): a sign-in attempt for an existing account takes half a millisecond longer. So
 * all responses are sent at fixed intervals.
 */
async function waitForNextInterval(beganAtMs: number): Promise<void> {
  const tookMs = performance.now() - beganAtMs;
  await rest(Math.ceil(tookMs / responseIntervalMs) * responseIntervalMs - tookMs);
}

const challengeLimit = { attemptsMax: 200, withinMs: 15 * 60_000 };

export const beginPasskeySignIn = openRoute({
  method: "POST",
  path: "/accounts/sign-in/passkey/begin",
  summary: "Returns the browser options to sign in with a passkey. They are the same for all people.",
  request: EmptyObject,
  response: Type.Object({ options: Opaque }),

  async handle(call) {
    const { network, now } = call;
    const isWithinLimit = await call.transaction((tx) =>
      countAttempt(tx, `challenge to ${network}`, challengeLimit, now),
    );
    if (!isWithinLimit) return refuse("TRY_LATER");
    const options = await requestOptions(call.engine, []);
    await storeChallenge(call, options.challenge, { purpose: "sign-in", sessionId: undefined });
    return { answer: { options } };
  },
});

export const signInWithPasskey = openRoute({
  method: "POST",
  path: "/accounts/sign-in/passkey",
  summary: "Signs in with a passkey.",
  request: Body({ response: Opaque }),
  response: EmptyObject,

  async handle(call, { response }) {
    const passkey = await verifyPasskey(call, response, { purpose: "sign-in", sessionId: undefined });
    // A refusal writes no audit row: a passkey cannot be guessed, and unauthenticated clients would fill the log.
    if (!passkey) return refuse("PASSKEY_REFUSED");
    const { personId } = passkey;
    const cookie = await call.transaction((tx) => startAuditedSession(tx, call, personId, "passkey"));
    return { answer: {}, cookie };
  },
});

async function startAuditedSession(
  tx: Tx,
  call: Call & { readonly caller: Caller | undefined },
  personId: string,
  method: Method,
): Promise<{ readonly token: string }> {
  const { now, network, browser, caller } = call;
  const actor = { kind: "person", name: personId, role: "none" } as const;
  const session = await beginSession(tx, call.engine.site, {
    personId,
    method,
    now,
    network,
    browser,
    caller,
  });
  const after = { method, ...originOf(call) };
  const { organisationId } = session;
  await insertAudit(tx, { actor, act: "sign-in", subject: personId, organisationId, after });
  return session;
}

function originOf({ network, browser }: Call): { readonly network: string; readonly browser: string } {
  return { network, browser };
}
