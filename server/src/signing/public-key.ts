import { createPrivateKey, createPublicKey, verify, type KeyObject } from "node:crypto";

/** The problem of a key that is rejected, as a sentence for the merchant's developer. */
export interface KeyProblem {
  readonly problem: string;
}

const bitsMin = 2048;
const bitsMax = 4096;
const exponent = 65_537n;

/** The allowed kinds of keys, by Node's names. */
type KeyKinds = readonly ("rsa" | "ed25519")[];
const merchantKeyKinds: KeyKinds = ["rsa"];
const providerKeyKinds: KeyKinds = ["rsa", "ed25519"];

/** Reads a provider's public key. The kind of the key decides the algorithm in both directions. */
export function readProviderKey(text: string): KeyObject | KeyProblem {
  return readPublicKey(text, providerKeyKinds);
}

/** Reads a public key (by default a merchant's): SubjectPublicKeyInfo as PEM or as bare base64. */
export function readPublicKey(text: string, kinds: KeyKinds = merchantKeyKinds): KeyObject | KeyProblem {
  if (/PRIVATE KEY/.test(text)) return { problem: privateKeyProblem };
  const base64 = text
    .replace("-----BEGIN PUBLIC KEY-----", "")
    .replace("-----END PUBLIC KEY-----", "")
    .replaceAll(/\\r|\\n|\s/g, "");
  if (base64.includes("-----")) {
    return { problem: "The key must be one SubjectPublicKeyInfo: a PEM that says BEGIN PUBLIC KEY, once." };
  }
  // Node ignores characters that are not base64, and would find a key within any text that contains one.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return { problem: "The key is not base64." };
  const der = Buffer.from(base64, "base64");
  const key = publicKeyFromDer(der, kinds);
  // The check for a private key is last, because OpenSSL takes longest for input that is no key.
  return isKeyProblem(key) && isPrivateKey(der) ? { problem: privateKeyProblem } : key;
}

const privateKeyProblem = "This is a private key. Keep it; send the public key that belongs to it.";

/**
 * Reads a stored public key. The rules for keys apply to stored keys, too: a key that was stored before a rule existed
 * is rejected.
 */
export function publicKeyFromDer(
  der: Uint8Array,
  kinds: KeyKinds = merchantKeyKinds,
): KeyObject | KeyProblem {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch {
    return { problem: "This is not a public key in SubjectPublicKeyInfo form." };
  }
  if (!exportDer(key).equals(der)) return { problem: "There is more data after the key, or it is not DER." };
  const kind = kinds.find((each) => each === key.asymmetricKeyType);
  if (kind === undefined)
    return {
      problem: `The key is ${key.asymmetricKeyType}; it must be ${kinds.map(kindName).join(" or ")}.`,
    };
  return kind === "rsa" ? (rsaProblem(key) ?? key) : key;
}

function kindName(kind: KeyKinds[number]): string {
  return { rsa: "RSA", ed25519: "Ed25519" }[kind];
}

function rsaProblem(key: KeyObject): KeyProblem | undefined {
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < bitsMin || modulusLength > bitsMax) {
    return { problem: `The key has ${modulusLength} bits; it must have ${bitsMin} to ${bitsMax}.` };
  }
  if (publicExponent !== exponent)
    return { problem: `The key's exponent is ${publicExponent}; it must be ${exponent}.` };
  return undefined;
}

function isPrivateKey(der: Buffer): boolean {
  return (["pkcs8", "pkcs1", "sec1"] as const).some((type) => {
    try {
      return createPrivateKey({ key: der, format: "der", type }).type === "private";
    } catch {
      return false;
    }
  });
}

export function isKeyProblem(key: KeyObject | KeyProblem): key is KeyProblem {
  return "problem" in key;
}

export function exportDer(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" });
}

/** Proof of possession: the text that a merchant signs with the private half of the key that it registers. */
export function possessionText(clientName: string): string {
  return `I hold the private key. ${clientName}`;
}

export function verifyPossession(key: KeyObject, clientName: string, proof: Uint8Array): boolean {
  return verify("sha256", Buffer.from(possessionText(clientName), "utf8"), key, proof);
}
