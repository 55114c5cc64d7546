import { createHash, type KeyObject } from "node:crypto";
import type { ClientWithKeys } from "../../merchants/client-directory.ts";
import { diagnose, type UnverifiedRequest } from "../../signing/signature-diagnosis.ts";
import type { SignatureHeader } from "../../signing/signature-header.ts";
import { signedText, type SignedParts } from "../../signing/signed-text.ts";
import type { SignatureProblem } from "../../signing/verify-signature.ts";
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
  readonly client: ClientWithKeys;
  readonly parts: SignedParts;
  readonly problem: SignatureProblem;
}

/** The explanation of a rejected signature. */
export interface SignatureExplanation {
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
export function explainInvalidSignature(
  gateway: Gateway,
  arrival: Arrival,
  invalid: InvalidSignature,
): SignatureExplanation {
  if (gateway.environment !== "sandbox") return { hint: undefined, verdict: undefined, isExamined: false };
  const isExamined = isDiagnosisAllowed(gateway, arrival, invalid.client);
  const finding = isExamined ? diagnose(diagnosisInput(gateway, arrival, invalid)) : undefined;
  // The plain hint already covers a malformed signature and an unknown key version. In these cases only a finding adds
  // something.
  const hasFinding = invalid.problem === "MISMATCH" || finding?.madeBy !== "no key that we hold";
  const verdict = hasFinding ? finding?.message : undefined;
  const sentences = [verdict, plainHint(invalid)].filter((sentence) => sentence !== undefined);
  return { hint: sentences.join(" ") || undefined, verdict, isExamined };
}

function isDiagnosisAllowed(
  { unauthenticatedLimiter }: Gateway,
  { network }: Arrival,
  { clientId }: ClientWithKeys,
): boolean {
  return (
    unauthenticatedLimiter.take(`doctor at ${network}`, diagnosesOfNetwork) === 0 &&
    unauthenticatedLimiter.take(`doctor for ${clientId}`, diagnosesOfClient) === 0 &&
    unauthenticatedLimiter.take("doctor", diagnosesInAll) === 0
  );
}

function diagnosisInput(
  { signer }: Gateway,
  arrival: Arrival,
  { header, client, parts }: InvalidSignature,
): UnverifiedRequest {
  const { keyVersion, signature } = header;
  const merchantKeys = newest(client.keys, versionsMax.merchant).filter(
    ([version]) => version !== keyVersion,
  );
  const gatewayKeys = newest(signer.publicKeys(), versionsMax.gateway);
  return {
    sent: { ...parts, host: arrival.headers.get("host")?.[0] ?? "" },
    signature,
    claimedKey: client.keys.get(keyVersion),
    otherKeys: [
      ...merchantKeys.map(([version, key]) => ({
        key,
        explanation: otherVersionHint(version, keyVersion),
        isMerchantKey: true,
      })),
      ...gatewayKeys.map(([version, key]) => ({
        key,
        explanation: gatewayKeyHint(version),
        isMerchantKey: false,
      })),
    ],
  };
}

function newest(
  keys: ReadonlyMap<number, KeyObject>,
  max: number,
): readonly (readonly [number, KeyObject])[] {
  return [...keys].toSorted(([a], [b]) => b - a).slice(0, max);
}

function otherVersionHint(version: number, namedVersion: number): string {
  return `This was made with your key of version ${version}, and the header says keyVersion=${namedVersion}: write keyVersion=${version}.`;
}

function gatewayKeyHint(version: number): string {
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
