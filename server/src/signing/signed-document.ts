import { sign, verify, type KeyObject } from "node:crypto";

/** A document of the operator, signed with Ed25519. The file contains `{"document": TEXT, "signature": BASE64}`. */
export function signDocument(kind: string, document: string, privateKey: KeyObject): string {
  const signature = sign(null, signedBytes(kind, document), privateKey).toString("base64");
  return `${JSON.stringify({ document, signature }, undefined, 2)}\n`;
}

/** The document's text. Throws if none of the keys has signed it as a document of this kind. */
export function openDocument(kind: string, file: string, publicKeys: readonly KeyObject[]): string {
  const { document, signature } = JSON.parse(file) as Readonly<Record<string, unknown>>;
  if (typeof document !== "string" || typeof signature !== "string")
    throw new Error(`This is no signed ${kind}.`);
  const bytes = signedBytes(kind, document);
  const isSigned = publicKeys.some((key) => verify(null, bytes, key, Buffer.from(signature, "base64")));
  if (!isSigned) throw new Error(`The ${kind} is not signed by a known key.`);
  return document;
}

function signedBytes(kind: string, document: string): Buffer {
  return Buffer.from(`tollgate ${kind}\n${document}`, "utf8");
}
