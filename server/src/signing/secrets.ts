import {
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";
import type { SecretCipher } from "../core/secret-cipher.ts";
import { unwrap, wrap } from "./wrapping.ts";
import {
  rewrapWithCurrentKey,
  unwrapWithAnyKey,
  wrapWithCurrentKey,
  type WrappingKeys,
} from "./wrapping-keys.ts";

/** Single-purpose keys, derived (HKDF) from the installation secret, which never changes. */
export interface Secrets {
  /** HMAC key for request fingerprints (idempotency). */
  readonly fingerprint: Buffer;
  /** HMAC key for checkout links. It is a key object, because creating one costs more than the HMAC. */
  readonly checkout: KeyObject;
  /** Encryption key for secrets that pass through to a provider. */
  readonly transit: Buffer;
  /** HMAC key for the hashes by which codes and tokens are looked up. */
  readonly lookup: KeyObject;
  /** HMAC key by which cells of a fleet recognise forwarded requests. */
  readonly peers: KeyObject;
}

export function createWrappedSecret(wrappingKeys: WrappingKeys, environment: string): Buffer {
  return wrapWithCurrentKey(wrappingKeys, randomBytes(32), associatedDataOf(environment));
}

/**
 * Decrypts the installation secret into memory. If there is a signer process, `serve` and `work` get only the derived
 * keys, not the secret.
 */
export function openInstallationSecret(
  wrapped: Uint8Array,
  wrappingKeys: WrappingKeys,
  environment: string,
): Buffer {
  return unwrapWithAnyKey(wrappingKeys, wrapped, associatedDataOf(environment));
}

/** The installation secret under the current wrapping key; undefined if it is already wrapped with that key. */
export function rewrapSecret(
  wrapped: Uint8Array,
  wrappingKeys: WrappingKeys,
  environment: string,
): Buffer | undefined {
  return rewrapWithCurrentKey(wrappingKeys, wrapped, associatedDataOf(environment));
}

function associatedDataOf(environment: string): string {
  return `tollgate installation secret ${environment}`;
}

/** Purposes of derived keys. A signer process sends the keys in this order, and never the secret. */
const purposes = ["fingerprint", "checkout", "transit", "lookup", "peers"] as const;
const derivedKeyBytes = 32;

export function deriveSecrets(installationSecret: Uint8Array): Secrets {
  return splitDerivedKeys(deriveKeys(installationSecret));
}

/** Derives one key for each purpose from the installation secret, and concatenates them. */
export function deriveKeys(installationSecret: Uint8Array): Buffer {
  const keyFor = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", installationSecret, "", `tollgate ${purpose}`, derivedKeyBytes));
  return Buffer.concat(purposes.map(keyFor));
}

/** Splits the keys of `deriveKeys` into secrets. */
export function splitDerivedKeys(derivedKeys: Buffer): Secrets {
  if (derivedKeys.length !== purposes.length * derivedKeyBytes)
    throw new Error(
      `The signer gave ${derivedKeys.length} bytes of derived keys. Both processes must be of one release.`,
    );
  const keyFor = (purpose: (typeof purposes)[number]): Buffer => {
    const at = purposes.indexOf(purpose) * derivedKeyBytes;
    return derivedKeys.subarray(at, at + derivedKeyBytes);
  };
  return {
    fingerprint: keyFor("fingerprint"),
    checkout: createSecretKey(keyFor("checkout")),
    transit: keyFor("transit"),
    lookup: createSecretKey(keyFor("lookup")),
    peers: createSecretKey(keyFor("peers")),
  };
}

const tokenBytes = 32;

export function createSecretKeeper(secrets: Secrets): SecretCipher {
  return {
    encrypt: (text, recordId) => seal(secrets, text, recordId),
    decrypt: (sealed, recordId) => unseal(secrets, sealed, recordId),
    keyedHash: (text, clientId) =>
      createHmac("sha256", secrets.lookup).update(`${clientId} ${text}`).digest(),
    newToken: () => randomBytes(tokenBytes).toString("base64url"),
  };
}

function seal({ transit }: Secrets, text: string, recordId: string): Buffer {
  return wrap(Buffer.from(text, "utf8"), transit, `tollgate sealed ${recordId}`);
}

function unseal({ transit }: Secrets, sealed: Uint8Array, recordId: string): string {
  return unwrap(sealed, transit, `tollgate sealed ${recordId}`).toString("utf8");
}

const macCharacters = 32;

/** The last part of a checkout link: the payment id with a MAC, so that the link need not be stored. */
export function checkoutToken({ checkout }: Secrets, clientId: string, paymentId: string): string {
  return `${clientId}.${paymentId}.${computeMac(checkout, clientId, paymentId)}`;
}

/** The payment that a token names, or undefined if its MAC is wrong. */
export function readCheckoutToken(
  { checkout }: Secrets,
  token: string,
): { readonly clientId: string; readonly paymentId: string } | undefined {
  const [clientId = "", paymentId = "", mac = "", rest] = token.split(".");
  const given = Buffer.from(mac, "utf8");
  const expected = Buffer.from(computeMac(checkout, clientId, paymentId), "utf8");
  // The comparison takes constant time: its duration must not reveal how much of a forged link was right (timing
  // attack).
  const isSame = given.length === expected.length && timingSafeEqual(given, expected);
  return isSame && rest === undefined ? { clientId, paymentId } : undefined;
}

function computeMac(key: KeyObject, clientId: string, paymentId: string): string {
  return createHmac("sha256", key)
    .update(`${clientId}.${paymentId}`)
    .digest("base64url")
    .slice(0, macCharacters);
}
