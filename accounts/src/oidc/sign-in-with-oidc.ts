import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute, personalRoute, type Call, type Handled } from "../api/route.ts";
import { Nothing } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { takeTry } from "../credentials/tries.sql.ts";
import { credentialLetter } from "../mail/credential-letters.ts";
import { isEmail, toEmail } from "../people/person.ts";
import { findPerson, findPersonByEmail } from "../people/person.sql.ts";
import { beginSession, newToken, stepUpSession } from "../sessions/begin-session.tx.ts";
import type { Caller } from "../sessions/session.ts";
import { keyIdOf, readIdToken, type Identity } from "./id-token.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import {
  findLinked,
  findPersonOfSession,
  insertAttempt,
  insertIdentity,
  takeAttempt,
  type Attempt,
} from "./oidc.sql.ts";

const lastsMs = 10 * 60_000;
const beginLimit = { most: 100, withinMs: 15 * 60_000 };
const returnPath = "/accounts/oidc/return";

export const showWaysIn = openRoute({
  method: "GET",
  path: "/accounts/ways-in",
  summary:
    "How one can sign in here beside passkeys and passwords: the name of the operator's identity provider, if there is one.",
  request: Nothing,
  response: Type.Object({ oidc: Type.Optional(Type.String()) }),

  async handle({ engine }) {
    return { answer: engine.oidc ? { oidc: engine.oidc.name } : {} };
  },
});

export const beginOidc = openRoute({
  method: "POST",
  path: "/accounts/sign-in/oidc",
  summary: "Where the browser goes to sign in with the operator's identity provider.",
  request: Nothing,
  response: Type.Object({ url: Type.String() }),

  async handle(call) {
    const { network, now } = call;
    const mayTry = await call.transaction((tx) => takeTry(tx, `oidc from ${network}`, beginLimit, now));
    return mayTry ? begin(call, undefined) : refuse("TRY_LATER");
  },
});

export const beginOidcStepUp = personalRoute({
  method: "POST",
  path: "/accounts/step-up/oidc",
  summary: "Where the browser goes to prove once more, at the identity provider, that it is the same person.",
  who: "person",
  request: Nothing,
  response: Type.Object({ url: Type.String() }),

  async handle(call) {
    const { method, sessionId } = call.caller.session;
    // A step-up is no weaker than the sign-in was.
    return method === "oidc" ? begin(call, sessionId) : refuse("PASSKEY_NEEDED");
  },
});

/** Authorization code flow with state, nonce and PKCE; the state is also in a cookie, so that it is the same browser that comes back. */
async function begin(call: Call, sessionId: string | undefined): Promise<Handled<{ url: string }>> {
  const { engine, now } = call;
  const { oidc } = engine;
  if (!oidc) return refuse("NOT_FOUND");
  const { token: state, tokenHash } = newToken();
  const [nonce, codeVerifier] = [random(), random()];
  const url = new URL(await oidc.authorizationEndpoint());
  const asked = {
    response_type: "code",
    client_id: oidc.clientId,
    redirect_uri: engine.publicUrl + returnPath,
    scope: "openid email",
    state,
    nonce,
    code_challenge: sha256(codeVerifier).toString("base64url"),
    code_challenge_method: "S256",
    ...(sessionId !== undefined && { prompt: "login", max_age: "0" }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const attempt = { nonce, codeVerifier, sessionId, begunAt: now };
  const expiresAt = new Date(now.getTime() + lastsMs);
  await call.transaction((tx) => insertAttempt(tx, tokenHash, attempt, expiresAt));
  return { answer: { url: url.href }, state };
}

function random(): string {
  return randomBytes(32).toString("base64url");
}

/** The browser comes from another site, with what was begun in its cookie. Whatever goes wrong, it ends on a page of ours. */
export const returnFromOidc = openRoute({
  method: "GET",
  path: returnPath,
  summary: "Where the identity provider sends the browser back to.",
  request: Type.Object({
    state: Type.String({ pattern: "^[\\w-]{43}$" }),
    code: Type.Optional(Type.String({ maxLength: 4096 })),
    iss: Type.Optional(Type.String({ maxLength: 1000 })),
  }),
  response: Nothing,

  async handle(call, { state, code, iss }) {
    const { oidc } = call.engine;
    const refused = { answer: {}, redirect: "/sign-in?refused=OIDC_REFUSED", state: "none" } as const;
    if (!oidc || call.state !== state || code === undefined || (iss !== undefined && iss !== oidc.issuer))
      return refused;
    const attempt = await call.transaction((tx) => takeAttempt(tx, sha256(state), call.now));
    const identity = attempt && (await identityFor(call, oidc, code, attempt));
    if (!identity) return refused;
    const cookie = await call.transaction((tx) =>
      attempt.sessionId === undefined
        ? signIn(tx, call, oidc, identity)
        : stepUp(tx, call, oidc, identity, { ...attempt, sessionId: attempt.sessionId }),
    );
    return cookie ? { answer: {}, cookie, redirect: "/", state: "none" } : refused;
  },
});

async function identityFor(
  { engine, now }: Call,
  oidc: IdentityProvider,
  code: string,
  { codeVerifier, nonce }: Attempt,
): Promise<Identity | undefined> {
  const idToken = await oidc.exchange(code, codeVerifier, engine.publicUrl + returnPath);
  const { issuer, clientId } = oidc;
  return idToken === undefined
    ? undefined
    : readIdToken(idToken, await oidc.keys(keyIdOf(idToken)), { issuer, clientId, nonce, now });
}

/** The person whom the provider means; at the first time by an address that it has verified, of a domain that is its own. */
async function signIn(
  tx: Tx,
  call: Call & { readonly caller: Caller | undefined },
  oidc: IdentityProvider,
  identity: Identity,
): Promise<{ readonly token: string } | undefined> {
  const { now, network, browser, caller } = call;
  const { issuer } = oidc;
  const { subject } = identity;
  const linked = await findLinked(tx, issuer, subject);
  const personId = linked ?? (await personBehind(tx, oidc, identity));
  if (personId === undefined) return undefined;
  if (linked === undefined) {
    if (!(await insertIdentity(tx, { issuer, subject, personId }, now))) return undefined;
    const to = (await findPerson(tx, personId))?.email;
    const change = { change: "oidc.link", at: now, network } as const;
    if (to !== undefined) call.tell([credentialLetter(call.engine.publicUrl, { to, ...change })]);
  }
  const begun = await beginSession(tx, call.engine.door, {
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
    organisationId: begun.organisationId,
    after: { method: "oidc", issuer, network, browser },
  });
  return begun;
}

/** Only people who are known here: an identity provider gives nobody a membership. */
async function personBehind(
  tx: Tx,
  { domains }: IdentityProvider,
  { email, isEmailVerified }: Identity,
): Promise<string | undefined> {
  const address = toEmail(email ?? "");
  const [, domain = ""] = address.split("@");
  if (!isEmailVerified || !isEmail(address) || !domains.includes(domain)) return undefined;
  return (await findPersonByEmail(tx, address))?.personId;
}

/** Proved after it was asked for, by the same person. */
async function stepUp(
  tx: Tx,
  { now }: Call,
  { issuer }: IdentityProvider,
  { subject, provenAt }: Identity,
  { sessionId, begunAt }: Attempt & { readonly sessionId: string },
): Promise<{ readonly token: string } | undefined> {
  const personId = await findPersonOfSession(tx, sessionId);
  const isSame = personId !== undefined && (await findLinked(tx, issuer, subject)) === personId;
  // Whole seconds there: it may have been the same one.
  const isFresh = provenAt !== undefined && provenAt.getTime() > begunAt.getTime() - 1_000;
  if (!isSame || !isFresh) return undefined;
  await insertAudit(tx, {
    actor: { kind: "person", name: personId, role: "none" },
    act: "step-up",
    subject: personId,
    after: { method: "oidc" },
  });
  return stepUpSession(tx, sessionId, now);
}
