import { decodeSignature } from "./signature-header.ts";

/** An encoding of a signature's bytes. */
export interface SignatureEncoding {
  /** The advice for a wrong encoding; undefined for the right encoding. */
  readonly advice: string | undefined;
  readonly decode: (value: string) => Buffer | undefined;
}

/** Possible encodings of a signature in its header; the right one first. */
export const signatureEncodings: readonly SignatureEncoding[] = [
  { advice: undefined, decode: decodeSignature },
  {
    advice: "The signature is in hexadecimal digits: write it in base64.",
    decode: (value) => (/^(?:[0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, "hex") : undefined),
  },
  {
    advice: "The signature is in base64 twice: encode its bytes once.",
    decode: (value) => decodeSignature(decodeSignature(value)?.toString("latin1") ?? ""),
  },
  {
    advice:
      "The signature is percent-encoded twice, or its base64 has spaces, line breaks or quotes in it: write it on one line, and encode it once.",
    decode: (value) =>
      decodeSignature(
        percentDecode(value)
          .replaceAll(" ", "+")
          .replaceAll(/["'\r\n]|\\[rn]/g, ""),
      ),
  },
  {
    advice: "The signature's bytes are in reverse order: reverse them.",
    decode: (value) => reverseBytes(decodeSignature(value)),
  },
];

function percentDecode(value: string): string {
  return value.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function reverseBytes(bytes: Buffer | undefined): Buffer | undefined {
  return bytes && Buffer.from(bytes.toReversed());
}
