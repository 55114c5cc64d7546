import { constants, hash, publicDecrypt, type KeyObject } from "node:crypto";

/** The content of a signature, recovered with the public key that matches it. */
export interface RecoveredSignature {
  readonly form: "PKCS#1 v1.5" | "PSS" | "bare";
  readonly algorithm: Digest;
  /** The signed digest; undefined for PSS, which mixes the digest with a salt. */
  readonly digest: Buffer | undefined;
  /** Whether the form alone proves that this key made the signature. If not, only a matching text proves it. */
  readonly isCertain: boolean;
  /** Whether this text is the signed one. */
  readonly matches: (text: Uint8Array) => boolean;
}

export type Digest = keyof typeof digestInfos;

/** DigestInfo (RFC 8017, 9.2) names the hash function before the digest. */
const digestInfos = {
  sha256: "3031300d060960864801650304020105000420",
  sha1: "3021300906052b0e03021a05000414",
  sha512: "3051300d060960864801650304020305000440",
  sha384: "3041300d060960864801650304020205000430",
  sha224: "302d300d06096086480165030402040500041c",
  md5: "3020300c06082a864886f70d020505000410",
} as const;

/**
 * Undoes an RSA signature with a public key. With the right key the padding appears, with the signed digest. Returns
 * undefined if this key did not make the signature.
 */
export function recoverSignature(key: KeyObject, signature: Uint8Array): RecoveredSignature | undefined {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (signature.length !== Math.ceil(bits / 8)) return undefined;
  let block: Buffer;
  try {
    block = publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    // OpenSSL throws for a number that is larger than the modulus, which is no signature of this key.
    return undefined;
  }
  const payload = readPadding(block);
  return payload ? readDigestInfo(payload) : readPss(block, bits);
}

/** Minimum number of padding bytes, so that they do not appear by chance. */
const paddingMin = 8;

/** Reads the form `00 01 FF … FF 00`, followed by the signed content. */
function readPadding(block: Buffer): Buffer | undefined {
  if (block[0] !== 0 || block[1] !== 1) return undefined;
  const end = block.findIndex((byte, index) => index > 1 && byte !== 0xff);
  return end >= 2 + paddingMin && block[end] === 0 ? block.subarray(end + 1) : undefined;
}

function readDigestInfo(payload: Buffer): RecoveredSignature {
  for (const algorithm of Object.keys(digestInfos) as Digest[]) {
    const prefix = Buffer.from(digestInfos[algorithm], "hex");
    if (!payload.subarray(0, prefix.length).equals(prefix)) continue;
    const digest = payload.subarray(prefix.length);
    const matches = (text: Uint8Array): boolean => hash(algorithm, text, "buffer").equals(digest);
    return { form: "PKCS#1 v1.5", algorithm, digest, isCertain: true, matches };
  }
  // A signature without DigestInfo: raw RSA over a digest, over its hexadecimal digits, or over a short text.
  const matches = (text: Uint8Array): boolean => {
    const digest = hash("sha256", text, "buffer");
    return (
      payload.equals(digest) || payload.equals(Buffer.from(digest.toString("hex"))) || payload.equals(text)
    );
  };
  const digest = payload.length === 32 ? payload : undefined;
  return { form: "bare", algorithm: "sha256", digest, isCertain: true, matches };
}

/** Pairs of digests, of the message and of the mask (MGF1), that libraries use for PSS. */
const pssForms: readonly (readonly [Digest, Digest])[] = [
  ["sha256", "sha256"],
  ["sha256", "sha1"],
  ["sha1", "sha1"],
  ["sha512", "sha512"],
];

/** Decodes EMSA-PSS (RFC 8017, 9.1.2) up to the step that needs the message. */
function readPss(block: Buffer, bits: number): RecoveredSignature | undefined {
  if (block.at(-1) !== 0xbc) return undefined;
  const encoded = block.subarray(block.length - Math.ceil((bits - 1) / 8));
  let uncertain: RecoveredSignature | undefined;
  for (const [algorithm, maskDigest] of pssForms) {
    const digestBytes = hash(algorithm, "", "buffer").length;
    const maskedDigest = encoded.subarray(-1 - digestBytes, -1);
    const data = applyMask(encoded.subarray(0, -1 - digestBytes), maskedDigest, maskDigest);
    data[0] = (data[0] ?? 0) & (0xff >> (8 * encoded.length - (bits - 1)));
    const separatorIndex = data.findIndex((byte) => byte !== 0);
    if (data[separatorIndex] !== 1) continue;
    const salt = data.subarray(separatorIndex + 1);
    const matches = (text: Uint8Array): boolean => {
      const message = Buffer.concat([Buffer.alloc(8), hash(algorithm, text, "buffer"), salt]);
      return hash(algorithm, message, "buffer").equals(maskedDigest);
    };
    // With the longest salt there are no zeros before it, so the form alone proves little: one wrong pair of digests in
    // 255 has it too. A later pair may have the zeros.
    const isCertain = separatorIndex >= paddingMin;
    const recovered: RecoveredSignature = { form: "PSS", algorithm, digest: undefined, isCertain, matches };
    if (isCertain) return recovered;
    uncertain ??= recovered;
  }
  return uncertain;
}

/** MGF1 (RFC 8017, B.2.1). */
function applyMask(data: Buffer, seed: Buffer, maskDigest: Digest): Buffer {
  const mask: Buffer[] = [];
  for (let count = 0, bytes = 0; bytes < data.length; count += 1) {
    const counter = Buffer.from([0, 0, 0, count]);
    const next = hash(maskDigest, Buffer.concat([seed, counter]), "buffer");
    mask.push(next);
    bytes += next.length;
  }
  const all = Buffer.concat(mask);
  return Buffer.from(data.map((byte, index) => byte ^ (all[index] ?? 0)));
}
