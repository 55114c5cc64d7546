import { sign, verify, type KeyObject } from "node:crypto";
import type { Confirmation } from "./approval-rules.ts";
import { isRole, personKindOf, type PersonKind, type Role } from "./role.ts";

/**
 * A token of the accounts service for a signed-in person, valid for one minute and one environment. Times are seconds
 * since 1970.
 */
export interface PersonToken {
  /** Issuer: the accounts service that signed it. */
  readonly iss: string;
  /** Audience: the environment. */
  readonly aud: string;
  /** Subject: the person's id. */
  readonly sub: string;
  readonly organisation: string;
  readonly kind: PersonKind;
  /** Clients whose records the person may see; empty for staff. */
  readonly clientIds: readonly string[];
  readonly role: Role;
  /** Time of the last re-authentication. */
  readonly stepUpAt?: number;
  /** The request that another person confirmed (four-eyes principle). */
  readonly confirmed?: Confirmation;
  readonly iat: number;
  readonly exp: number;
  /** A nonce; each act needs a new one (replay protection). */
  readonly jti: string;
}

export type TokenProblem =
  | "malformed"
  | "unknown key"
  | "forged"
  | "other audience"
  | "too long-lived"
  | "expired";

export interface TokenVerificationOptions {
  readonly audience: string;
  /** Public keys by `kid`. During a rotation there are two. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly nowMs: number;
}

/** Maximum lifetime of a token. After a sign-out on another page, a person can continue for at most this time. */
export const lifetimeSecondsMax = 60;
/** Maximum time by which the clock of the accounts service may be ahead of the gateway's clock (clock skew). */
const skewSecondsMax = 5;
const tokenCharactersMax = 4_096;
const clientIdsMax = 50;

/**
 * The algorithm is fixed and not read from the token. This prevents the algorithm "none" and a public key used as an
 * HMAC secret.
 */
const algorithm = "EdDSA";

/** Signs a token in JWS compact form (RFC 7515) with Ed25519 (RFC 8037). */
export function signPersonToken(
  token: PersonToken,
  { kid, privateKey }: { readonly kid: string; readonly privateKey: KeyObject },
): string {
  const signingInput = `${encode({ alg: algorithm, typ: "JWT", kid })}.${encode(token)}`;
  return `${signingInput}.${sign(null, Buffer.from(signingInput), privateKey).toString("base64url")}`;
}

/** `readPersonToken` reads an untrusted token. It uses no claims before the signature is verified. */
export function readPersonToken(
  text: string,
  { audience, keys, nowMs }: TokenVerificationOptions,
): PersonToken | TokenProblem {
  if (text.length > tokenCharactersMax) return "malformed";
  const parts = compactJwsPattern.exec(text)?.groups;
  if (!parts) return "malformed";
  const { head = "", payload = "", signature = "" } = parts;
  const header = decode(head);
  if (header?.["alg"] !== algorithm || typeof header["kid"] !== "string" || "crit" in header)
    return "malformed";
  const key = keys.get(header["kid"]);
  if (!key) return "unknown key";
  const signatureBytes = Buffer.from(signature, "base64url");
  // The same signature in another base64 spelling would be a second token (replay), so it is rejected.
  if (signatureBytes.toString("base64url") !== signature) return "forged";
  if (!verify(null, Buffer.from(`${head}.${payload}`), key, signatureBytes)) return "forged";

  const claims = decode(payload);
  if (!claims || !isPersonToken(claims)) return "malformed";
  if (claims.aud !== audience) return "other audience";
  if (claims.exp - claims.iat > lifetimeSecondsMax) return "too long-lived";
  const remainingMs = claims.exp * 1000 - nowMs;
  if (remainingMs > (lifetimeSecondsMax + skewSecondsMax) * 1000) return "too long-lived";
  return remainingMs > 0 ? claims : "expired";
}

export function isTokenProblem(result: PersonToken | TokenProblem): result is TokenProblem {
  return typeof result === "string";
}

const compactJwsPattern = /^(?<head>[\w-]+)\.(?<payload>[\w-]+)\.(?<signature>[\w-]+)$/;

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

type Claims = Readonly<Record<string, unknown>>;

function isPersonToken(claims: Claims): claims is Claims & PersonToken {
  const { iss, aud, sub, organisation, jti, kind, role, clientIds, stepUpAt, confirmed, iat, exp } = claims;
  return (
    [iss, aud, sub, organisation, jti].every(isPrintableAscii) &&
    isRole(role) &&
    kind === personKindOf(role) &&
    Array.isArray(clientIds) &&
    clientIds.length <= clientIdsMax &&
    clientIds.every(isPrintableAscii) &&
    [iat, exp].every(isSeconds) &&
    (stepUpAt === undefined || isSeconds(stepUpAt)) &&
    (confirmed === undefined || isConfirmation(confirmed))
  );
}

function isConfirmation(value: unknown): boolean {
  const { by, permission, digest } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return [by, permission, digest].every(isPrintableAscii);
}

function isPrintableAscii(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);
}

function isSeconds(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
