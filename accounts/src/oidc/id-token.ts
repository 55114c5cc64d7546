import { createPublicKey, verify, type JsonWebKey } from "node:crypto";

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

export interface KnownKey extends JsonWebKey {
  readonly kid?: string;
}

/** The algorithms that we take, with the kind of key that each needs: none, and keys used as secrets, are not among them. */
const algorithms = {
  RS256: { kty: "RSA", hash: "sha256" },
  ES256: { kty: "EC", hash: "sha256" },
  EdDSA: { kty: "OKP", hash: null },
} as const;

const skewMs = 60_000;

/** The identity, or undefined when the token does not hold: another signature, issuer, audience, nonce or time. */
export function readIdToken(
  text: string,
  keys: readonly KnownKey[],
  expected: Expected,
): Identity | undefined {
  const [head = "", payload = "", signature = "", ...more] = text.split(".");
  const header = decode(head);
  const claims = decode(payload);
  if (!header || !claims || more.length > 0) return undefined;
  const { alg, kid } = header;
  if (typeof alg !== "string" || !Object.hasOwn(algorithms, alg) || "crit" in header) return undefined;
  const { kty, hash } = algorithms[alg as keyof typeof algorithms];
  const signed = Buffer.from(`${head}.${payload}`);
  const bytes = Buffer.from(signature, "base64url");
  const isSigned = keys
    .filter((key) => key.kty === kty && (kid === undefined || key.kid === kid))
    .some((jwk) => {
      const key = createPublicKey({ key: jwk, format: "jwk" });
      // JWS has r and s side by side (RFC 7518), where X.509 has DER.
      return verify(hash, signed, { key, dsaEncoding: "ieee-p1363" }, bytes);
    });
  return isSigned && isMeant(claims, expected) ? identityIn(claims) : undefined;
}

type Claims = Readonly<Record<string, unknown>>;

function isMeant(claims: Claims, { issuer, clientId, nonce, now }: Expected): boolean {
  const { iss, aud, azp, exp, nonce: said } = claims;
  const audiences = Array.isArray(aud) ? aud : [aud];
  return (
    iss === issuer &&
    audiences.includes(clientId) &&
    (audiences.length === 1 || azp === clientId) &&
    (azp === undefined || azp === clientId) &&
    typeof exp === "number" &&
    exp * 1000 > now.getTime() - skewMs &&
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
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}
