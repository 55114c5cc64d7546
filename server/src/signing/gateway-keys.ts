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
import { heldName, type KeyHolder } from "./key-holder.ts";
import type { MessageKind } from "./message-kind.ts";
import { layOut, type RsaLanes } from "./rsa-lanes.ts";
import { signedText, type SignedParts } from "./signed-text.ts";
import { rewrapUnder, unwrapUnder, wrapUnder, type WrappingKeys } from "./wrapping-keys.ts";

/** A key pair as the database keeps it: the private half encrypted (wrapped). */
interface WrappedPair {
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

/** A key of the gateway: a pair of RSA, and one of Ed25519 for wallets that take it. */
export interface GatewayKey extends WrappedPair {
  readonly version: number;
  /** Absent in a version that was made before there were any. */
  readonly ed25519?: WrappedPair | undefined;
}

/** A key whose private halves an HSM or a key management service has, under a name. */
export interface HeldKey {
  readonly version: number;
  readonly publicKey: Buffer;
  readonly ed25519PublicKey?: Buffer | undefined;
  readonly heldAs: string;
}

/**
 * Signs what leaves the gateway. A port (interface), so that the keys can move to a process of their own or
 * to an HSM (PKCS#11) without changes elsewhere.
 */
export interface Signer {
  /** The version for unauthenticated callers. */
  newestVersion(): number;
  /** The public halves of RSA by version, which tell whether a signature is the gateway's own. */
  publicKeys(): ReadonlyMap<number, KeyObject>;
  sign(message: MessageToSign): Promise<Buffer>;
  /** Loads key versions that were added since the start, and forgets those that were retired. */
  refresh(): Promise<void>;
  /** Whether it can sign now. While it cannot, nothing is begun that could not be answered. */
  isWell(): boolean;
}

/** A message that leaves the gateway. A signer process refuses one that is not of its kind. */
export interface MessageToSign {
  readonly kind: MessageKind;
  readonly keyVersion: number;
  /** RSA256 by default. For a payment provider, the algorithm of its own key. */
  readonly algorithm?: Algorithm | undefined;
  readonly parts: SignedParts;
}

/** A signer with the private keys in this process: it can sign audit heads as well, and any other text. */
export interface OwnSigner extends Signer {
  signText(version: number, text: Uint8Array, algorithm?: Algorithm): Promise<Buffer>;
}

/** A capacity decision: 3072 bits sign three times slower, and every answer is signed. */
const modulusLength = 2048;

type Sign = (text: Uint8Array) => Promise<Buffer>;
/** How a version signs, by algorithm. */
type OpenKey = Readonly<Partial<Record<Algorithm, Sign>>>;

/** What an operator may sign with beside OpenSSL. */
export interface SigningMeans {
  readonly lanes?: RsaLanes | undefined;
  readonly holder?: KeyHolder | undefined;
}

export async function openSigner(
  load: () => Promise<readonly (GatewayKey | HeldKey)[]>,
  wrappingKeys: WrappingKeys,
  environment: string,
  { lanes, holder }: SigningMeans = {},
): Promise<OwnSigner> {
  const keys = new Map<number, OpenKey>();
  const publicKeys = new Map<number, KeyObject>();
  let newest = 0;

  async function refresh(): Promise<void> {
    const loaded = await load();
    // A version that was retired is forgotten: what was deleted is not to live on in memory.
    for (const version of [...keys.keys()].filter((each) => !loaded.some((key) => key.version === each))) {
      keys.delete(version);
      publicKeys.delete(version);
    }
    for (const key of loaded) {
      const { version } = key;
      if (!keys.has(version)) {
        keys.set(
          version,
          "heldAs" in key ? await openHeld(key, holder) : openKey(key, wrappingKeys, environment, lanes),
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

/** In the thread pool: it takes 0.4 ms, and would block the event loop. Four at a time, where the operator chose that. */
function signsRsa(key: KeyObject, lanes: RsaLanes | undefined): Sign {
  const signAlone: Sign = (text) =>
    new Promise((resolve, reject) => {
      sign("sha256", text, key, (error, signature) => (error ? reject(error) : resolve(signature)));
    });
  const numbers = lanes && layOut(key);
  return lanes && numbers ? (text) => lanes.sign({ numbers, signAlone }, text) : signAlone;
}

/** At once: Ed25519 takes less than the way to the thread pool. */
function signsEdwards(key: KeyObject): Sign {
  return async (text) => sign(null, text, key);
}

/** Asks the holder for a signature of each kind first: a key under a wrong name must not sign anybody's answer. */
async function openHeld(
  { version, heldAs, publicKey, ed25519PublicKey }: HeldKey,
  holder: KeyHolder | undefined,
): Promise<OpenKey> {
  if (!holder)
    throw new Error(
      `Gateway key ${version} is held elsewhere, as ${heldAs}: only a \`tollgate signer\` that knows where can sign with it.`,
    );
  const tried = async (algorithm: Algorithm, spki: Buffer): Promise<Sign> => {
    const signs: Sign = (text) => holder.sign(heldName(heldAs, algorithm), text, algorithm);
    const text = Buffer.from(`tollgate gateway key ${version}`, "utf8");
    if (!signatureHolds(publicKeyIn(spki), text, await signs(text)))
      throw new Error(
        `What signs as ${heldName(heldAs, algorithm)} is another key than gateway key ${version} in the database.`,
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

/** The key with its private halves under the current wrapping key; undefined when they are already. */
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

/** What an operator can do when a version cannot sign. */
export function noSuchKey(version: number, algorithm: Algorithm): string {
  return algorithm === "RSA256"
    ? `There is no gateway key of version ${version}.`
    : `Gateway key ${version} has no pair of ${algorithm}; \`gateway-key add\` makes a version that has one.`;
}

function openKey(
  { version, ed25519, wrappedPrivateKey }: GatewayKey,
  wrappingKeys: WrappingKeys,
  environment: string,
  lanes: RsaLanes | undefined,
): OpenKey {
  const open = (wrapped: Buffer, algorithm: Algorithm): KeyObject => {
    const key = unwrapUnder(wrappingKeys, wrapped, placeOf(environment, version, algorithm));
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  };
  try {
    const rsa = open(wrappedPrivateKey, "RSA256");
    const edwards = ed25519 && open(ed25519.wrappedPrivateKey, "Ed25519");
    return { RSA256: signsRsa(rsa, lanes), ...(edwards && { Ed25519: signsEdwards(edwards) }) };
  } catch (cause) {
    const reason = "the key file is not the one it was made with, or the row was changed";
    throw new Error(`Gateway key ${version} of ${environment} does not open: ${reason}.`, { cause });
  }
}

/** Bound by AES-GCM: what was copied to another version, environment or algorithm does not decrypt. */
function placeOf(environment: string, version: number, algorithm: Algorithm): string {
  const kind = algorithm === "RSA256" ? "" : ` ${algorithm}`;
  return `tollgate gateway key ${environment} ${version}${kind}`;
}
