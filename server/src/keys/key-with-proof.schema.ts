import { Type } from "typebox";

/** The text about the proof of possession, for the description of each act that registers a key. */
export const proofInstructions =
  "The proof is a signature (RSASSA-PKCS1-v1_5 with SHA-256, in base64) by the new private key over the text " +
  "`I hold the private key. ENVIRONMENT CLIENT_ID sha256:DIGEST`, where the digest is the SHA-256 of the public key in DER form, in hex. " +
  "The private key itself is never sent.";

/** A public key, with the proof of possession. */
export const KeyWithProof = {
  publicKey: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: "RSA of 2048 to 4096 bits: SubjectPublicKeyInfo as PEM, or its base64.",
    "x-digest": true,
  }),
  proof: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: "^[A-Za-z0-9+/]+={0,2}$",
    description: "The proof of possession: a signature by the private key.",
    "x-digest": true,
  }),
};
