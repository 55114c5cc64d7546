import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Algorithm } from "../../../clients/typescript/src/signature.ts";
import { signatureFor, type Message } from "../../../clients/typescript/src/signing.ts";
import { toWireTime } from "../../../clients/typescript/src/wire-time.ts";

/** The signing side: its client id in the messages, and its key with a version. */
export interface Signer {
  readonly clientId: string;
  readonly privateKey: KeyObject;
  readonly keyVersion: number;
}

/** Returns the three headers of a signed message. Fields in `message` replace the correct values. */
export function signHeaders(
  { clientId, privateKey, keyVersion }: Signer,
  message: Pick<Message, "path" | "body"> & Partial<Message>,
): Record<string, string> {
  const signed = { clientId, time: toWireTime(Date.now()), ...message };
  return {
    "client-id": signed.clientId,
    "request-time": signed.time,
    signature: signatureFor(signed, privateKey, keyVersion),
  };
}

/** Creates a key: RSA by default. Only providers may use another algorithm. */
export async function createKey(algorithm: Algorithm = "RSA256"): Promise<KeyObject> {
  if (algorithm === "Ed25519") return generateKeyPairSync("ed25519").privateKey;
  return (await promisify(generateKeyPair)("rsa", { modulusLength: 2048 })).privateKey;
}

/** The file of the public key next to a private key: `conform.pem` has `conform-public.pem`. */
export function publicKeyFileFor(privateFile: string): string {
  return privateFile.replace(/(\.pem)?$/, "-public.pem");
}

/**
 * Reads the signing key. A missing key is created with its public key next to it, and the command stops with the text
 * of `nextStep`, because the other side must know the public key before the check can start.
 */
export async function readSigningKey(
  file: string,
  nextStep: (publicFile: string) => string,
  algorithm?: Algorithm,
): Promise<KeyObject> {
  const publicFile = publicKeyFileFor(file);
  if (existsSync(file)) return createPrivateKey(await readFile(file, "utf8"));
  const key = await createKey(algorithm);
  await writeFile(file, key.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  await writeFile(publicFile, createPublicKey(key).export({ format: "pem", type: "spki" }));
  throw new Error(`${file} is a new signing key, and ${publicFile} its public key. ${nextStep(publicFile)}`);
}
