import type { ClientScope } from "../api/console-requests.ts";

/** RSA with SHA-256, the algorithm that the gateway verifies. */
const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
  /** The proof of possession: a signature by the private key. */
  readonly proof: string;
}

/** `createKeyPair` creates a key pair in this browser. The private key is never sent. */
export async function createKeyPair(scope: ClientScope): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  return {
    privatePem: toPem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", pair.privateKey)),
    ...(await proveKeyPair(scope, pair)),
  };
}

/**
 * `createNonExportableKeyPair` creates a key pair whose private key is not extractable: the browser can store it and
 * sign with it, but no code can read its bytes.
 */
export async function createNonExportableKeyPair(
  scope: ClientScope,
): Promise<Omit<KeyPair, "privatePem"> & { readonly privateKey: CryptoKey }> {
  const pair = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  return { privateKey: pair.privateKey, ...(await proveKeyPair(scope, pair)) };
}

async function proveKeyPair(
  scope: ClientScope,
  { privateKey, publicKey }: CryptoKeyPair,
): Promise<Pick<KeyPair, "publicPem" | "proof">> {
  const publicDer = await crypto.subtle.exportKey("spki", publicKey);
  const digest = await crypto.subtle.digest("SHA-256", publicDer);
  const challenge = challengeFor(scope, toHex(digest));
  return { publicPem: toPem("PUBLIC KEY", publicDer), proof: await signText(privateKey, challenge) };
}

/** `signText` returns the signature of a text in base64. */
export async function signText(privateKey: CryptoKey, text: string): Promise<string> {
  return toBase64(await crypto.subtle.sign(algorithm.name, privateKey, new TextEncoder().encode(text)));
}

/** `isSignedBy` verifies a signature with a public key. */
export async function isSignedBy(publicPem: string, signature: string, text: string): Promise<boolean> {
  const der = fromBase64(publicPem.replaceAll(/-----.*-----|\s/g, ""));
  const key = await crypto.subtle.importKey("spki", der, algorithm, false, ["verify"]);
  return crypto.subtle.verify(algorithm.name, key, fromBase64(signature), new TextEncoder().encode(text));
}

/**
 * `challengeFor` returns the text that a private key signs as proof of possession. It names environment, client and
 * key, so that the proof is valid only for them.
 */
export function challengeFor({ environment, clientId }: ClientScope, digest: string): string {
  return `I hold the private key. ${environment} ${clientId} sha256:${digest}`;
}

function toPem(label: string, bytes: ArrayBuffer): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
