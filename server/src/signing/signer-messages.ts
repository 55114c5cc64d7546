import { createPublicKey, type KeyObject } from "node:crypto";
import type { Algorithm } from "./algorithm.ts";
import { textBeforeBody, type SignedParts } from "./signed-text.ts";

/**
 * The content of a request to sign a message: key version (4 bytes), algorithm (1), length of the text before the body
 * (2), text.
 */
export interface SignRequest {
  readonly keyVersion: number;
  readonly algorithm: Algorithm;
  readonly parts: SignedParts;
}

/** A sign request as the signer parses it. `text` is the text to sign; `beforeBody` and `body` are its two parts. */
export interface ParsedSignRequest extends Pick<SignRequest, "keyVersion" | "algorithm"> {
  readonly text: Buffer;
  readonly beforeBody: string;
  readonly body: Buffer;
}

/** Algorithms of sign requests. The wire form of an algorithm is its index in this list. */
const algorithms = ["RSA256", "Ed25519"] as const satisfies readonly Algorithm[];
const headBytes = 7;

export function writeSignRequest({ keyVersion, algorithm, parts }: SignRequest): Buffer {
  const beforeBody = textBeforeBody(parts);
  const beforeBodyBytes = Buffer.byteLength(beforeBody);
  const content = Buffer.allocUnsafe(headBytes + beforeBodyBytes + parts.body.length);
  content.writeUInt32BE(keyVersion, 0);
  content.writeUInt8(algorithms.indexOf(algorithm), 4);
  content.writeUInt16BE(beforeBodyBytes, 5);
  content.write(beforeBody, headBytes);
  content.set(parts.body, headBytes + beforeBodyBytes);
  return content;
}

/** Parses the content of a sign request; undefined if it is malformed. */
export function readSignRequest(content: Buffer): ParsedSignRequest | undefined {
  const algorithm = content.length < headBytes ? undefined : algorithms[content.readUInt8(4)];
  if (!algorithm) return undefined;
  const text = content.subarray(headBytes);
  const beforeBodyBytes = content.readUInt16BE(5);
  return {
    keyVersion: content.readUInt32BE(0),
    algorithm,
    text,
    beforeBody: text.toString("utf8", 0, beforeBodyBytes),
    body: text.subarray(beforeBodyBytes),
  };
}

/** Writes the public RSA keys, by version, as the content of a frame. */
export function writePublicKeys(publicKeys: ReadonlyMap<number, KeyObject>): Buffer {
  const all = [...publicKeys].map(([version, key]) => ({
    version,
    publicKey: key.export({ format: "der", type: "spki" }).toString("base64"),
  }));
  return Buffer.from(JSON.stringify(all), "utf8");
}

export function readPublicKeys(content: Buffer): ReadonlyMap<number, KeyObject> {
  const all = JSON.parse(content.toString("utf8")) as { version: number; publicKey: string }[];
  return new Map(
    all.map(({ version, publicKey }) => [
      version,
      createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" }),
    ]),
  );
}
