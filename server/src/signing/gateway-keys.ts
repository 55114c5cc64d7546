import { createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { unwrap, wrap } from "./wrapping.ts";

/** A key pair of the gateway, as the database keeps it: the private half encrypted (wrapped). */
export interface GatewayKey {
  readonly version: number;
  readonly publicKey: Buffer;
  readonly wrappedPrivateKey: Buffer;
}

/**
 * Signs what leaves the gateway. A port (interface), so that the keys can move to a process of their own or
 * to an HSM (PKCS#11) without changes elsewhere.
 */
export interface Signer {
  /** The version for unauthenticated callers. */
  newestVersion(): number;
  /** The public halves by version, which tell whether a signature is the gateway's own. */
  publicKeys(): ReadonlyMap<number, KeyObject>;
  sign(version: number, text: Uint8Array): Promise<Buffer>;
  /** Loads key versions that were added since the start. */
  refresh(): Promise<void>;
}

/** A capacity decision: 3072 bits sign three times slower, and every answer is signed. */
const modulusLength = 2048;

/** Signs in the thread pool: a signature takes 0.4 ms, and would block the event loop. */
export async function openSigner(
  load: () => Promise<readonly GatewayKey[]>,
  keyEncryptionKey: Buffer,
  environment: string,
): Promise<Signer> {
  const keys = new Map<number, KeyObject>();
  const publicKeys = new Map<number, KeyObject>();
  let newest = 0;

  async function refresh(): Promise<void> {
    for (const key of await load()) {
      const { version } = key;
      if (!keys.has(version)) {
        keys.set(version, openKey(key, keyEncryptionKey, environment));
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
    async sign(version, text) {
      if (!keys.has(version)) await refresh();
      const key = keys.get(version);
      if (!key) throw new Error(`There is no gateway key of version ${version}.`);
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
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength, publicExponent: 65_537 });
  const privateKey = pair.privateKey.export({ format: "der", type: "pkcs8" });
  return {
    version,
    publicKey: pair.publicKey.export({ format: "der", type: "spki" }),
    wrappedPrivateKey: wrap(privateKey, keyEncryptionKey, placeOf(environment, version)),
  };
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
  { version, wrappedPrivateKey }: GatewayKey,
  keyEncryptionKey: Buffer,
  environment: string,
): KeyObject {
  try {
    const key = unwrap(wrappedPrivateKey, keyEncryptionKey, placeOf(environment, version));
    return createPrivateKey({ key, format: "der", type: "pkcs8" });
  } catch (cause) {
    const reason = "the key file is not the one it was made with, or the row was changed";
    throw new Error(`Gateway key ${version} of ${environment} does not open: ${reason}.`, { cause });
  }
}

/** Bound by AES-GCM: a row copied to another version or environment does not decrypt. */
function placeOf(environment: string, version: number): string {
  return `tollgate gateway key ${environment} ${version}`;
}
