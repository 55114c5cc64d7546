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
  /** The keys of the provider. They are read again when none has this id: the provider may have rotated them. */
  keys(kid: string | undefined): Promise<readonly KnownKey[]>;
}

const timeoutMs = 5_000;
const bytesMax = 256 * 1024;
const keptMs = 10 * 60_000;
/** Between two requests for the keys because of an unknown key id: tokens are written by others. */
const rotationMs = 10_000;

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
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const)
      if (!isLikeIssuer(found[name]))
        throw new Error(`The ${name} of the identity provider has another scheme than its issuer.`);
    return found;
  });
  const { protocol } = new URL(issuer);
  const isLikeIssuer = (url: string): boolean => URL.parse(url)?.protocol === protocol;
  const readKeys = async (): Promise<readonly KnownKey[]> => {
    const { keys } = (await getJson((await discovered()).jwks_uri)) as { readonly keys: unknown };
    if (!Array.isArray(keys)) throw new Error("The identity provider has published no list of keys.");
    return keys as KnownKey[];
  };
  const keys = kept(readKeys);
  const rotatedKeys = kept(readKeys, rotationMs);
  return {
    ...settings,
    async keys(kid) {
      const known = await keys();
      if (kid === undefined || hasKey(known, kid)) return known;
      const rotated = await rotatedKeys();
      if (hasKey(rotated, kid)) keys.replace(rotated);
      return rotated;
    },
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

function hasKey(keys: readonly (KnownKey | null)[], kid: string): boolean {
  return keys.some((key) => key?.kid === kid);
}

interface Kept<Value> {
  (): Promise<Value>;
  replace(value: Value): void;
}

/** A short cache: keys are rotated while we run. What failed is asked again. */
function kept<Value>(ask: () => Promise<Value>, lastsMs = keptMs): Kept<Value> {
  let last: { readonly value: Promise<Value>; readonly untilMs: number } | undefined;
  const keep = (value: Promise<Value>): Promise<Value> => {
    last = { value, untilMs: performance.now() + lastsMs };
    value.catch(() => {
      last = undefined;
    });
    return value;
  };
  return Object.assign(async () => (last && performance.now() < last.untilMs ? last.value : keep(ask())), {
    replace: (value: Value) => void keep(Promise.resolve(value)),
  });
}

async function getJson(url: string): Promise<unknown> {
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) throw new Error(`The identity provider answered ${answer.status}.`);
  return jsonOf(answer);
}

async function jsonOf(answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop by an exception cancels the body: the rest is not read.
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) throw new Error(`The identity provider answered more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
