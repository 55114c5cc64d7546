import type { KnownKey } from "./id-token.ts";

/** The operator's own identity provider, as it is configured. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What the button calls it. */
  readonly name: string;
  /** The domains whose addresses it may vouch for. */
  readonly domains: readonly string[];
}

export interface IdentityProvider extends OidcSettings {
  /** Where a browser is sent. */
  authorizationEndpoint(): Promise<string>;
  /** The id token for a code; undefined when the provider gives none. */
  exchange(code: string, codeVerifier: string, redirectUri: string): Promise<string | undefined>;
  keys(): Promise<readonly KnownKey[]>;
}

const timeoutMs = 5_000;
const bytesMax = 256 * 1024;
const keptMs = 10 * 60_000;

interface Discovered {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
}

/** Asked when it is needed, and not at the start: accounts have to start while it is down. */
export function openIdentityProvider(settings: OidcSettings): IdentityProvider {
  const { issuer, clientId, clientSecret } = settings;
  const discovered = kept(async () => {
    const found = (await getJson(
      `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    )) as Discovered;
    // Mix-up: a document of somebody else's would lead the code there.
    if (found.issuer !== issuer) throw new Error("The identity provider calls itself by another name.");
    return found;
  });
  const keys = kept(async () => {
    const { keys: found } = (await getJson((await discovered()).jwks_uri)) as { readonly keys: KnownKey[] };
    return found;
  });
  return {
    ...settings,
    keys,
    authorizationEndpoint: async () => (await discovered()).authorization_endpoint,
    async exchange(code, codeVerifier, redirectUri) {
      const secret = [clientId, clientSecret].map(encodeURIComponent).join(":");
      const answer = await fetch((await discovered()).token_endpoint, {
        method: "POST",
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
        headers: { authorization: `Basic ${Buffer.from(secret).toString("base64")}` },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code,
          code_verifier: codeVerifier,
          redirect_uri: redirectUri,
        }),
      });
      if (!answer.ok) return undefined;
      const { id_token: idToken } = (await jsonOf(answer)) as { readonly id_token?: unknown };
      return typeof idToken === "string" ? idToken : undefined;
    },
  };
}

/** A short cache: keys are rotated while we run. What failed is asked again. */
function kept<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly value: Promise<Value>; readonly untilMs: number } | undefined;
  return async () => {
    if (last && performance.now() < last.untilMs) return last.value;
    const value = ask();
    last = { value, untilMs: performance.now() + keptMs };
    value.catch(() => {
      last = undefined;
    });
    return value;
  };
}

async function getJson(url: string): Promise<unknown> {
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) throw new Error(`The identity provider answered ${answer.status}.`);
  return jsonOf(answer);
}

async function jsonOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (text.length > bytesMax) throw new Error("The identity provider answered too much.");
  return JSON.parse(text);
}
