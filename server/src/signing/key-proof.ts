import { verify, type KeyObject } from "node:crypto";
import { sha256 } from "../core/digest.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { exportDer, isKeyProblem, readPublicKey } from "./public-key.ts";

/** The client for which a key is registered. */
interface KeyOwner {
  readonly clientId: string;
  readonly environment: string;
}

/** A public key as a person sends it, with its proof of possession, in base64. */
interface SubmittedKey {
  readonly publicKey: string;
  readonly proof: string;
}

/**
 * Returns the public key in DER form, if it fits the rules for keys and its sender has the private half (proof of
 * possession).
 */
export function readKeyWithProof(
  owner: KeyOwner,
  { publicKey, proof }: SubmittedKey,
): { readonly der: Buffer } | Refusal<"PARAM_ILLEGAL"> {
  const key = readPublicKey(publicKey);
  if (isKeyProblem(key)) return refuse("PARAM_ILLEGAL", { field: "publicKey", detail: key.problem });
  if (isProofValid(owner, key, Buffer.from(proof, "base64"))) return { der: exportDer(key) };
  return refuse("PARAM_ILLEGAL", { field: "proof", detail: invalidProofDetail });
}

const invalidProofDetail =
  "The proof must be a signature by this key over the text with client, environment and key.";

function isProofValid(owner: KeyOwner, key: KeyObject, proof: Uint8Array): boolean {
  return verify("sha256", Buffer.from(proofText(owner, exportDer(key)), "utf8"), key, proof);
}

/**
 * The text that the sender of a key signs as proof. It names the client, the environment and the key, so the proof
 * cannot be reused for anything else.
 */
function proofText({ clientId, environment }: KeyOwner, publicKey: Uint8Array): string {
  return `I hold the private key. ${environment} ${clientId} sha256:${sha256(publicKey).toString("hex")}`;
}
