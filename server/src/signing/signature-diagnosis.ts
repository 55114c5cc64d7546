import type { KeyObject } from "node:crypto";
import { recoverSignature, type Digest, type RecoveredSignature } from "./recover-signature.ts";
import { signedText } from "./signed-text.ts";
import type { SentRequest } from "./signature-mistake.ts";
import { candidatesFor, signatureMistakes, type SignedTextCandidate } from "./signature-candidates.ts";
import { signatureEncodings, type SignatureEncoding } from "./signature-encodings.ts";

/** A request with an invalid signature, and the keys that may have made it. */
export interface UnverifiedRequest {
  readonly sent: SentRequest;
  /** The signature as in the header, still encoded. */
  readonly signature: string;
  /** The key of the version that the header names; undefined if there is none. */
  readonly claimedKey: KeyObject | undefined;
  readonly otherKeys: readonly OtherKey[];
}

/** A known key other than the one that the header names. */
export interface OtherKey {
  readonly key: KeyObject;
  /** The sentence to report if this key made the signature. */
  readonly explanation: string;
  /**
   * Whether to search for the signed text. It is not searched for the gateway's own key: anyone can obtain its
   * signatures, and the search costs CPU time.
   */
  readonly isMerchantKey: boolean;
}

export interface Diagnosis {
  /** The key that made the signature. A damaged signature belongs to no known key. */
  readonly madeBy: "claimed key" | "other key" | "no key that we hold";
  /** The mistakes that lead to the signed text: empty if the text is right, undefined if the text was not found. */
  readonly mistakes: readonly string[] | undefined;
  /** The whole diagnosis in sentences for a developer. */
  readonly message: string;
}

/** Larger bodies are not diagnosed. */
const bodyBytesMax = 64 * 1024;
/** Limit of the work of one diagnosis: total bytes of all texts that it builds and hashes. */
const hashedBytesMax = 512 * 1024;
/** Limit of the work of one diagnosis: number of public keys with which it tries the signature. */
const keysMax = 8;

/**
 * Explains why a signature is invalid. With the public key, an RSA signature yields the signed digest, so each finding
 * is certain: a key is named if its padding appears, a mistake if its text has that digest. It returns undefined if the
 * body is too large. It is a pure function of its arguments.
 */
export function diagnose(request: UnverifiedRequest): Diagnosis | undefined {
  if (request.sent.body.length > bodyBytesMax) return undefined;
  const finding = findSigningKey(request);
  if (!finding) return { madeBy: "no key that we hold", mistakes: undefined, message: unknownKeyExplanation };
  const { otherKey, candidate } = finding;
  return {
    madeBy: otherKey ? "other key" : "claimed key",
    mistakes: candidate?.mistakes,
    message: explainFinding(request.sent, finding).join(" "),
  };
}

const unknownKeyExplanation =
  "No key that we hold for you made this signature: it is another key's, or its bytes were changed on the way. " +
  "Compare the public half of the key that you sign with to the one that you registered.";

interface SignatureFinding {
  readonly encoding: SignatureEncoding;
  /** The known key that made the signature, unless it is the claimed one. */
  readonly otherKey: OtherKey | undefined;
  readonly recovered: RecoveredSignature;
  readonly candidate: SignedTextCandidate | undefined;
}

function findSigningKey({
  sent,
  signature,
  claimedKey,
  otherKeys,
}: UnverifiedRequest): SignatureFinding | undefined {
  const keys = [
    ...(claimedKey ? [{ key: claimedKey, otherKey: undefined }] : []),
    ...otherKeys.map((otherKey) => ({ key: otherKey.key, otherKey })),
  ];
  for (const encoding of signatureEncodings) {
    const bytes = encoding.decode(signature);
    if (!bytes) continue;
    for (const { key, otherKey } of keys.slice(0, encoding.advice === undefined ? keysMax : 1)) {
      const recovered = recoverSignature(key, bytes);
      const candidate =
        recovered && (otherKey?.isMerchantKey ?? true) ? findMatchingCandidate(recovered, sent) : undefined;
      if (recovered && (recovered.isCertain || candidate))
        return { encoding, otherKey, recovered, candidate };
    }
  }
  return undefined;
}

function findMatchingCandidate(
  recovered: RecoveredSignature,
  sent: SentRequest,
): SignedTextCandidate | undefined {
  let hashedBytes = 0;
  for (const candidate of candidatesFor(sent)) {
    hashedBytes += candidate.text.length;
    if (hashedBytes > hashedBytesMax) return undefined;
    if (recovered.matches(candidate.text)) return candidate;
  }
  return undefined;
}

function explainFinding(
  sent: SentRequest,
  { encoding, otherKey, recovered, candidate }: SignatureFinding,
): readonly string[] {
  const problems = [encoding.advice, otherKey?.explanation, ...paddingProblems(recovered)].filter(
    (problem) => problem !== undefined,
  );
  if (otherKey && !otherKey.isMerchantKey) return problems;
  const rightKeySentence = otherKey ? [] : ["Your key is right."];
  if (candidate?.mistakes.length === 0) {
    return problems.length === 0
      ? ["The signature holds."]
      : [...rightKeySentence, "The signed text is right.", ...problems];
  }
  if (problems.length > 0)
    return [
      ...rightKeySentence,
      ...problems,
      ...explainDifference("You signed other bytes", sent, recovered, candidate),
    ];
  return explainDifference("Your key is right, but you signed other bytes", sent, recovered, candidate);
}

function explainDifference(
  opening: string,
  sent: SentRequest,
  { digest, algorithm }: RecoveredSignature,
  candidate: SignedTextCandidate | undefined,
): readonly string[] {
  if (!candidate) {
    const digestSentence = digest
      ? ` The ${digestName(algorithm)} of what you signed is ${digest.toString("hex")}.`
      : "";
    return [`${opening}, and none of the usual mistakes explains them.${digestSentence}`];
  }
  const mistakes = candidate.mistakes.flatMap((name) => signatureMistakes[name] ?? []);
  const advice = new Set(mistakes.map((mistake) => mistake.advice));
  const difference = firstDifference(candidate.text, signedText(sent));
  return [
    `${opening}: ${mistakes.map(({ description }) => description).join("; and ")}.`,
    ...advice,
    ...difference,
  ];
}

function paddingProblems({ form, algorithm }: RecoveredSignature): readonly string[] {
  const forms = {
    "PKCS#1 v1.5": [],
    PSS: ["It has the padding PSS: use PKCS#1 v1.5, which most libraries call SHA256withRSA."],
    bare: [
      "It was made by raw RSA, which does not name the digest: use a function that hashes and signs, SHA256withRSA or openssl dgst -sha256 -sign.",
    ],
  };
  const wrongDigest = `It was made with ${digestName(algorithm)}: use SHA-256.`;
  return [...forms[form], ...(algorithm === "sha256" ? [] : [wrongDigest])];
}

function digestName(algorithm: Digest): string {
  return algorithm.toUpperCase().replace("SHA", "SHA-");
}

/** The first difference of the two texts; empty if they have no common beginning. */
function firstDifference(signed: Buffer, verified: Buffer): readonly string[] {
  let at = 0;
  while (at < signed.length && signed[at] === verified[at]) at += 1;
  if (at === 0) return [];
  const [yours, ours] = [byteAt(signed, at), byteAt(verified, at)];
  return [`The first ${at} bytes agree; then you signed ${yours}, and we received ${ours}.`];
}

function byteAt(text: Buffer, at: number): string {
  const byte = text[at];
  return byte === undefined ? "nothing more" : `0x${byte.toString(16).padStart(2, "0")}`;
}
