import { decodeSignature } from "./signature-header.ts";

/** An encoding of a signature's bytes. */
export interface Spelling {
  /** The advice for a wrong encoding; undefined for the right encoding. */
  readonly change: string | undefined;
  readonly read: (value: string) => Buffer | undefined;
}

/** Possible encodings of a signature in its header; the right one first. */
export const spellings: readonly Spelling[] = [
  { change: undefined, read: decodeSignature },
  {
    change: "The signature is in hexadecimal digits: write it in base64.",
    read: (value) => (/^(?:[0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, "hex") : undefined),
  },
  {
    change: "The signature is in base64 twice: encode its bytes once.",
    read: (value) => decodeSignature(decodeSignature(value)?.toString("latin1") ?? ""),
  },
  {
    change:
      "The signature is percent-encoded twice, or its base64 has spaces, line breaks or quotes in it: write it on one line, and encode it once.",
    read: (value) =>
      decodeSignature(
        percentDecoded(value)
          .replaceAll(" ", "+")
          .replaceAll(/["'\r\n]|\\[rn]/g, ""),
      ),
  },
  {
    change: "The signature's bytes are in reverse order: reverse them.",
    read: (value) => reversed(decodeSignature(value)),
  },
];

function percentDecoded(value: string): string {
  return value.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function reversed(bytes: Buffer | undefined): Buffer | undefined {
  return bytes && Buffer.from(bytes.toReversed());
}
