/** RSA with SHA-256, as the gateway verifies it. */
const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
}

/** Makes a key pair in this browser. Its private half is never sent to anybody. */
export async function makeKeyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  return {
    privatePem: toPem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", privateKey)),
    publicPem: toPem("PUBLIC KEY", await crypto.subtle.exportKey("spki", publicKey)),
  };
}

function toPem(label: string, bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

/** Hands a text to the person as a file, without a server. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-pem-file" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
