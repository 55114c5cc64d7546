import { readKey, type RsaKey } from "./key-text.ts";

/** A WebCrypto key that the caller holds. It need not be extractable. */
export interface WebCryptoKey {
  readonly type: string;
  readonly algorithm: { readonly name: string };
  readonly extractable: boolean;
  readonly usages: readonly string[];
}

/** PEM or bare base64, in any of the usual formats; or a WebCrypto key. */
export type KeyInput = string | WebCryptoKey;

export interface PrivateKey {
  sign(text: Uint8Array): Promise<Uint8Array>;
  /** The public key (SubjectPublicKeyInfo); undefined if the text of the private key is not known. */
  readonly spki?: Uint8Array;
}

export interface PublicKey {
  verify(text: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /** The length of the key's signatures in bytes; undefined for a key without text. */
  readonly signatureBytes?: number;
  readonly spki?: Uint8Array;
}

export function privateKeyOf(input: KeyInput): PrivateKey {
  if (typeof input !== "string") return { sign: (text) => webSign(input, text) };
  const key = readKey(input, "private");
  return { sign: node ? nodeSigner(node, key) : webSigner(key), spki: key.spki };
}

export function publicKeyOf(input: KeyInput): PublicKey {
  if (typeof input !== "string") return { verify: (text, signature) => webVerify(input, text, signature) };
  const key = readKey(input, "public");
  const verify = node ? nodeVerifier(node, key) : webVerifier(key);
  return { verify, signatureBytes: Math.ceil(key.bits / 8), spki: key.spki };
}

type NodeCrypto = typeof import("node:crypto");

/**
 * Node's own crypto functions are several times faster than its WebCrypto. They are not imported statically,
 * so that browsers can load this module.
 */
const node = nodeCrypto();

function nodeCrypto(): NodeCrypto | undefined {
  if (typeof process === "undefined" || typeof process.getBuiltinModule !== "function") return undefined;
  return process.getBuiltinModule("node:crypto");
}

function nodeSigner(
  { createPrivateKey, sign }: NodeCrypto,
  { pkcs8 = new Uint8Array() }: RsaKey,
): PrivateKey["sign"] {
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
  // `sign` gets a callback, because signing then runs in another thread and does not block the event loop.
  return (text) =>
    new Promise((resolve, reject) => {
      sign("sha256", text, key, (error, signature) => (error ? reject(error) : resolve(signature)));
    });
}

function nodeVerifier({ createPublicKey, verify }: NodeCrypto, { spki }: RsaKey): PublicKey["verify"] {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  return async (text, signature) => verify("sha256", text, key, signature);
}

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

function webSigner({ pkcs8 = new Uint8Array() }: RsaKey): PrivateKey["sign"] {
  let imported: Promise<WebCryptoKey> | undefined;
  return async (text) => {
    imported ??= crypto.subtle.importKey("pkcs8", buffer(pkcs8), algorithm, false, ["sign"]);
    return webSign(await imported, text);
  };
}

function webVerifier({ spki }: RsaKey): PublicKey["verify"] {
  let imported: Promise<WebCryptoKey> | undefined;
  return async (text, signature) => {
    imported ??= crypto.subtle.importKey("spki", buffer(spki), algorithm, false, ["verify"]);
    return webVerify(await imported, text, signature);
  };
}

type Subtle = typeof crypto.subtle;
type SubtleKey = Parameters<Subtle["sign"]>[1];

async function webSign(key: WebCryptoKey, text: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(algorithm.name, key as SubtleKey, buffer(text)));
}

async function webVerify(key: WebCryptoKey, text: Uint8Array, signature: Uint8Array): Promise<boolean> {
  return crypto.subtle.verify(algorithm.name, key as SubtleKey, buffer(signature), buffer(text));
}

/** Copies the bytes, because WebCrypto does not accept views of memory that might be shared. */
function buffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
