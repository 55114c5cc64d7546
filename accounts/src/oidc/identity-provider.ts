import { createRemoteJWKSet, customFetch as keySetFetch, type RemoteJWKSet } from "jose";
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  clockTolerance,
  customFetch,
  discoveryRequest,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  ResponseBodyError,
  UnsupportedOperationError,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
  type AuthorizationServer,
} from "oauth4webapi";
import { fetchLimited } from "./fetch-limited.ts";
import { skewSeconds, verifyIdToken, type Identity } from "./id-token.ts";

/** The configuration of the operator's identity provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The provider's name on the sign-in button. */
  readonly name: string;
  /** Email domains for which the provider's claims are trusted. */
  readonly domains: readonly string[];
}

/** The values that bind a sign-in to its browser, request and token. */
export interface SignInRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface IdentityProvider extends OidcSettings {
  /**
   * `authorizationUrl` returns the URL of the provider's sign-in page: authorization code flow with state, nonce and
   * PKCE.
   */
  authorizationUrl(request: SignInRequest, isStepUp: boolean): Promise<string>;
  /**
   * `identify` exchanges the code of the authorization response and validates the ID token. It returns undefined if a
   * response of the provider is an error or is invalid.
   */
  identify(response: URLSearchParams, request: SignInRequest): Promise<Identity | undefined>;
}

const cacheLifetimeMs = 10 * 60_000;
/** Minimum interval between requests for the provider's keys because of an unknown key id. */
const keyRefreshIntervalMs = 10_000;

interface ProviderEndpoints {
  readonly server: AuthorizationServer;
  readonly authorizationEndpoint: string;
  readonly keys: RemoteJWKSet;
}

/**
 * `openIdentityProvider` creates the client. Discovery runs on demand and not at startup, so that accounts can start
 * while the provider is down.
 */
export function openIdentityProvider(settings: OidcSettings): IdentityProvider {
  const { clientId, clientSecret } = settings;
  const issuer = new URL(settings.issuer);
  const client = { client_id: clientId, [clockTolerance]: skewSeconds };
  const requestOptions = {
    [customFetch]: fetchLimited,
    // An http issuer is possible only on localhost: the settings reject it for other hosts.
    [allowInsecureRequests]: issuer.protocol === "http:",
  };
  const discoverEndpoints = cacheResult(async () => {
    const answer = await discoveryRequest(issuer, requestOptions);
    const server = await processDiscoveryResponse(issuer, answer);
    // The library ignores a trailing slash. The exact issuer is part of the key of a linked person.
    if (server.issuer !== settings.issuer)
      throw new Error(
        "The identity provider's discovery document has another issuer than ACCOUNTS_OIDC_ISSUER.",
      );
    return endpointsOf(server, issuer.protocol);
  });
  return {
    ...settings,
    async authorizationUrl({ redirectUri, state, nonce, codeVerifier }, isStepUp) {
      const url = new URL((await discoverEndpoints()).authorizationEndpoint);
      const parameters = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: "openid email",
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        ...(isStepUp && { prompt: "login", max_age: "0" }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    async identify(response, { redirectUri, state, nonce, codeVerifier }) {
      const { server, keys } = await discoverEndpoints();
      const token = await undefinedIfInvalid(async () => {
        const callback = validateAuthResponse(server, client, response, state);
        const secret = ClientSecretBasic(clientSecret);
        const answer = await authorizationCodeGrantRequest(
          server,
          client,
          secret,
          callback,
          redirectUri,
          codeVerifier,
          requestOptions,
        );
        const expected = { expectedNonce: nonce, requireIdToken: true };
        return (await processAuthorizationCodeResponse(server, client, answer, expected)).id_token;
      });
      return token === undefined
        ? undefined
        : verifyIdToken(token, keys, { issuer: server.issuer, clientId });
    },
  };
}

/** An https provider must not name http endpoints, and an endpoint must not be a script URL. */
function endpointsOf(server: AuthorizationServer, protocol: string): ProviderEndpoints {
  const endpoint = (name: "authorization_endpoint" | "token_endpoint" | "jwks_uri"): URL => {
    const url = URL.parse(server[name] ?? "");
    if (url?.protocol !== protocol)
      throw new Error(`The identity provider's ${name} has another URL scheme than its issuer.`);
    return url;
  };
  endpoint("token_endpoint");
  return {
    server,
    authorizationEndpoint: endpoint("authorization_endpoint").href,
    keys: createRemoteJWKSet(endpoint("jwks_uri"), {
      [keySetFetch]: fetchLimited,
      cacheMaxAge: cacheLifetimeMs,
      cooldownDuration: keyRefreshIntervalMs,
    }),
  };
}

/** The errors of `oauth4webapi` for error responses and for responses that violate the standards. */
const invalidResponseErrors = [
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
];

async function undefinedIfInvalid<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (invalidResponseErrors.some((each) => error instanceof each)) return undefined;
    throw error;
  }
}

/** `cacheResult` caches the result of a request for a short time. It does not cache a failure. */
function cacheResult<Value>(request: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly value: Promise<Value>; readonly untilMs: number } | undefined;
  return () => {
    if (last && performance.now() < last.untilMs) return last.value;
    const value = request();
    last = { value, untilMs: performance.now() + cacheLifetimeMs };
    value.catch(() => {
      last = undefined;
    });
    return value;
  };
}
