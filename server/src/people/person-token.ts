import { sign, verify, type KeyObject } from "node:crypto";
import type { Confirmation } from "./second-person.ts";
import { isRole, kindOfRole, type PersonKind, type Role } from "./role.ts";

/** What `accounts` says of a person who is signed in, for a minute, to one environment. Times are seconds since 1970. */
export interface PersonToken {
  /** The accounts that signed it. */
  readonly iss: string;
  /** The environment it is for. */
  readonly aud: string;
  /** The person. */
  readonly sub: string;
  readonly organisation: string;
  readonly kind: PersonKind;
  /** The clients whose records the person may see; staff have none of their own. */
  readonly clientIds: readonly string[];
  readonly role: Role;
  /** When the person last proved itself again (step-up authentication). */
  readonly stepUpAt?: number;
  /** What a second person has confirmed (two-person rule). */
  readonly confirmed?: Confirmation;
  readonly iat: number;
  readonly exp: number;
  /** A nonce: an act uses it once. */
  readonly jti: string;
}

export type TokenProblem =
  | "malformed"
  | "unknown key"
  | "forged"
  | "other audience"
  | "too long-lived"
  | "expired";

export interface TokenTrust {
  readonly audience: string;
  /** Public keys by `kid`: two of them while keys are rotated. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly nowMs: number;
}

/** A token lives as long as a person who was signed out elsewhere may go on. */
export const lifetimeSecondsMax = 60;
/** How far the clock of accounts may be ahead of ours. */
const skewSecondsMax = 5;
const charactersMax = 4_096;
const clientIdsMax = 50;

/** The algorithm is fixed, not chosen by the token: "none" and a public key used as a secret are no tokens. */
const algorithm = "EdDSA";

/** JWS compact form (RFC 7515) with Ed25519 (RFC 8037). */
export function signPersonToken(
  token: PersonToken,
  { kid, privateKey }: { readonly kid: string; readonly privateKey: KeyObject },
): string {
  const signed = `${encode({ alg: algorithm, typ: "JWT", kid })}.${encode(token)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
}

/** Reads a token that anybody may have sent: nothing in it counts before its signature is verified. */
export function readPersonToken(
  text: string,
  { audience, keys, nowMs }: TokenTrust,
): PersonToken | TokenProblem {
  if (text.length > charactersMax) return "malformed";
  const parts = compactForm.exec(text)?.groups;
  if (!parts) return "malformed";
  const { head = "", payload = "", signature = "" } = parts;
  const header = decode(head);
  if (header?.["alg"] !== algorithm || typeof header["kid"] !== "string" || "crit" in header)
    return "malformed";
  const key = keys.get(header["kid"]);
  if (!key) return "unknown key";
  const bytes = Buffer.from(signature, "base64url");
  // Two spellings of one signature would be two tokens.
  if (bytes.toString("base64url") !== signature) return "forged";
  if (!verify(null, Buffer.from(`${head}.${payload}`), key, bytes)) return "forged";

  const claims = decode(payload);
  if (!claims || !isPersonToken(claims)) return "malformed";
  if (claims.aud !== audience) return "other audience";
  if (claims.exp - claims.iat > lifetimeSecondsMax) return "too long-lived";
  const leftMs = claims.exp * 1000 - nowMs;
  if (leftMs > (lifetimeSecondsMax + skewSecondsMax) * 1000) return "too long-lived";
  return leftMs > 0 ? claims : "expired";
}

export function isTokenProblem(read: PersonToken | TokenProblem): read is TokenProblem {
  return typeof read === "string";
}

const compactForm = /^(?<head>[\w-]+)\.(?<payload>[\w-]+)\.(?<signature>[\w-]+)$/;

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
    [iss, aud, sub, organisation, jti].every(isWord) &&
    isRole(role) &&
    kind === kindOfRole(role) &&
    Array.isArray(clientIds) &&
    clientIds.length <= clientIdsMax &&
    clientIds.every(isWord) &&
    [iat, exp].every(isSeconds) &&
    (stepUpAt === undefined || isSeconds(stepUpAt)) &&
    (confirmed === undefined || isConfirmation(confirmed))
  );
}

function isConfirmation(value: unknown): boolean {
  const { by, right, digest } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return [by, right, digest].every(isWord);
}

function isWord(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);
}

function isSeconds(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
