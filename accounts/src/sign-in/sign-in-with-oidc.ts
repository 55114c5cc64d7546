import { generateRandomCodeVerifier, generateRandomNonce } from "oauth4webapi";
import { Type } from "typebox";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute, personalRoute, type Call, type RouteResult } from "../api/route.ts";
import { EmptyObject } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { countAttempt } from "../credentials/attempt-limit.sql.ts";
import { credentialChangeEmail } from "../mail/credential-emails.ts";
import { isEmail, toEmail } from "../people/person.ts";
import { findPerson, findPersonByEmail } from "../people/person.sql.ts";
import { beginSession, newToken, stepUpSession } from "../sessions/begin-session.tx.ts";
import type { Caller } from "../sessions/session.ts";
import type { Identity } from "../oidc/id-token.ts";
import type { IdentityProvider } from "../oidc/identity-provider.ts";
import {
  findLinkedPerson,
  findPersonOfSession,
  insertAttempt,
  insertIdentity,
  consumeAttempt,
  type OidcAttempt,
} from "./oidc.sql.ts";

const attemptLifetimeMs = 10 * 60_000;
const beginLimit = { attemptsMax: 100, withinMs: 15 * 60_000 };
const returnPath = "/accounts/oidc/return";

export const showSignInMethods = openRoute({
  method: "GET",
  path: "/accounts/ways-in",
  summary: "Additional sign-in methods: the name of the operator's identity provider, if one is configured.",
  request: EmptyObject,
  response: Type.Object({ oidc: Type.Optional(Type.String()) }),

  async handle({ engine }) {
    return { answer: engine.oidc ? { oidc: engine.oidc.name } : {} };
  },
});

export const beginOidc = openRoute({
  method: "POST",
  path: "/accounts/sign-in/oidc",
  summary: "Returns the URL to sign in at the operator's identity provider.",
  request: EmptyObject,
  response: Type.Object({ url: Type.String() }),

  async handle(call) {
    const { network, now } = call;
    const isWithinLimit = await call.transaction((tx) =>
      countAttempt(tx, `oidc from ${network}`, beginLimit, now),
    );
    return isWithinLimit ? beginAuthorization(call, undefined) : refuse("TRY_LATER");
  },
});

export const beginOidcStepUp = personalRoute({
  method: "POST",
  path: "/accounts/step-up/oidc",
  summary: "Returns the URL to re-authenticate at the identity provider.",
  access: "person",
  request: EmptyObject,
  response: Type.Object({ url: Type.String() }),

  async handle(call) {
    const { method, sessionId } = call.caller.session;
    // Re-authentication must use the method of the sign-in, so that it is not weaker.
    return method === "oidc" ? beginAuthorization(call, sessionId) : refuse("PASSKEY_NEEDED");
  },
});

/** The state is also in a cookie, so that only the browser that began the sign-in can complete it (login CSRF). */
async function beginAuthorization(
  call: Call,
  sessionId: string | undefined,
): Promise<RouteResult<{ url: string }>> {
  const { engine, now } = call;
  const { oidc } = engine;
  if (!oidc) return refuse("NOT_FOUND");
  const { token: state, tokenHash } = newToken();
  const [nonce, codeVerifier] = [generateRandomNonce(), generateRandomCodeVerifier()];
  const request = { redirectUri: engine.publicUrl + returnPath, state, nonce, codeVerifier };
  const url = await oidc.authorizationUrl(request, sessionId !== undefined);
  const attempt = { nonce, codeVerifier, sessionId, begunAt: now };
  const expiresAt = new Date(now.getTime() + attemptLifetimeMs);
  await call.transaction((tx) => insertAttempt(tx, tokenHash, attempt, expiresAt));
  return { answer: { url }, state };
}

/**
 * The browser returns from the provider with the state cookie. After every error it is redirected to a page of ours.
 */
export const returnFromOidc = openRoute({
  method: "GET",
  path: returnPath,
  summary: "The redirect URI of the identity provider.",
  request: Type.Object({
    state: Type.String({ pattern: "^[\\w-]{43}$" }),
    code: Type.Optional(Type.String({ maxLength: 4096 })),
    iss: Type.Optional(Type.String({ maxLength: 1000 })),
  }),
  response: EmptyObject,

  async handle(call, { state, code, iss }) {
    const { oidc, publicUrl } = call.engine;
    const refused = { answer: {}, redirect: "/sign-in?refused=OIDC_REFUSED", state: "none" } as const;
    // Mix-up attack: checked before the state is consumed, so that a response of another provider cannot end a
    // sign-in.
    const isOtherIssuer = iss !== undefined && iss !== oidc?.issuer;
    if (!oidc || call.state !== state || code === undefined || isOtherIssuer) return refused;
    const attempt = await call.transaction((tx) => consumeAttempt(tx, sha256(state), call.now));
    const response = new URLSearchParams({ state, code, ...(iss !== undefined && { iss }) });
    const request = attempt && { redirectUri: publicUrl + returnPath, state, ...attempt };
    const identity = request && (await oidc.identify(response, request));
    if (!identity) return refused;
    const cookie = await call.transaction((tx) =>
      attempt.sessionId === undefined
        ? signIn(tx, call, oidc, identity)
        : stepUp(tx, call, oidc, identity, { ...attempt, sessionId: attempt.sessionId }),
    );
    return cookie ? { answer: {}, cookie, redirect: "/", state: "none" } : refused;
  },
});

/**
 * `signIn` finds the person of the identity. The first sign-in links the identity by an address that the provider has
 * verified, in a configured domain.
 */
async function signIn(
  tx: Tx,
  call: Call & { readonly caller: Caller | undefined },
  oidc: IdentityProvider,
  identity: Identity,
): Promise<{ readonly token: string } | undefined> {
  const { now, network, browser, caller } = call;
  const { issuer } = oidc;
  const { subject } = identity;
  const linkedPersonId = await findLinkedPerson(tx, issuer, subject);
  const personId = linkedPersonId ?? (await findPersonOfIdentity(tx, oidc, identity));
  if (personId === undefined) return undefined;
  if (linkedPersonId === undefined) {
    if (!(await insertIdentity(tx, { issuer, subject, personId }, now))) return undefined;
    const to = (await findPerson(tx, personId))?.email;
    const change = { change: "oidc.link", at: now, network } as const;
    if (to !== undefined)
      call.sendAfterCommit([credentialChangeEmail(call.engine.publicUrl, { to, ...change })]);
  }
  const session = await beginSession(tx, call.engine.site, {
    personId,
    method: "oidc",
    now,
    network,
    browser,
    caller,
  });
  await insertAudit(tx, {
    actor: { kind: "person", name: personId, role: "none" },
    act: "sign-in",
    subject: personId,
    organisationId: session.organisationId,
    after: { method: "oidc", issuer, network, browser },
  });
  return session;
}

/** `findPersonOfIdentity` returns only people who are invited or members, because an identity provider grants no membership. */
async function findPersonOfIdentity(
  tx: Tx,
  { domains }: IdentityProvider,
  { email, isEmailVerified }: Identity,
): Promise<string | undefined> {
  const address = toEmail(email ?? "");
  const [, domain = ""] = address.split("@");
  if (!isEmailVerified || !isEmail(address) || !domains.includes(domain)) return undefined;
  return (await findPersonByEmail(tx, address))?.personId;
}

/** `stepUp` accepts an authentication by the same person that is newer than the request. */
async function stepUp(
  tx: Tx,
  { now }: Call,
  { issuer }: IdentityProvider,
  { subject, authenticatedAt }: Identity,
  { sessionId, begunAt }: OidcAttempt & { readonly sessionId: string },
): Promise<{ readonly token: string } | undefined> {
  const personId = await findPersonOfSession(tx, sessionId);
  const isSame = personId !== undefined && (await findLinkedPerson(tx, issuer, subject)) === personId;
  // The provider's time has whole seconds, so the same second counts as newer.
  const isFresh = authenticatedAt !== undefined && authenticatedAt.getTime() > begunAt.getTime() - 1_000;
  if (!isSame || !isFresh) return undefined;
  await insertAudit(tx, {
    actor: { kind: "person", name: personId, role: "none" },
    act: "step-up",
    subject: personId,
    after: { method: "oidc" },
  });
  return stepUpSession(tx, sessionId, now);
}
