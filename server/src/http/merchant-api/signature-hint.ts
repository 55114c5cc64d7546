import { createHash, type KeyObject } from "node:crypto";
import type { KnownClient } from "../../merchants/client-directory.ts";
import { diagnose, type Complaint } from "../../signing/signature-diagnosis.ts";
import type { SignatureHeader } from "../../signing/signature-header.ts";
import { signedText, type SignedParts } from "../../signing/signed-text.ts";
import type { SignatureProblem } from "../../signing/verify.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway } from "./gateway.ts";

/**
 * Rate limits of the signature diagnosis, by network, by client, and overall. The diagnosis runs for unauthenticated
 * clients and takes a few milliseconds, so it must be bounded. Most of the work is done only for signatures that were
 * made with a known key.
 */
export const diagnosesOfNetwork = { ratePerSecond: 2, burst: 20 };
const diagnosesOfClient = { ratePerSecond: 2, burst: 20 };
const diagnosesInAll = { ratePerSecond: 10, burst: 40 };

/**
 * Number of newest key versions, of the merchant and of the gateway, with which the diagnosis tries to verify a
 * signature.
 */
const versionsMax = { merchant: 5, gateway: 2 };

/** A request with an invalid signature. */
export interface InvalidSignature {
  readonly header: SignatureHeader;
  readonly client: KnownClient;
  readonly parts: SignedParts;
  readonly problem: SignatureProblem;
}

/** The explanation of a rejected signature. */
export interface Examination {
  /** The text for the response. */
  readonly hint: string | undefined;
  /** The finding of the diagnosis, if it adds something to the plain hint. */
  readonly verdict: string | undefined;
  /** Whether the rate limits for unauthenticated clients allowed the diagnosis. */
  readonly isExamined: boolean;
}

/**
 * Explains a rejected signature in the sandbox: the diagnosis, and the text that the gateway verified, so that a
 * developer can compare it with the signed text. Live reveals nothing and runs no diagnosis.
 */
export function examineSignature(gateway: Gateway, arrival: Arrival, forged: InvalidSignature): Examination {
  if (gateway.environment !== "sandbox") return { hint: undefined, verdict: undefined, isExamined: false };
  const isExamined = mayDiagnose(gateway, arrival, forged.client);
  const found = isExamined ? diagnose(complaintOf(gateway, arrival, forged)) : undefined;
  // The plain hint already covers a malformed signature and an unknown key version. In these cases only a finding adds
  // something.
  const isNews = forged.problem === "MISMATCH" || found?.madeBy !== "no key that we hold";
  const verdict = isNews ? found?.says : undefined;
  const sentences = [verdict, plainHint(forged)].filter((sentence) => sentence !== undefined);
  return { hint: sentences.join(" ") || undefined, verdict, isExamined };
}

function mayDiagnose(
  { unauthenticatedLimiter }: Gateway,
  { network }: Arrival,
  { clientId }: KnownClient,
): boolean {
  return (
    unauthenticatedLimiter.take(`doctor at ${network}`, diagnosesOfNetwork) === 0 &&
    unauthenticatedLimiter.take(`doctor for ${clientId}`, diagnosesOfClient) === 0 &&
    unauthenticatedLimiter.take("doctor", diagnosesInAll) === 0
  );
}

function complaintOf(
  { signer }: Gateway,
  arrival: Arrival,
  { header, client, parts }: InvalidSignature,
): Complaint {
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
  return `This was made with the gateway's own key of version ${version}, which signs what the gateway sends. Sign your requests with your own key.`;
}

function plainHint({ problem, parts }: InvalidSignature): string | undefined {
  if (problem === "UNKNOWN_KEY_VERSION") return undefined;
  if (problem === "MALFORMED_SIGNATURE")
    return "The signature must be base64 of as many bytes as the key has.";
  const text = signedText(parts);
  const { method, path, clientId, time, body } = parts;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return (
    `We verified ${text.length} bytes: the line "${method} ${path}", a line feed, then ` +
    `"${clientId}.${time}." and the ${body.length} bytes of the body. Their SHA-256 is ${sha256}.`
  );
}
