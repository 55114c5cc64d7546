import { createPublicKey, verify, type JsonWebKey, type KeyObject } from "node:crypto";
import { parseStrictJson } from "../../../server/src/core/strict-json.ts";

/** What an identity provider says of a person (OpenID Connect Core, section 2). */
export interface Identity {
  readonly subject: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  /** When the person proved itself there. */
  readonly provenAt: Date | undefined;
}

export interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: Date;
}

/** A key of the provider's set (RFC 7517), as it was read: nothing in it is certain. */
export interface KnownKey extends JsonWebKey {
  readonly kid?: string;
  readonly use?: string;
  readonly alg?: string;
  readonly key_ops?: string[];
}

/** The accepted algorithms, with the key that each needs: none, and keys used as secrets, are not among them. */
const algorithms = {
  RS256: { kty: "RSA", hash: "sha256", isStrong: isStrongRsa },
  ES256: { kty: "EC", hash: "sha256", isStrong: isOnCurve("prime256v1") },
  EdDSA: { kty: "OKP", hash: null, isStrong: ({ asymmetricKeyType: type }: KeyObject) => type === "ed25519" },
} as const;

type Algorithm = keyof typeof algorithms;

/** RSA of less than 2048 bits can be factored; a small exponent makes forged signatures easier. */
function isStrongRsa({
  asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {},
}: KeyObject): boolean {
  return modulusLength >= 2048 && publicExponent >= 65_537n;
}

function isOnCurve(curve: string): (key: KeyObject) => boolean {
  return ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === curve;
}

const skewMs = 60_000;

/** The identity, or undefined when the token does not hold: another signature, issuer, audience, nonce or time. */
export function readIdToken(
  text: string,
  keys: readonly KnownKey[],
  expected: Expected,
): Identity | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined;
  const [head = "", payload = "", signature = ""] = text.split(".");
  const header = decode(head);
  const claims = decode(payload);
  if (!header || !claims) return undefined;
  const { alg, kid } = header;
  if (!isAlgorithm(alg) || "crit" in header) return undefined;
  const signed = Buffer.from(`${head}.${payload}`);
  const bytes = Buffer.from(signature, "base64url");
  const isSigned = keys
    .filter((key) => mayVerify(key, alg) && (kid === undefined || key.kid === kid))
    .map((key) => readKey(key, alg))
    // JWS has r and s side by side (RFC 7518), where X.509 has DER.
    .some((key) => key && verify(algorithms[alg].hash, signed, { key, dsaEncoding: "ieee-p1363" }, bytes));
  return isSigned && isMeant(claims, expected) ? identityIn(claims) : undefined;
}

/** `keyIdOf` returns the key id in the header of a token, which is not verified yet. */
export function keyIdOf(text: string): string | undefined {
  const kid = decode(text.split(".")[0] ?? "")?.["kid"];
  return typeof kid === "string" ? kid : undefined;
}

function isAlgorithm(alg: unknown): alg is Algorithm {
  return typeof alg === "string" && Object.hasOwn(algorithms, alg);
}

/** Whether a key is published for verifying this algorithm. Without `use`, `key_ops` and `alg` it is for any purpose. */
function mayVerify(key: KnownKey | null, alg: Algorithm): key is KnownKey {
  if (key?.kty !== algorithms[alg].kty) return false;
  const { use = "sig", alg: only = alg, key_ops: operations = ["verify"] } = key;
  return use === "sig" && only === alg && Array.isArray(operations) && operations.includes("verify");
}

/** Undefined for a key that cannot be read or is weak: the others in the set still count. */
function readKey(jwk: KnownKey, alg: Algorithm): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: jwk, format: "jwk" });
    return algorithms[alg].isStrong(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

type Claims = Readonly<Record<string, unknown>>;

function isMeant(claims: Claims, { issuer, clientId, nonce, now }: Expected): boolean {
  const { iss, aud, azp, exp, nbf = 0, iat, nonce: said } = claims;
  const latest = (now.getTime() + skewMs) / 1000;
  const audiences = Array.isArray(aud) ? aud : [aud];
  return (
    iss === issuer &&
    audiences.includes(clientId) &&
    (audiences.length === 1 || azp === clientId) &&
    (azp === undefined || azp === clientId) &&
    typeof exp === "number" &&
    exp * 1000 > now.getTime() - skewMs &&
    typeof nbf === "number" &&
    nbf <= latest &&
    typeof iat === "number" &&
    iat <= latest &&
    said === nonce
  );
}

function identityIn(claims: Claims): Identity | undefined {
  const { sub, email, email_verified: isVerified, auth_time: at } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > 255) return undefined;
  return {
    subject: sub,
    email: typeof email === "string" ? email : undefined,
    isEmailVerified: isVerified === true,
    provenAt: typeof at === "number" ? new Date(at * 1000) : undefined,
  };
}

function decode(part: string): Claims | undefined {
  // Strict: of two claims with one name, another reader would take the other.
  const read = parseStrictJson(Buffer.from(part, "base64url"));
  const value = "value" in read ? read.value : undefined;
  return typeof value === "object" && value !== null ? (value as Claims) : undefined;
}
