import type { Place } from "../api/console.ts";

/** RSA with SHA-256, as the gateway verifies it. */
const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
  /** The signature that shows the gateway that the private half is here. */
  readonly proof: string;
}

/** Makes a key pair for a client in this browser. Its private half is never sent to anybody. */
export async function makeKeyPair(place: Place): Promise<KeyPair> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const publicDer = await crypto.subtle.exportKey("spki", publicKey);
  const digest = await crypto.subtle.digest("SHA-256", publicDer);
  const challenge = new TextEncoder().encode(challengeFor(place, toHex(digest)));
  return {
    privatePem: toPem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", privateKey)),
    publicPem: toPem("PUBLIC KEY", publicDer),
    proof: toBase64(await crypto.subtle.sign(algorithm.name, privateKey, challenge)),
  };
}

/** What a private key signs as its proof of possession. It names the place and the key, so that it proves nothing else. */
export function challengeFor({ environment, clientId }: Place, digest: string): string {
  return `I hold the private key. ${environment} ${clientId} sha256:${digest}`;
}

function toPem(label: string, bytes: ArrayBuffer): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
