import { createHash, type KeyObject } from "node:crypto";
import type { KnownClient } from "../merchants/client-directory.ts";
import { diagnose, type Complaint } from "../signing/doctor.ts";
import type { SignatureHeader } from "../signing/signature-header.ts";
import { signedText, type SignedParts } from "../signing/signed-text.ts";
import type { SignatureProblem } from "../signing/verify.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway } from "./gateway.ts";

/**
 * Rate limits of the signature doctor: whoever is not proven may have its mistakes looked into, at a cost of
 * a few milliseconds, but must not keep us busy with it. By network, by client, and for all together. Most of the work is done only for
 * signatures that a key of the merchant has made.
 */
export const diagnosesOfNetwork = { ratePerSecond: 2, burst: 20 };
const diagnosesOfClient = { ratePerSecond: 2, burst: 20 };
const diagnosesInAll = { ratePerSecond: 10, burst: 40 };

/** Versions of a merchant's key, and of the gateway's, that a signature is tried with: the newest. */
const versionsMax = { merchant: 5, gateway: 2 };

/** A request whose signature did not hold. */
export interface Forged {
  readonly header: SignatureHeader;
  readonly client: KnownClient;
  readonly parts: SignedParts;
  readonly problem: SignatureProblem;
}

/** What can be said of a signature that was refused. */
export interface Examination {
  /** For the answer. */
  readonly hint: string | undefined;
  /** What the doctor found, if that is news. */
  readonly verdict: string | undefined;
  /** Whether the rate limits of strangers allowed the doctor to look. */
  readonly isExamined: boolean;
}

/**
 * Why a signature was refused, in the sandbox: what the doctor finds, and what we verified, so that a developer
 * can compare it with what was signed. Live reveals nothing, so there it is not even looked for.
 */
export function examineSignature(gateway: Gateway, arrival: Arrival, forged: Forged): Examination {
  if (gateway.environment !== "sandbox") return { hint: undefined, verdict: undefined, isExamined: false };
  const isExamined = mayDiagnose(gateway, arrival, forged.client);
  const found = isExamined ? diagnose(complaintOf(gateway, arrival, forged)) : undefined;
  // The plain hint tells already what is no signature, or names no key; then only a find is news.
  const isNews = forged.problem === "MISMATCH" || found?.madeBy !== "no key that we hold";
  const verdict = isNews ? found?.says : undefined;
  const sentences = [verdict, plainHint(forged)].filter((sentence) => sentence !== undefined);
  return { hint: sentences.join(" ") || undefined, verdict, isExamined };
}

function mayDiagnose(
  { strangersLimiter }: Gateway,
  { network }: Arrival,
  { clientId }: KnownClient,
): boolean {
  return (
    strangersLimiter.take(`doctor at ${network}`, diagnosesOfNetwork) === 0 &&
    strangersLimiter.take(`doctor for ${clientId}`, diagnosesOfClient) === 0 &&
    strangersLimiter.take("doctor", diagnosesInAll) === 0
  );
}

function complaintOf({ signer }: Gateway, arrival: Arrival, { header, client, parts }: Forged): Complaint {
  const { keyVersion, signature } = header;
  const own = newest(client.keys, versionsMax.merchant).filter(([version]) => version !== keyVersion);
  const ours = newest(signer.publicKeys(), versionsMax.gateway);
  return {
    sent: { ...parts, host: arrival.headers.get("host")?.[0] ?? "" },
    signature,
    claimed: client.keys.get(keyVersion),
    others: [
      ...own.map(([version, key]) => ({ key, says: yourKey(version, keyVersion), isYours: true })),
      ...ours.map(([version, key]) => ({ key, says: gatewayKey(version), isYours: false })),
    ],
  };
}

function newest(
  keys: ReadonlyMap<number, KeyObject>,
  max: number,
): readonly (readonly [number, KeyObject])[] {
  return [...keys].toSorted(([a], [b]) => b - a).slice(0, max);
}

function yourKey(version: number, named: number): string {
  return `This was made with your key of version ${version}, and the header says keyVersion=${named}: write keyVersion=${version}.`;
}

function gatewayKey(version: number): string {
  return `This was made with the gateway's own key of version ${version}, which signs what we send: sign what you send with your own.`;
}

function plainHint({ problem, parts }: Forged): string | undefined {
  if (problem === "UNKNOWN_KEY_VERSION") return undefined;
  if (problem === "MALFORMED_SIGNATURE")
    return "The signature is not base64 of as many bytes as the key has.";
  const text = signedText(parts);
  const { method, path, clientId, time, body } = parts;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return (
    `We verified ${text.length} bytes: the line "${method} ${path}", a line feed, then ` +
    `"${clientId}.${time}." and the ${body.length} bytes of the body. Their SHA-256 is ${sha256}.`
  );
}
