import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import { isSignatureValid, type Algorithm } from "./algorithm.ts";
import { externalKeyName, type ExternalKeyStore } from "./external-key-store.ts";
import type { MessageKind } from "./message-kind.ts";
import { signedText, type SignedParts } from "./signed-text.ts";
import {
  rewrapWithCurrentKey,
  unwrapWithAnyKey,
  wrapWithCurrentKey,
  type WrappingKeys,
} from "./wrapping-keys.ts";

/** A stored key pair: the private half is encrypted (wrapped). */
interface WrappedKeyPair {
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

/** A gateway key: an RSA pair, and an Ed25519 pair for providers that use Ed25519. */
export interface GatewayKey extends WrappedKeyPair {
  readonly version: number;
  /** The Ed25519 pair; absent in versions of the gateway key from before Ed25519 was supported. */
  readonly ed25519?: WrappedKeyPair | undefined;
}

/** A key whose private halves are in an HSM or a key management service, under a name. */
export interface ExternalKey {
  readonly version: number;
  readonly publicKey: Buffer;
  readonly ed25519PublicKey?: Buffer | undefined;
  readonly heldAs: string;
}

/**
 * Signs the messages that the gateway sends. It is an interface, so that the keys can be in another process or in an
 * HSM (PKCS#11) without changes to its users.
 */
export interface Signer {
  /** The version for unauthenticated callers. */
  newestVersion(): number;
  /** The gateway's public RSA keys by version, to recognise its own signatures. */
  publicKeys(): ReadonlyMap<number, KeyObject>;
  sign(message: MessageToSign): Promise<Buffer>;
  /** Loads versions of the gateway key that were added since the start, and drops deleted ones. */
  refresh(): Promise<void>;
  /** Whether the signer can sign now. While it cannot, the process starts no request that it could not answer. */
  isAvailable(): boolean;
}

/** A message that the gateway sends. A signer process rejects a message that is not of its kind. */
export interface MessageToSign {
  readonly kind: MessageKind;
  readonly keyVersion: number;
  /** The algorithm: RSA256 by default; for a payment provider, the algorithm of its own key. */
  readonly algorithm?: Algorithm | undefined;
  readonly parts: SignedParts;
}

/** A signer with the private keys in this process: it can also sign audit heads, and any other text. */
export interface LocalSigner extends Signer {
  signText(version: number, text: Uint8Array, algorithm?: Algorithm): Promise<Buffer>;
}

/**
 * Length of RSA keys in bits. It is a decision about capacity: a key of 3072 bits signs three times slower, and every
 * response is signed.
 */
const modulusLength = 2048;

type SignFunction = (text: Uint8Array) => Promise<Buffer>;
/** The signing functions of a version of the gateway key, by algorithm. */
type SignFunctions = Readonly<Partial<Record<Algorithm, SignFunction>>>;

export async function openSigner(
  load: () => Promise<readonly (GatewayKey | ExternalKey)[]>,
  wrappingKeys: WrappingKeys,
  environment: string,
  keyStore?: ExternalKeyStore,
): Promise<LocalSigner> {
  const keys = new Map<number, SignFunctions>();
  const publicKeys = new Map<number, KeyObject>();
  let newest = 0;

  async function refresh(): Promise<void> {
    const loaded = await load();
    // A deleted version is removed from memory, so that its private key does not stay in memory.
    for (const version of [...keys.keys()].filter((each) => !loaded.some((key) => key.version === each))) {
      keys.delete(version);
      publicKeys.delete(version);
    }
    for (const key of loaded) {
      const { version } = key;
      if (!keys.has(version)) {
        keys.set(
          version,
          "heldAs" in key ? await openExternalKey(key, keyStore) : openKey(key, wrappingKeys, environment),
        );
        publicKeys.set(version, parsePublicKey(key.publicKey));
      }
      newest = Math.max(newest, version);
    }
    if (newest === 0) throw new Error("There is no gateway key yet: run `gateway-key add` first.");
  }

  async function signText(
    version: number,
    text: Uint8Array,
    algorithm: Algorithm = "RSA256",
  ): Promise<Buffer> {
    if (!keys.has(version)) await refresh();
    const signWithKey = keys.get(version)?.[algorithm];
    if (!signWithKey) throw new Error(missingKeyMessage(version, algorithm));
    return signWithKey(text);
  }

  await refresh();
  return {
    newestVersion: () => newest,
    publicKeys: () => publicKeys,
    refresh,
    isAvailable: () => true,
    signText,
    sign: ({ keyVersion, parts, algorithm }) => signText(keyVersion, signedText(parts), algorithm),
  };
}

/** Signs with RSA in the thread pool, because a signature takes 0.4 ms and would block the event loop. */
function rsaSignFunction(key: KeyObject): SignFunction {
  return (text) =>
    new Promise((resolve, reject) => {
      sign("sha256", text, key, (error, signature) => (error ? reject(error) : resolve(signature)));
    });
}

/** Signs with Ed25519 synchronously, because a signature takes less time than the overhead of the thread pool. */
function ed25519SignFunction(key: KeyObject): SignFunction {
  return async (text) => sign(null, text, key);
}

/**
 * Opens a held key. It first requests a signature of each kind from the holder, because a key with a wrong name must
 * not sign responses.
 */
async function openExternalKey(
  { version, heldAs, publicKey, ed25519PublicKey }: ExternalKey,
  keyStore: ExternalKeyStore | undefined,
): Promise<SignFunctions> {
  if (!keyStore)
    throw new Error(
      `Gateway key ${version} is held elsewhere, as ${heldAs}: only a \`tollgate signer\` that knows where can sign with it.`,
    );
  const verifiedSignFunction = async (algorithm: Algorithm, spki: Buffer): Promise<SignFunction> => {
    const signWithKey: SignFunction = (text) =>
      keyStore.sign(externalKeyName(heldAs, algorithm), text, algorithm);
    const text = Buffer.from(`tollgate gateway key ${version}`, "utf8");
    if (!isSignatureValid(parsePublicKey(spki), text, await signWithKey(text)))
      throw new Error(
        `What signs as ${externalKeyName(heldAs, algorithm)} is another key than gateway key ${version} in the database.`,
      );
    return signWithKey;
  };
  return {
    RSA256: await verifiedSignFunction("RSA256", publicKey),
    ...(ed25519PublicKey && { Ed25519: await verifiedSignFunction("Ed25519", ed25519PublicKey) }),
  };
}

function parsePublicKey(spki: Buffer): KeyObject {
  return createPublicKey({ key: spki, format: "der", type: "spki" });
}

export async function createGatewayKey(
  version: number,
  wrappingKeys: WrappingKeys,
  environment: string,
): Promise<GatewayKey> {
  const rsa = await promisify(generateKeyPair)("rsa", { modulusLength, publicExponent: 65_537 });
  const wrapPair = (pair: KeyPair, algorithm: Algorithm): WrappedKeyPair => ({
    publicKey: pair.publicKey.export({ format: "der", type: "spki" }),
    wrappedPrivateKey: wrapWithCurrentKey(
      wrappingKeys,
      pair.privateKey.export({ format: "der", type: "pkcs8" }),
      associatedDataOf(environment, version, algorithm),
    ),
  });
  const ed25519 = wrapPair(generateKeyPairSync("ed25519"), "Ed25519");
  return { version, ...wrapPair(rsa, "RSA256"), ed25519 };
}

/**
 * Returns the key with its private halves under the current wrapping key; undefined if they are already wrapped with
 * that key.
 */
export function rewrapGatewayKey(
  key: GatewayKey,
  wrappingKeys: WrappingKeys,
  environment: string,
): GatewayKey | undefined {
  const rewrapPair = (pair: WrappedKeyPair, algorithm: Algorithm): WrappedKeyPair | undefined => {
    const associatedData = associatedDataOf(environment, key.version, algorithm);
    const wrappedPrivateKey = rewrapWithCurrentKey(wrappingKeys, pair.wrappedPrivateKey, associatedData);
    return wrappedPrivateKey && { ...pair, wrappedPrivateKey };
  };
  const [rsa, ed25519] = [rewrapPair(key, "RSA256"), key.ed25519 && rewrapPair(key.ed25519, "Ed25519")];
  return rsa || ed25519 ? { ...key, ...rsa, ed25519: ed25519 ?? key.ed25519 } : undefined;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** The advice to an operator when a version of the gateway key cannot sign. */
export function missingKeyMessage(version: number, algorithm: Algorithm): string {
  return algorithm === "RSA256"
    ? `There is no gateway key of version ${version}.`
    : `Gateway key ${version} has no pair of ${algorithm}; \`gateway-key add\` makes a version that has one.`;
}

function openKey(
  { version, ed25519, wrappedPrivateKey }: GatewayKey,
  wrappingKeys: WrappingKeys,
  environment: string,
): SignFunctions {
  const unwrapKey = (wrapped: Buffer, algorithm: Algorithm): KeyObject => {
    const key = unwrapWithAnyKey(wrappingKeys, wrapped, associatedDataOf(environment, version, algorithm));
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  };
  try {
    const rsa = unwrapKey(wrappedPrivateKey, "RSA256");
    const ed25519Key = ed25519 && unwrapKey(ed25519.wrappedPrivateKey, "Ed25519");
    return { RSA256: rsaSignFunction(rsa), ...(ed25519Key && { Ed25519: ed25519SignFunction(ed25519Key) }) };
  } catch (cause) {
    const reason = "the key file is not the one with which it was wrapped, or the row was changed";
    throw new Error(`Gateway key ${version} of ${environment} does not open: ${reason}.`, { cause });
  }
}

/**
 * The place of a key, to which AES-GCM binds the wrapped value: a value that was copied to another version, environment
 * or algorithm does not decrypt.
 */
function associatedDataOf(environment: string, version: number, algorithm: Algorithm): string {
  const kind = algorithm === "RSA256" ? "" : ` ${algorithm}`;
  return `tollgate gateway key ${environment} ${version}${kind}`;
}
