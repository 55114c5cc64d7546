import { sign, verify, type KeyLike } from "node:crypto";
import { utf8 } from "./bytes.ts";
import {
  decodeSignature,
  readSignatureHeader,
  signedText as textOfParts,
  writeSignatureHeader,
} from "./signature.ts";

/** A message and who it is from or for. The time is the text of its header. */
export interface Message {
  readonly method?: string;
  /** Path and query, as sent. An answer is signed over the path of its request. */
  readonly path: string;
  readonly clientId: string;
  readonly time: string;
  readonly body: string | Uint8Array;
}

/** The value of the `signature` header for a message. */
export function signatureFor(message: Message, privateKey: KeyLike, keyVersion: number): string {
  return writeSignatureHeader(keyVersion, sign("sha256", signedText(message), privateKey));
}

/** As `signatureFor`, in a thread of its own: signing takes long enough to keep others waiting. */
export function signatureInBackground(
  message: Message,
  privateKey: KeyLike,
  keyVersion: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    sign("sha256", signedText(message), privateKey, (error, signature) =>
      error ? reject(error) : resolve(writeSignatureHeader(keyVersion, signature)),
    );
  });
}

/** Whether `header` is the signature of the message by the owner of the key. */
export function signatureHolds(message: Message, header: string, publicKey: KeyLike): boolean {
  const read = readSignatureHeader([header]);
  const signature = typeof read === "string" ? undefined : decodeSignature(read.signature);
  return signature !== undefined && verify("sha256", signedText(message), publicKey, signature);
}

function signedText({ method = "POST", path, clientId, time, body }: Message): Uint8Array {
  return textOfParts({ method, path, clientId, time, body: typeof body === "string" ? utf8(body) : body });
}
