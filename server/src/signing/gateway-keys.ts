import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import { signatureHolds, type Algorithm } from "./algorithm.ts";
import { keyNameInHolder, type KeyHolder } from "./key-holder.ts";
import type { MessageKind } from "./message-kind.ts";
import { signedText, type SignedParts } from "./signed-text.ts";
import { rewrapUnder, unwrapUnder, wrapUnder, type WrappingKeys } from "./wrapping-keys.ts";

/** A stored key pair: the private half is encrypted (wrapped). */
interface WrappedPair {
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

/** A gateway key: an RSA pair, and an Ed25519 pair for providers that use it. */
export interface GatewayKey extends WrappedPair {
  readonly version: number;
  /** Absent in versions from before Ed25519 was supported. */
  readonly ed25519?: WrappedPair | undefined;
}

/** A key whose private halves are in an HSM or a key management service, under a name. */
export interface HeldKey {
  readonly version: number;
  readonly publicKey: Buffer;
  readonly ed25519PublicKey?: Buffer | undefined;
  readonly heldAs: string;
}

/**
 * Signs the messages that the gateway sends. An interface, so that the keys can be in another process or in an HSM
 * (PKCS#11) without changes elsewhere.
 */
export interface Signer {
  /** The version for unauthenticated callers. */
  newestVersion(): number;
  /** The public RSA keys by version, to recognise the gateway's own signatures. */
  publicKeys(): ReadonlyMap<number, KeyObject>;
  sign(message: MessageToSign): Promise<Buffer>;
  /** Loads key versions that were added since the start, and drops deleted ones. */
  refresh(): Promise<void>;
  /** Whether it can sign now. While it cannot, no request is started that could not be answered. */
  isWell(): boolean;
}

/** A message that the gateway sends. A signer process rejects one that is not of its kind. */
export interface MessageToSign {
  readonly kind: MessageKind;
  readonly keyVersion: number;
  /** RSA256 by default. For a payment provider, the algorithm of its own key. */
  readonly algorithm?: Algorithm | undefined;
  readonly parts: SignedParts;
}

/** A signer with the private keys in this process: it can also sign audit heads, and any other text. */
export interface OwnSigner extends Signer {
  signText(version: number, text: Uint8Array, algorithm?: Algorithm): Promise<Buffer>;
}

/** A capacity decision: a key of 3072 bits signs three times slower, and every response is signed. */
const modulusLength = 2048;

type Sign = (text: Uint8Array) => Promise<Buffer>;
/** The signing functions of a version, by algorithm. */
type OpenKey = Readonly<Partial<Record<Algorithm, Sign>>>;

export async function openSigner(
  load: () => Promise<readonly (GatewayKey | HeldKey)[]>,
  wrappingKeys: WrappingKeys,
  environment: string,
  holder?: KeyHolder,
): Promise<OwnSigner> {
  const keys = new Map<number, OpenKey>();
  const publicKeys = new Map<number, KeyObject>();
  let newest = 0;

  async function refresh(): Promise<void> {
    const loaded = await load();
    // A deleted version is dropped, so that its private key does not stay in memory.
    for (const version of [...keys.keys()].filter((each) => !loaded.some((key) => key.version === each))) {
      keys.delete(version);
      publicKeys.delete(version);
    }
    for (const key of loaded) {
      const { version } = key;
      if (!keys.has(version)) {
        keys.set(
          version,
          "heldAs" in key ? await openHeld(key, holder) : openKey(key, wrappingKeys, environment),
        );
        publicKeys.set(version, publicKeyIn(key.publicKey));
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
    const signs = keys.get(version)?.[algorithm];
    if (!signs) throw new Error(noSuchKey(version, algorithm));
    return signs(text);
  }

  await refresh();
  return {
    newestVersion: () => newest,
    publicKeys: () => publicKeys,
    refresh,
    isWell: () => true,
    signText,
    sign: ({ keyVersion, parts, algorithm }) => signText(keyVersion, signedText(parts), algorithm),
  };
}

/** In the thread pool: it takes 0.4 ms, and would block the event loop. */
function signsRsa(key: KeyObject): Sign {
  return (text) =>
    new Promise((resolve, reject) => {
      sign("sha256", text, key, (error, signature) => (error ? reject(error) : resolve(signature)));
    });
}

/** Synchronous: Ed25519 takes less time than the thread pool's overhead. */
function signsEdwards(key: KeyObject): Sign {
  return async (text) => sign(null, text, key);
}

/** Requests a signature of each kind from the holder first: a key with a wrong name must not sign responses. */
async function openHeld(
  { version, heldAs, publicKey, ed25519PublicKey }: HeldKey,
  holder: KeyHolder | undefined,
): Promise<OpenKey> {
  if (!holder)
    throw new Error(
      `Gateway key ${version} is held elsewhere, as ${heldAs}: only a \`tollgate signer\` that knows where can sign with it.`,
    );
  const tried = async (algorithm: Algorithm, spki: Buffer): Promise<Sign> => {
    const signs: Sign = (text) => holder.sign(keyNameInHolder(heldAs, algorithm), text, algorithm);
    const text = Buffer.from(`tollgate gateway key ${version}`, "utf8");
    if (!signatureHolds(publicKeyIn(spki), text, await signs(text)))
      throw new Error(
        `What signs as ${keyNameInHolder(heldAs, algorithm)} is another key than gateway key ${version} in the database.`,
      );
    return signs;
  };
  return {
    RSA256: await tried("RSA256", publicKey),
    ...(ed25519PublicKey && { Ed25519: await tried("Ed25519", ed25519PublicKey) }),
  };
}

function publicKeyIn(spki: Buffer): KeyObject {
  return createPublicKey({ key: spki, format: "der", type: "spki" });
}

export async function makeGatewayKey(
  version: number,
  wrappingKeys: WrappingKeys,
  environment: string,
): Promise<GatewayKey> {
  const rsa = await promisify(generateKeyPair)("rsa", { modulusLength, publicExponent: 65_537 });
  const wrapped = (pair: KeyPair, algorithm: Algorithm): WrappedPair => ({
    publicKey: pair.publicKey.export({ format: "der", type: "spki" }),
    wrappedPrivateKey: wrapUnder(
      wrappingKeys,
      pair.privateKey.export({ format: "der", type: "pkcs8" }),
      placeOf(environment, version, algorithm),
    ),
  });
  const ed25519 = wrapped(generateKeyPairSync("ed25519"), "Ed25519");
  return { version, ...wrapped(rsa, "RSA256"), ed25519 };
}

/** The key with its private halves under the current wrapping key; undefined if it is already wrapped with that. */
export function rewrapGatewayKey(
  key: GatewayKey,
  wrappingKeys: WrappingKeys,
  environment: string,
): GatewayKey | undefined {
  const rewrapped = (pair: WrappedPair, algorithm: Algorithm): WrappedPair | undefined => {
    const place = placeOf(environment, key.version, algorithm);
    const wrappedPrivateKey = rewrapUnder(wrappingKeys, pair.wrappedPrivateKey, place);
    return wrappedPrivateKey && { ...pair, wrappedPrivateKey };
  };
  const [rsa, ed25519] = [rewrapped(key, "RSA256"), key.ed25519 && rewrapped(key.ed25519, "Ed25519")];
  return rsa || ed25519 ? { ...key, ...rsa, ed25519: ed25519 ?? key.ed25519 } : undefined;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** The advice to an operator when a version cannot sign. */
export function noSuchKey(version: number, algorithm: Algorithm): string {
  return algorithm === "RSA256"
    ? `There is no gateway key of version ${version}.`
    : `Gateway key ${version} has no pair of ${algorithm}; \`gateway-key add\` makes a version that has one.`;
}

function openKey(
  { version, ed25519, wrappedPrivateKey }: GatewayKey,
  wrappingKeys: WrappingKeys,
  environment: string,
): OpenKey {
  const open = (wrapped: Buffer, algorithm: Algorithm): KeyObject => {
    const key = unwrapUnder(wrappingKeys, wrapped, placeOf(environment, version, algorithm));
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  };
  try {
    const rsa = open(wrappedPrivateKey, "RSA256");
    const edwards = ed25519 && open(ed25519.wrappedPrivateKey, "Ed25519");
    return { RSA256: signsRsa(rsa), ...(edwards && { Ed25519: signsEdwards(edwards) }) };
  } catch (cause) {
    const reason = "the key file is not the one with which it was wrapped, or the row was changed";
    throw new Error(`Gateway key ${version} of ${environment} does not open: ${reason}.`, { cause });
  }
}

/** Bound by AES-GCM: a value that was copied to another version, environment or algorithm does not decrypt. */
function placeOf(environment: string, version: number, algorithm: Algorithm): string {
  const kind = algorithm === "RSA256" ? "" : ` ${algorithm}`;
  return `tollgate gateway key ${environment} ${version}${kind}`;
}
