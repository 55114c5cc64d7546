import { errors, jwtVerify, type CryptoKey, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";
import { parseStrictJson } from "../../../server/src/core/strict-json.ts";
import { IdentityProviderUnreachable } from "./fetch-limited.ts";

/** The claims of an identity provider about a person (OpenID Connect Core, section 2). */
export interface Identity {
  readonly subject: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  /** The time of the person's authentication at the provider (`auth_time`). */
  readonly authenticatedAt: Date | undefined;
}

export interface ExpectedClaims {
  readonly issuer: string;
  readonly clientId: string;
}

/** Accepted clock skew between the identity provider and accounts. */
export const skewSeconds = 60;

/**
 * Only public-key signatures: with `none` or HS256, an attacker could forge a token with no key or with the public
 * key.
 */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/**
 * `verifyIdToken` verifies the signature and the claims that `oauth4webapi` does not verify: an issue time in the
 * future, an authorized party with a single audience, and duplicate claims. It returns undefined for an invalid
 * token.
 */
export async function verifyIdToken(
  token: string,
  keys: JWTVerifyGetKey<CryptoKey>,
  { issuer, clientId }: ExpectedClaims,
): Promise<Identity | undefined> {
  const options = {
    algorithms,
    issuer,
    audience: clientId,
    requiredClaims: ["exp"],
    // `maxTokenAge` also makes the claim `iat` required, and rejects an `iat` in the future.
    maxTokenAge: "10 minutes",
    clockTolerance: skewSeconds,
  };
  try {
    await verifyBySomeKey(token, keys, options);
  } catch (error) {
    if (error instanceof IdentityProviderUnreachable) throw error;
    // jose and WebCrypto throw for every kind of invalid token or published key.
    return undefined;
  }
  const claims = parseClaims(token);
  return claims && (claims["azp"] ?? clientId) === clientId ? readIdentity(claims) : undefined;
}

/** Several keys match if they share a key id, or if the token names none. */
async function verifyBySomeKey(
  token: string,
  keys: JWTVerifyGetKey<CryptoKey>,
  options: JWTVerifyOptions,
): Promise<void> {
  try {
    const { key } = await jwtVerify(token, keys, options);
    checkExponent(key);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const isSigned = await jwtVerify(token, key, options).then(
        () => true,
        () => false,
      );
      if (isSigned) return checkExponent(key);
    }
    throw error;
  }
}

/** jose requires RSA keys of 2048 bits but no minimum public exponent. A small exponent makes forgery easier. */
function checkExponent({ algorithm }: CryptoKey): void {
  const { publicExponent } = algorithm as { readonly publicExponent?: Uint8Array };
  if (publicExponent && BigInt(`0x${Buffer.from(publicExponent).toString("hex")}`) < 65_537n)
    throw new Error("The identity provider's RSA key has a public exponent that is too small.");
}

type Claims = Readonly<Record<string, unknown>>;

/** Duplicate claims are rejected, because parsers disagree about which of two claims counts. */
function parseClaims(token: string): Claims | undefined {
  const read = parseStrictJson(Buffer.from(token.split(".")[1] ?? "", "base64url"));
  const value = "value" in read ? read.value : undefined;
  return typeof value === "object" && value !== null ? (value as Claims) : undefined;
}

function readIdentity(claims: Claims): Identity | undefined {
  const { sub, email, email_verified: isVerified, auth_time: at } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > 255) return undefined;
  return {
    subject: sub,
    email: typeof email === "string" ? email : undefined,
    isEmailVerified: isVerified === true,
    authenticatedAt: typeof at === "number" ? new Date(at * 1000) : undefined,
  };
}
