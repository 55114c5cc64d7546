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

/** Whoever signs: a client id in the messages, and a key under a version. */
export interface Signer {
  readonly clientId: string;
  readonly privateKey: KeyObject;
  readonly keyVersion: number;
}

/** The three headers of a signed message. Whatever is given in `message` replaces what would be right. */
export function signedHeaders(
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

/** RSA unless said otherwise: wallets alone may have another. */
export async function newKey(algorithm: Algorithm = "RSA256"): Promise<KeyObject> {
  if (algorithm === "Ed25519") return generateKeyPairSync("ed25519").privateKey;
  return (await promisify(generateKeyPair)("rsa", { modulusLength: 2048 })).privateKey;
}

/** The public half beside a private key: `conform.pem` has `conform-public.pem`. */
export function publicFileOf(privateFile: string): string {
  return privateFile.replace(/(\.pem)?$/, "-public.pem");
}

/**
 * The key to sign with. One that is not there is made, with its public half beside it, and `next` says what to do with that: the
 * other side has to know it before anything can be checked.
 */
export async function readSigningKey(
  file: string,
  next: (publicFile: string) => string,
  algorithm?: Algorithm,
): Promise<KeyObject> {
  const publicFile = publicFileOf(file);
  if (existsSync(file)) return createPrivateKey(await readFile(file, "utf8"));
  const key = await newKey(algorithm);
  await writeFile(file, key.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  await writeFile(publicFile, createPublicKey(key).export({ format: "pem", type: "spki" }));
  throw new Error(
    `${file} is a new key to sign with, and ${publicFile} its public half. ${next(publicFile)}`,
  );
}
