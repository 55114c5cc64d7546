import { sign, verify, type KeyLike } from "node:crypto";

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
  return headerFor(sign("sha256", signedText(message), privateKey), keyVersion);
}

/** As `signatureFor`, in a thread of its own: signing takes long enough to keep others waiting. */
export function signatureInBackground(
  message: Message,
  privateKey: KeyLike,
  keyVersion: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    sign("sha256", signedText(message), privateKey, (error, signature) =>
      error ? reject(error) : resolve(headerFor(signature, keyVersion)),
    );
  });
}

/** Whether `header` is the signature of the message by the owner of the key. */
export function signatureHolds(message: Message, header: string, publicKey: KeyLike): boolean {
  const value = /(?:^|,)\s*signature=([^,\s]+)/i.exec(header)?.[1];
  if (!value || !/(?:^|,)\s*algorithm=RSA256(?:,|\s|$)/i.test(header)) return false;
  const base64 = value.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return verify("sha256", signedText(message), publicKey, Buffer.from(base64, "base64"));
}

function headerFor(signature: Buffer, keyVersion: number): string {
  const encoded = encodeURIComponent(signature.toString("base64"));
  return `algorithm=RSA256,keyVersion=${keyVersion},signature=${encoded}`;
}

function signedText({ method = "POST", path, clientId, time, body }: Message): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  return Buffer.concat([Buffer.from(`${method} ${path}\n${clientId}.${time}.`, "utf8"), bytes]);
}
