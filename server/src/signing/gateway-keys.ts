import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import type { Algorithm } from "./algorithm.ts";
import { layOut, type LaidOutKey, type RsaLanes } from "./rsa-lanes.ts";
import { unwrap, wrap } from "./wrapping.ts";

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

/**
 * Signs what leaves the gateway. A port (interface), so that the keys can move to a process of their own or
 * to an HSM (PKCS#11) without changes elsewhere.
 */
export interface Signer {
  /** The version for unauthenticated callers. */
  newestVersion(): number;
  /** The public halves of RSA by version, which tell whether a signature is the gateway's own. */
  publicKeys(): ReadonlyMap<number, KeyObject>;
  /** By RSA256 unless said otherwise; a wallet is signed for by the algorithm of its own key. */
  sign(version: number, text: Uint8Array, algorithm?: Algorithm): Promise<Buffer>;
  /** Loads key versions that were added since the start. */
  refresh(): Promise<void>;
}

/** A capacity decision: 3072 bits sign three times slower, and every answer is signed. */
const modulusLength = 2048;

/** A version's private halves, opened. */
interface OpenKey {
  readonly RSA256: KeyObject;
  readonly Ed25519?: KeyObject;
  /** RSA's once more, for signing several at a time, where the operator chose that. */
  readonly laidOut?: LaidOutKey | undefined;
}

/** Signs RSA in the thread pool: it takes 0.4 ms, and would block the event loop. Ed25519 takes less than the way there. */
export async function openSigner(
  load: () => Promise<readonly GatewayKey[]>,
  keyEncryptionKey: Buffer,
  environment: string,
  lanes?: RsaLanes,
): Promise<Signer> {
  const keys = new Map<number, OpenKey>();
  const publicKeys = new Map<number, KeyObject>();
  let newest = 0;

  async function refresh(): Promise<void> {
    for (const key of await load()) {
      const { version } = key;
      if (!keys.has(version)) {
        const opened = openKey(key, keyEncryptionKey, environment);
        keys.set(version, lanes ? { ...opened, laidOut: layOut(opened.RSA256) } : opened);
        publicKeys.set(version, createPublicKey({ key: key.publicKey, format: "der", type: "spki" }));
      }
      newest = Math.max(newest, version);
    }
    if (newest === 0) throw new Error("There is no gateway key yet: run `gateway-key add` first.");
  }

  await refresh();
  return {
    newestVersion: () => newest,
    publicKeys: () => publicKeys,
    refresh,
    async sign(version, text, algorithm = "RSA256") {
      if (!keys.has(version)) await refresh();
      const opened = keys.get(version);
      const key = opened?.[algorithm];
      if (!key) throw new Error(noSuchKey(version, algorithm));
      if (algorithm === "Ed25519") return sign(null, text, key);
      if (lanes && opened.laidOut) return lanes.sign(opened.laidOut, text);
      return new Promise((resolve, reject) => {
        sign("sha256", text, key, (error, signature) => (error ? reject(error) : resolve(signature)));
      });
    },
  };
}

export async function makeGatewayKey(
  version: number,
  keyEncryptionKey: Buffer,
  environment: string,
): Promise<GatewayKey> {
  const rsa = await promisify(generateKeyPair)("rsa", { modulusLength, publicExponent: 65_537 });
  const wrapped = (pair: KeyPair, algorithm: Algorithm): WrappedPair => ({
    publicKey: pair.publicKey.export({ format: "der", type: "spki" }),
    wrappedPrivateKey: wrap(
      pair.privateKey.export({ format: "der", type: "pkcs8" }),
      keyEncryptionKey,
      placeOf(environment, version, algorithm),
    ),
  });
  const ed25519 = wrapped(generateKeyPairSync("ed25519"), "Ed25519");
  return { version, ...wrapped(rsa, "RSA256"), ed25519 };
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

/** Forbidden mode bits: any access for others, and write access for the group. */
const tooMuch = 0o027;

/**
 * Reads the key encryption key: 32 bytes in base64, in a file that is not world-readable. Its group may read
 * it: systemd's `LoadCredential=` and a Kubernetes Secret with `fsGroup` hand over root's files, readable by
 * our group.
 */
export async function readKeyEncryptionKey(file: string): Promise<Buffer> {
  const { mode } = await stat(file);
  if ((mode & tooMuch) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${file} has mode ${found}, which lets in too many; set it to 0400, or to 0440 for a group of its own.`,
    );
  }
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "base64");
  if (key.length !== 32) throw new Error(`${file} has to hold 32 bytes in base64, and holds ${key.length}.`);
  return key;
}

function openKey(
  { version, ed25519, wrappedPrivateKey }: GatewayKey,
  keyEncryptionKey: Buffer,
  environment: string,
): OpenKey {
  const open = (wrapped: Buffer, algorithm: Algorithm): KeyObject => {
    const key = unwrap(wrapped, keyEncryptionKey, placeOf(environment, version, algorithm));
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  };
  try {
    const rsa = open(wrappedPrivateKey, "RSA256");
    return { RSA256: rsa, ...(ed25519 && { Ed25519: open(ed25519.wrappedPrivateKey, "Ed25519") }) };
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
