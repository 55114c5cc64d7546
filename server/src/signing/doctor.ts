import type { KeyObject } from "node:crypto";
import { recoverSeal, type Digest, type Seal } from "./recover.ts";
import { signedText } from "./signed-text.ts";
import type { SentRequest } from "./slip.ts";
import { guesses, slips, type Guess } from "./slips.ts";
import { spellings, type Spelling } from "./spellings.ts";

/** A request whose signature does not hold, and the keys that may have made it. */
export interface Complaint {
  readonly sent: SentRequest;
  /** As it stands in the header, still encoded. */
  readonly signature: string;
  /** The key that should have made it; undefined when there is none of the version that was named. */
  readonly claimed: KeyObject | undefined;
  readonly others: readonly OtherKey[];
}

/** A key that should not have made it. */
export interface OtherKey {
  readonly key: KeyObject;
  /** What to tell if it did, as a sentence. */
  readonly says: string;
  /** Whether it is worth to look for what was signed: the gateway's signatures anybody can have, at our cost. */
  readonly isYours: boolean;
}

export interface Diagnosis {
  /** Whose key made the signature; a signature that was damaged on its way is nobody's. */
  readonly madeBy: "claimed key" | "other key" | "no key that we hold";
  /** The slips that lead to the signed text: none when the text is right, undefined when it was not found. */
  readonly slips: readonly string[] | undefined;
  /** All of it in sentences for a developer. */
  readonly says: string;
}

/** Larger bodies are left alone. */
const bodyBytesMax = 64 * 1024;
/** Bounds the work: bytes of all texts that are made and hashed for one diagnosis. */
const hashedBytesMax = 512 * 1024;
/** Bounds the work: public keys that a signature is tried with, of a client that has many. */
const keysMax = 8;

/**
 * Finds out why a signature does not hold. RSA gives the signed digest back to whoever has the public key, so
 * each finding is certain: a key is named if the padding appears under it, a slip if its text has that digest.
 * Undefined when the body is too large to look at. Pure: it knows nothing but what it is given.
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
  /** The key, unless it is the claimed one. */
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
      const seal = recoverSeal(key, bytes);
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
    return [`${opening}, and none of the usual slips leads to them.${theirs}`];
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

/** Where the two texts part; nothing when they have no beginning in common. */
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
