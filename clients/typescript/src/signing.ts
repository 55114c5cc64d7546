import { createPrivateKey, createPublicKey, KeyObject, sign, verify, type KeyLike } from "node:crypto";
import { utf8 } from "./bytes.ts";
import {
  decodeSignature,
  readSignatureHeader,
  signedText as textOfParts,
  writeSignatureHeader,
  type Algorithm,
} from "./signature.ts";

/** A message and its client id. The time is the text of the message's time header. */
export interface Message {
  readonly method?: string;
  /** Path and query, as sent. A response is signed with the path of its request. */
  readonly path: string;
  readonly clientId: string;
  readonly time: string;
  readonly body: string | Uint8Array;
}

/**
 * The type of the key determines the algorithm, not the message: RSA for merchants, RSA or Ed25519 for
 * payment providers.
 */
export function algorithmOf(key: KeyObject): Algorithm {
  return key.asymmetricKeyType === "ed25519" ? "Ed25519" : "RSA256";
}

/** The value of the `signature` header for a message. */
export function signatureFor(message: Message, privateKey: KeyLike, keyVersion: number): string {
  const key = privateKey instanceof KeyObject ? privateKey : createPrivateKey(privateKey);
  const algorithm = algorithmOf(key);
  return writeSignatureHeader(keyVersion, sign(digestOf(algorithm), signedText(message), key), algorithm);
}

/** Like `signatureFor`, but signs with RSA in another thread, so that it does not block the event loop. */
export async function signatureInBackground(
  message: Message,
  privateKey: KeyObject,
  keyVersion: number,
): Promise<string> {
  const algorithm = algorithmOf(privateKey);
  if (algorithm === "Ed25519") return signatureFor(message, privateKey, keyVersion);
  return new Promise((resolve, reject) => {
    sign(digestOf(algorithm), signedText(message), privateKey, (error, signature) =>
      error ? reject(error) : resolve(writeSignatureHeader(keyVersion, signature, algorithm)),
    );
  });
}

/** Whether `header` is a valid signature of the message by this key, with the key's own algorithm. */
export function signatureHolds(message: Message, header: string, publicKey: KeyLike): boolean {
  const key = publicKey instanceof KeyObject ? publicKey : createPublicKey(publicKey);
  const algorithm = algorithmOf(key);
  const read = readSignatureHeader([header], algorithm);
  const signature = typeof read === "string" ? undefined : decodeSignature(read.signature);
  return signature !== undefined && verify(digestOf(algorithm), signedText(message), key, signature);
}

/** Ed25519 hashes the text itself. */
function digestOf(algorithm: Algorithm): "sha256" | null {
  return algorithm === "RSA256" ? "sha256" : null;
}

function signedText({ method = "POST", path, clientId, time, body }: Message): Uint8Array {
  return textOfParts({ method, path, clientId, time, body: typeof body === "string" ? utf8(body) : body });
}
