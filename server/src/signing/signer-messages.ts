import { createPublicKey, type KeyObject } from "node:crypto";
import type { Algorithm } from "./algorithm.ts";

/** What is asked of a signer to sign. */
export interface SignQuestion {
  readonly version: number;
  readonly algorithm: Algorithm;
  readonly text: Uint8Array;
}

/** By their places here they are named on the wire. */
const algorithms = ["RSA256", "Ed25519"] as const satisfies readonly Algorithm[];
const headBytes = 5;

export function writeSignQuestion({ version, algorithm, text }: SignQuestion): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(version, 0);
  head.writeUInt8(algorithms.indexOf(algorithm), 4);
  return Buffer.concat([head, text]);
}

/** Undefined when it is none. */
export function readSignQuestion(content: Buffer): SignQuestion | undefined {
  const algorithm = content.length < headBytes ? undefined : algorithms[content.readUInt8(4)];
  return algorithm && { version: content.readUInt32BE(0), algorithm, text: content.subarray(headBytes) };
}

/** The public halves of RSA, by version. */
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
