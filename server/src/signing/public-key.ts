import { createPublicKey, verify, type KeyObject } from "node:crypto";

/** Why a key cannot be taken, in a sentence for the merchant's developer. */
export interface KeyProblem {
  readonly problem: string;
}

const bitsMin = 2048;
const bitsMax = 4096;
const exponent = 65_537n;

/** Reads a merchant's public key: SubjectPublicKeyInfo as PEM or as bare base64. */
export function readPublicKey(text: string): KeyObject | KeyProblem {
  if (/PRIVATE KEY/.test(text)) {
    return { problem: "This is a private key. Keep it; send the public key that belongs to it." };
  }
  const base64 = text.replaceAll("\\n", "\n").replaceAll(/-----(?:BEGIN|END) PUBLIC KEY-----/g, "");
  if (base64.includes("-----")) {
    return { problem: "The key has to be a SubjectPublicKeyInfo: a PEM that says BEGIN PUBLIC KEY." };
  }
  return publicKeyFromDer(Buffer.from(base64.replaceAll(/\s/g, ""), "base64"));
}

/** The same rules for stored keys: what was stored before a rule existed is refused as well. */
export function publicKeyFromDer(der: Uint8Array): KeyObject | KeyProblem {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch {
    return { problem: "This is not a public key in SubjectPublicKeyInfo form." };
  }
  if (key.asymmetricKeyType !== "rsa")
    return { problem: `The key is ${key.asymmetricKeyType}; it has to be RSA.` };
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < bitsMin || modulusLength > bitsMax) {
    return { problem: `The key has ${modulusLength} bits; it has to have ${bitsMin} to ${bitsMax}.` };
  }
  if (publicExponent !== exponent)
    return { problem: `The key's exponent is ${publicExponent}; it has to be ${exponent}.` };
  return key;
}

export function isKeyProblem(key: KeyObject | KeyProblem): key is KeyProblem {
  return "problem" in key;
}

export function derOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" });
}

/** What a merchant signs to show that it holds the private half of the key that it registers. */
export function possessionText(clientName: string): string {
  return `I hold the private key. ${clientName}`;
}

export function provesPossession(key: KeyObject, clientName: string, proof: Uint8Array): boolean {
  return verify("sha256", Buffer.from(possessionText(clientName), "utf8"), key, proof);
}
