import type { KeyObject } from "node:crypto";
import { recoverSignature, type Digest, type Seal } from "./recover.ts";
import { signedText } from "./signed-text.ts";
import type { SentRequest } from "./mistake.ts";
import { guesses, slips, type Guess } from "./mistakes.ts";
import { spellings, type Spelling } from "./spellings.ts";

/** A request with an invalid signature, and the keys that may have made it. */
export interface Complaint {
  readonly sent: SentRequest;
  /** The signature as in the header, still encoded. */
  readonly signature: string;
  /** The key of the version that the header names; undefined if there is none. */
  readonly claimed: KeyObject | undefined;
  readonly others: readonly OtherKey[];
}

/** A known key other than the one that the header names. */
export interface OtherKey {
  readonly key: KeyObject;
  /** The sentence to report if this key made the signature. */
  readonly says: string;
  /**
   * Whether to search for the signed text. It is not searched for the gateway's own key: anyone can obtain its
   * signatures, and the search costs CPU time.
   */
  readonly isYours: boolean;
}

export interface Diagnosis {
  /** The key that made the signature. A damaged signature belongs to no known key. */
  readonly madeBy: "claimed key" | "other key" | "no key that we hold";
  /** The mistakes that lead to the signed text: empty if the text is right, undefined if the text was not found. */
  readonly slips: readonly string[] | undefined;
  /** The whole diagnosis in sentences for a developer. */
  readonly says: string;
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
export function diagnose(complaint: Complaint): Diagnosis | undefined {
  if (complaint.sent.body.length > bodyBytesMax) return undefined;
  const finding = find(complaint);
  if (!finding) return { madeBy: "no key that we hold", slips: undefined, says: nobodys };
  const { other, guess } = finding;
  return {
    madeBy: other ? "other key" : "claimed key",
    slips: guess?.slips,
    says: sentences(complaint.sent, finding).join(" "),
  };
}

const nobodys =
  "No key that we hold for you made this signature: it is another key's, or its bytes were changed on the way. " +
  "Compare the public half of the key that you sign with to the one that you registered.";

interface Finding {
  readonly spelling: Spelling;
  /** The known key that made the signature, unless it is the claimed one. */
  readonly other: OtherKey | undefined;
  readonly seal: Seal;
  readonly guess: Guess | undefined;
}

function find({ sent, signature, claimed, others }: Complaint): Finding | undefined {
  const keys = [
    ...(claimed ? [{ key: claimed, other: undefined }] : []),
    ...others.map((other) => ({ key: other.key, other })),
  ];
  for (const spelling of spellings) {
    const bytes = spelling.read(signature);
    if (!bytes) continue;
    for (const { key, other } of keys.slice(0, spelling.change === undefined ? keysMax : 1)) {
      const seal = recoverSignature(key, bytes);
      const guess = seal && (other?.isYours ?? true) ? fitting(seal, sent) : undefined;
      if (seal && (seal.isCertain || guess)) return { spelling, other, seal, guess };
    }
  }
  return undefined;
}

function fitting(seal: Seal, sent: SentRequest): Guess | undefined {
  let hashedBytes = 0;
  for (const guess of guesses(sent)) {
    hashedBytes += guess.text.length;
    if (hashedBytes > hashedBytesMax) return undefined;
    if (seal.fits(guess.text)) return guess;
  }
  return undefined;
}

function sentences(sent: SentRequest, { spelling, other, seal, guess }: Finding): readonly string[] {
  const wrong = [spelling.change, other?.says, ...sealProblems(seal)].filter(
    (problem) => problem !== undefined,
  );
  if (other && !other.isYours) return wrong;
  const rightKey = other ? [] : ["Your key is right."];
  if (guess?.slips.length === 0) {
    return wrong.length === 0
      ? ["The signature holds."]
      : [...rightKey, "The signed text is right.", ...wrong];
  }
  if (wrong.length > 0)
    return [...rightKey, ...wrong, ...otherBytes("You signed other bytes", sent, seal, guess)];
  return otherBytes("Your key is right, but you signed other bytes", sent, seal, guess);
}

function otherBytes(
  opening: string,
  sent: SentRequest,
  { digest, algorithm }: Seal,
  guess: Guess | undefined,
): readonly string[] {
  if (!guess) {
    const theirs = digest ? ` The ${nameOf(algorithm)} of what you signed is ${digest.toString("hex")}.` : "";
    return [`${opening}, and none of the usual mistakes explains them.${theirs}`];
  }
  const named = guess.slips.flatMap((name) => slips[name] ?? []);
  const changes = new Set(named.map(({ change }) => change));
  const difference = firstDifference(guess.text, signedText(sent));
  return [`${opening}: ${named.map(({ signed }) => signed).join("; and ")}.`, ...changes, ...difference];
}

function sealProblems({ form, algorithm }: Seal): readonly string[] {
  const forms = {
    "PKCS#1 v1.5": [],
    PSS: ["It has the padding PSS: use PKCS#1 v1.5, which most libraries call SHA256withRSA."],
    bare: [
      "It was made by raw RSA, which does not name the digest: use a function that hashes and signs, SHA256withRSA or openssl dgst -sha256 -sign.",
    ],
  };
  const wrongDigest = `It was made with ${nameOf(algorithm)}: use SHA-256.`;
  return [...forms[form], ...(algorithm === "sha256" ? [] : [wrongDigest])];
}

function nameOf(algorithm: Digest): string {
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
